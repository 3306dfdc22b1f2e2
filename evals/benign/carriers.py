"""The same lines as other ways of keeping logs hand them over."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evals.model import KERNEL, Entry, Host
from evals.writers import journal

_SINCE = datetime(2026, 11, 30, 14, tzinfo=UTC)
_GAP_S = 0.1
_PRINTK = re.compile(r"^\[ *\d+\.\d+\] ")
_HOST = Host("gpu-n01", "10.0.0.11", "5f" * 16, "7a" * 16, _SINCE.timestamp() - 3600)
Lines = list[tuple[datetime, str]]


def _syslog(program: str, lines: Lines) -> bytes:
    tag = program if program == KERNEL else f"{program}[711]"
    return "".join(f"{at:%b %d %H:%M:%S} gpu-n01 {tag}: {text}\n" for at, text in lines).encode()


def _journal(program: str, lines: Lines) -> bytes:
    return journal.export(
        _HOST, [Entry(at.timestamp(), program, _bare(program, text)) for at, text in lines]
    )


def _pod(_program: str, lines: Lines) -> bytes:
    return "".join(
        f"{at:%Y-%m-%dT%H:%M:%S.%f}000Z stdout F {text}\n" for at, text in lines
    ).encode()


def _bare(program: str, text: str) -> str:
    """Take off the kernel's own stamp: its journal has it in a field."""
    return _PRINTK.sub("", text) if program == KERNEL else text


CARRIERS: Mapping[str, tuple[str, Callable[[str, Lines], bytes]]] = {
    "syslog": ("{}.syslog", _syslog),
    "journal": ("{}.export", _journal),
    "pod": ("train_{}-0_main.log", _pod),
}
"""How a file is called, and what it holds."""


def carry(corpus: Path, out: Path, carrier: str) -> None:
    """Write each component's logs anew, as that carrier would have kept them."""
    name, write = CARRIERS[carrier]
    out.mkdir(parents=True, exist_ok=True)
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir()):
        texts = [
            line
            for log in sorted(folder.iterdir())
            for line in log.read_bytes().decode("utf-8", "replace").splitlines()
            if line.strip()
        ]
        lines = [(_SINCE + timedelta(seconds=n * _GAP_S), text) for n, text in enumerate(texts)]
        (out / name.format(folder.name)).write_bytes(write(folder.name, lines))
