"""Shell scripts and service units: which programs and paths a health check leans on."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_SHEBANG = compile_late(rb"\A(?:\xef\xbb\xbf)?#![^\n]*\b(?:ba|da|k|z)?sh\b")
_UNIT = compile_late(rb"^\[Service\][^\[]*^Exec(?:Start|StartPre|Condition)=", re.MULTILINE)
_SHOWN = compile_late(rb"^ExecStart=\{ path=", re.MULTILINE)
_EXEC = compile_late(r"^Exec(?:Start|StartPre|Condition)=(.*)$", re.MULTILINE)
_ARGV = compile_late(r"argv\[\]=(.*?) ;")
_ID = compile_late(r"^Id=(\S+)$", re.MULTILINE)
_PATH = compile_late(r"(?<![\w./$}\-])(/[A-Za-z0-9_][\w.@%+\-]*(?:/[\w.@%+\-]+)*)")
_TIMED = compile_late(r"(?:^|[\s;(|&$])timeout\s+(?:-\S+\s+)*[\d$\"{]", re.MULTILINE)
_BOUND = compile_late(
    r"^(?:TimeoutStartSec|RuntimeMaxSec|TimeoutStartUSec)=(?!infinity|0$)\S", re.MULTILINE
)
_COMMENT = compile_late(r"^\s*#.*$", re.MULTILINE)
_WHOLE = 64 << 10
"""A health check is no longer; of an installer's script nothing is typed."""


def recognise(head: bytes) -> float:
    """Look for an interpreter's line or a unit's commands."""
    if _SHEBANG.match(head):
        return 0.92
    start = head[:8192]
    known = b"\nExec" in start or b"ExecStart={" in start
    return 0.92 if known and (_UNIT.search(start) or _SHOWN.search(start)) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the absolute paths outside comments, and whether anything bounds the time."""
    text = printed.text
    if len(text) > _WHOLE:
        return
    commands = "\n".join(_EXEC.findall(text))
    said = "\n".join(_ARGV.findall(commands)) or commands or text
    paths = dict.fromkeys(_PATH.findall(_COMMENT.sub("", said)))
    yield Typed(
        "script",
        {
            "form": "unit" if commands else "shell",
            "unit": match[1] if (match := _ID.search(text)) else None,
            "paths": ",".join(path for path in paths if PurePosixPath(path).parts[1:]),
            "bounded": bool(_TIMED.search(text) or _BOUND.search(text)),
            "asks_gpu": "nvidia-smi" in text or "dcgm" in text,
        },
    )


READER = CommandReader("shell-script", recognise, parse)
