"""Commands that did not come back: an observation, often the decisive one."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from integrations.rendering.content import Line, code, join, refs, text
from integrations.wording.words import Words
from tools.evidence import Evidence
from tools.late_patterns import compile_late

_SECONDS = compile_late(r"(?:^|after )(\d+(?:\.\d+)?)(?: s)?$", re.ASCII)
"""A capture says how long it waited in words, or as the bare number."""
_NAMES = 3
_COMMANDS = 4


@dataclass(frozen=True, slots=True)
class Hang:
    """Commands that hung on the same targets, each after as long a wait."""

    commands: tuple[str, ...]
    targets: tuple[str, ...]
    waited_s: str
    """Empty where the capture does not say."""
    evidence: tuple[str, ...]


def find_hangs(evidence: Iterable[Evidence]) -> Sequence[Hang]:
    """Gather what hung: commands that hung on the same targets stand together."""
    by_command: dict[tuple[str, str], list[Evidence]] = {}
    for item in evidence:
        if item.outcome == "hung":
            by_command.setdefault((item.command, read_wait(item)), []).append(item)
    together: dict[tuple[tuple[str, ...], str], list[tuple[str, list[Evidence]]]] = {}
    for (command, waited), items in by_command.items():
        targets = tuple(dict.fromkeys(item.target for item in items if item.target))
        together.setdefault((targets, waited), []).append((command, items))
    return [
        Hang(
            commands=tuple(command for command, _ in rows),
            targets=targets,
            waited_s=waited,
            evidence=tuple(item.id for _, items in rows for item in items),
        )
        for (targets, waited), rows in together.items()
    ]


def read_wait(item: Evidence) -> str:
    """Return how many seconds were waited, as written for people; empty where unknown."""
    waited = _SECONDS.search(item.detail)
    return f"{float(waited[1]):g}" if waited else ""


def tell_hang(hang: Hang, words: Words) -> Line:
    """Say which commands hung, where and for how long."""
    commands = join(*(code(command) for command in hang.commands[:_COMMANDS]), by=", ")
    if len(hang.commands) > _COMMANDS:
        more = words("report.and_more", count=len(hang.commands) - _COMMANDS)
        commands = join(commands, text(more))
    waited = words("hang.waited", seconds=hang.waited_s) if hang.waited_s else words("hang.never")
    names = ", ".join(hang.targets[:_NAMES])
    if len(hang.targets) > 1:
        more = ", …" if len(hang.targets) > _NAMES else ""
        names = words("hang.hosts", count=len(hang.targets), names=names + more)
    return join(commands, text(waited), text(names), refs(hang.evidence, most=4), by=" · ")
