"""Instructions as people read them: each thing to do said once."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.diagnosis.result import Instruction
from integrations.wording.words import Words
from tools.late_patterns import compile_late

_FEW = 4
_HEAD = compile_late(r"[;；，,]\s*| and | until (?=\w)")
"""Where the act ends and its particulars begin."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do, or not to do, and why."""

    text: str
    why: str
    nodes: tuple[str, ...] = ()
    """Hosts that it is about."""


def tell_advice(words: Words, instructions: Sequence[Instruction]) -> Sequence[Advice]:
    """Say instructions in one language; those that begin with the same act become one."""
    told: dict[str, Advice] = {}
    for one in instructions:
        text, why = words.say(one.text), words.say(one.why)
        head = _HEAD.split(text, maxsplit=1)[0].rstrip(".。").casefold()
        known = told.get(head)
        told[head] = (
            _merge(known, Advice(text, why, one.nodes), words)
            if known
            else Advice(text, why, one.nodes)
        )
    return tuple(told.values())


def _merge(known: Advice, more: Advice, words: Words) -> Advice:
    parts = _HEAD.split(more.text, maxsplit=1)
    both = known.text
    if len(parts) > 1:
        mark, full = ("；", "。") if words.lang == "zh" else ("; ", ".")
        both = f"{known.text.rstrip('.。')}{mark}{parts[1].rstrip('.。')}{full}"
    gap = "" if words.lang == "zh" else " "
    whys = known.why if more.why == known.why else f"{known.why}{gap}{more.why}"
    return Advice(both, whys, tuple(sorted({*known.nodes, *more.nodes})))


def name_hosts(nodes: Sequence[str], words: Words) -> str:
    """Name a few hosts, or say how many there are."""
    shown = ", ".join(nodes[:_FEW])
    rest = len(nodes) - _FEW
    return f"{shown}, {words('report.and_more', count=rest)}" if rest > 0 else shown
