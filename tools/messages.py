"""Messages that programs print over several lines, and how to know their parts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tools.evidence import Channel
from tools.late_patterns import compile_late

KERNEL = frozenset({"kernel", "quoted"})
"""Channels whose lines are the kernel's own words."""
MAX_LINES = 60
MAX_CHARS = 16 << 10


@dataclass(frozen=True)
class Shape:
    """A multi-line message: `start` opens it, `member` continues it, `last` closes it.

    `tail` is what a line must look like for its beginning to be searched further up, where `last`
    is so wide that any line would send the search back.
    """

    name: str
    start: re.Pattern[str]
    member: re.Pattern[str]
    last: re.Pattern[str] | None = None
    tail: re.Pattern[str] | None = None
    limit: int = 16


_FRAME = (
    r"\s{2,}|\s*Call Trace|\s*</?TASK>|task:|\s*Not tainted|\s*Tainted|\"echo 0"
    r"|\s*\S+\+0x[0-9a-f]+/"
    r"|\s*\? |RIP: |Code: |R[A-D0-9]\w+: |CPU: \d|Hardware name|Modules linked"
)

KERNEL_SHAPES = (
    Shape(
        "oom-kill",
        compile_late(r"oom-kill:constraint="),
        compile_late(
            r"Memory cgroup out of memory|Out of memory|Killed process|oom_reaper:|Tasks in "
            r"|.*memory\.oom\.group"
        ),
    ),
    Shape(
        "pcie-aer",
        compile_late(r"(?:pcieport \S+: )?AER: |\S+ \S+: AER: "),
        compile_late(
            r"(?:\S+ )?[0-9a-fA-F:.]{7,}: +(?:AER: )?"
            r"(?:PCIe Bus Error|device \[|\[ ?\d+\]|TLP Header|  )|\s+\[ ?\d+\] "
        ),
    ),
    Shape(
        "gpu-lost",
        compile_late(r"NVRM: The NVIDIA GPU \S+"),
        compile_late(r"NVRM: (?:\(PCI ID|fallen off|installed in|The NVIDIA probe)|\s*\(PCI ID"),
    ),
    Shape(
        "api-mismatch",
        compile_late(r"NVRM: API mismatch"),
        compile_late(
            r"NVRM: +(?:has the version|this kernel module|make sure|components|the version)"
        ),
    ),
    Shape(
        "nvswitch-error",
        compile_late(r"\S+: SXid \([^)]*\): \d+, (?:Non-fatal|Fatal|Correctable)"),
        compile_late(r"\S+: SXid \([^)]*\): \d+, (?:Severity|Data)"),
    ),
    Shape(
        "blocked-task",
        compile_late(
            r"INFO: task .* blocked for more than|.*BUG: soft lockup|.*self-detected stall"
        ),
        compile_late(_FRAME),
        limit=48,
    ),
)

_PREFIX = compile_late(r"(?:\[(?:rank|default)?\d+\][:,]? ?|\S+: {2,}|\(\S+ pid=\d+\) )")
TRACEBACK = Shape(
    "python-traceback",
    compile_late(r"Traceback \(most recent call last\)"),
    compile_late(r"\s|$|During handling|The above exception|Traceback|\[rank\d+\]: *$"),
    last=compile_late(r"[A-Za-z_][\w.]*(?::|$)|[A-Za-z_][\w.]* *\("),
    tail=compile_late(
        r"[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Timeout|Empty)\b|[ \t]{2,}\S"
    ),
    limit=MAX_LINES,
)
APP_SHAPES = (TRACEBACK,)


INDENTED = Shape("indented-block", compile_late(r"\S"), compile_late(r"[ \t]+\S"), limit=MAX_LINES)
"""What a command prints: a heading and the indented lines that say more of it."""
COMMAND_SHAPES = (INDENTED,)


def bare(text: str) -> str:
    """Drop the rank prefix that launchers put before each line."""
    match = _PREFIX.match(text)
    return text[match.end() :] if match else text


_OWN_HEAD = compile_late(
    r"(?:\[(?:rank|default)?\d+\][:,]? ?)*\[[EWIFC](?:\d{3,4})? [^\]\n]{0,60}?[\w./-]+\.\w+:\d+\]"
    r"|(?:\[(?:rank|default)?\d+\][:,]? ?)*\S+:\d+:\d+ \[\d+\] NCCL (?:WARN|INFO) ",
    re.ASCII,
)
"""A runtime below the program writes heads of its own (c10's and NCCL's), without a date."""


def stands_alone(text: str) -> bool:
    """Tell whether a line without a stamp begins a message, whatever stands before it."""
    return _OWN_HEAD.match(text) is not None


def _any(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns))


_KERNEL_START = _any(shape.start for shape in KERNEL_SHAPES)
_KERNEL_MEMBER = _any(shape.member for shape in KERNEL_SHAPES)
"""All at once, since most kernel lines are part of no message of several lines."""


def _shapes(text: str, channel: Channel) -> tuple[str, tuple[Shape, ...]]:
    if channel in KERNEL:
        return text, KERNEL_SHAPES
    return (text, COMMAND_SHAPES) if channel == "command" else (bare(text), APP_SHAPES)


def shape_started_by(text: str, channel: Channel) -> Shape | None:
    """Find the message that this line opens."""
    if channel in KERNEL and not _KERNEL_START.match(text):
        return None
    line, shapes = _shapes(text, channel)
    return next((shape for shape in shapes if shape.start.match(line)), None)


def shape_continued_by(text: str, channel: Channel) -> Shape | None:
    """Find a message of which this line may be an inner part."""
    if channel in KERNEL and not _KERNEL_MEMBER.match(text):
        return None
    line, shapes = _shapes(text, channel)
    for shape in shapes:
        if (shape.tail or shape.member).match(line):
            return shape
    return None


def continues(shape: Shape, text: str, channel: Channel) -> bool | None:
    """Tell whether a line goes on with a message: None no, False yes, True yes and closes it."""
    line = bare(text) if channel not in {*KERNEL, "command"} else text
    if shape.member.match(line):
        return False
    return True if shape.last and shape.last.match(line) else None
