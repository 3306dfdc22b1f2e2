"""Shell scripts and service units: which programs and paths a health check leans on."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.command_text import CommandReader, Printed, Typed

_SHEBANG = re.compile(rb"\A(?:\xef\xbb\xbf)?#![^\n]*\b(?:ba|da|k|z)?sh\b")
_UNIT = re.compile(rb"^\[Service\][^\[]*^Exec(?:Start|StartPre|Condition)=", re.MULTILINE)
_SHOWN = re.compile(rb"^ExecStart=\{ path=", re.MULTILINE)
_EXEC = re.compile(r"^Exec(?:Start|StartPre|Condition)=(.*)$", re.MULTILINE)
_ARGV = re.compile(r"argv\[\]=(.*?) ;")
_ID = re.compile(r"^Id=(\S+)$", re.MULTILINE)
_PATH = re.compile(r"(?<![\w./$}\-])(/[A-Za-z0-9_][\w.@%+\-]*(?:/[\w.@%+\-]+)*)")
_TIMED = re.compile(r"(?:^|[\s;(|&$])timeout\s+(?:-\S+\s+)*[\d$\"{]", re.MULTILINE)
_BOUND = re.compile(
    r"^(?:TimeoutStartSec|RuntimeMaxSec|TimeoutStartUSec)=(?!infinity|0$)\S", re.MULTILINE
)
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
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
