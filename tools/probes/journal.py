"""The systemd journal: the kernel's lines whole, of all others those that matter."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tools.capture import Capture
from tools.commands import quoted
from tools.context import ProbeContext
from tools.error_levels import IN_MESSAGES, KLOG
from tools.registry import probe
from tools.request import Request

_LIMIT_S = 40.0
_LONGEST_PATTERN = 60_000
_PROGRAMS = ("_TRANSPORT=journal", "_TRANSPORT=syslog", "_TRANSPORT=stdout")
_NEXT = b"\n\n__CURSOR="
"""What parts two entries of an export."""


@probe(source="journal", reach="host", volatility=2)
def journal_kernel(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read every kernel line of the window.

    Whole, because a gapless kernel log is what rules hardware out. Filters run in journalctl.
    Cannot see what was rotated away or, on a volatile journal, what was before the boot.
    """
    yield from _exports(request, context, "kernel", ["_TRANSPORT=kernel"])


@probe(source="journal", reach="host", volatility=2)
def journal_services(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the lines of services and workloads that hold what the handbook knows.

    The literals are pushed down into journalctl as one pattern; without any, warnings and worse.
    """
    pattern = wanted_pattern(request)
    chosen = [f"--grep={pattern}", "--case-sensitive=true"] if pattern else ["-p", "warning"]
    yield from _exports(request, context, "services", [*chosen, *_PROGRAMS])


@probe(source="journal", reach="host", volatility=2)
def journal_errors(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read what services and workloads call an error by its priority alone.

    The journal keeps an index of priorities: it costs little. Lines that hold what the handbook
    knows are left out, because `journal_services` reads them.
    """
    pattern = wanted_pattern(request)
    if request.errors and pattern:
        others = [f"--grep=^(?![\\s\\S]*(?:{pattern}))", "--case-sensitive=true", "-p", "err"]
        yield from _exports(request, context, "errors", [*others, *_PROGRAMS])


def wanted_pattern(request: Request) -> str:
    """Write what is asked for as one PCRE2 alternation; empty for nothing or too much."""
    if not request.errors:
        return grep_pattern(request.literals)
    known = grep_pattern((*request.literals, *IN_MESSAGES))
    return known and f"{known}|{KLOG}"


def grep_pattern(literals: tuple[str, ...]) -> str:
    """Write literals as one PCRE2 alternation; empty where there are none or too many."""
    pattern = "|".join(escaped(each) for each in literals if each and "\n" not in each)
    return pattern if len(pattern) <= _LONGEST_PATTERN else ""


def escaped(literal: str) -> str:
    """Write a literal as a pattern of PCRE2 or RE2."""
    return re.sub(r"([\\.^$|?*+()\[\]{}])", r"\\\1", literal)


def _exports(
    request: Request, context: ProbeContext, what: str, filters: list[str]
) -> Iterator[Capture]:
    times = window_flags(request)
    for folder in context.journals or (None,):
        place = [f"--directory={folder}"] if folder else []
        target = _target(folder, context)
        argv = ["journalctl", *place, "-o", "export", "-q", "--no-pager", "-a", *times, *filters]
        if earlier := context.workspace.finished("journal", quoted(argv), target):
            yield earlier
            continue
        resource = f"journal/{folder or ''}/{what}"
        answer = context.run(argv, limit_s=_LIMIT_S, resource=resource)
        if answer.truncated:
            # The fault is nearer to the end than the baseline: keep the newest instead.
            newest = context.run([*argv, "-r"], limit_s=_LIMIT_S, resource=resource)
            answer = replace(newest, stdout=turned_round(newest.stdout), truncated=True)
        yield context.keep(
            answer,
            source="journal",
            path=f"journal/{target}.{what}.export",
            target=target,
        )


def turned_round(export: bytes) -> bytes:
    """Put the entries of a reversed export in order, without the last, which was cut."""
    first, *rest = export.split(_NEXT)
    entries = [first, *(_NEXT[2:] + each for each in rest)][:-1]
    return b"".join(entry.rstrip(b"\n") + b"\n\n" for entry in reversed(entries))


def _target(folder: Path | None, context: ProbeContext) -> str:
    """Name whose journal it is; below an agent's view of its host it is the host's own."""
    own = folder is None or (context.root != Path("/") and folder.is_relative_to(context.root))
    return context.host if own or folder is None else folder.name


def window_flags(request: Request) -> list[str]:
    """Give the window as epoch seconds, which every systemd understands."""
    flags = []
    if request.window.since:
        flags.append(f"--since=@{math.floor(request.window.since.timestamp())}")
    if request.window.until:
        flags.append(f"--until=@{math.ceil(request.window.until.timestamp())}")
    return flags
