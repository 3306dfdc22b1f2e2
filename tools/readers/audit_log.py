"""The audit daemon's log: which commands people ran as root, told as sudo tells them.

What sudo ran (USER_CMD) and what root executed in somebody's session (EXECVE beside its SYSCALL)
become the lines that sudo itself would have logged; the kernel vouches for the session and for the
executable, the program's own name for itself counts for nothing. What a command says may be written
in hexadecimal; it is decoded, and masked as all text is.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tools.evidence import Instant, Item, Record, Span
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.numerals import whole
from tools.request import Request
from tools.source import Source
from tools.writers import writer_of

_HEAD = compile_late(
    r"(?:node=(?P<host>\S+) )?type=(?P<type>[A-Z_0-9]+) "
    r"msg=audit\((?P<seconds>\d{9,10})\.(?P<milli>\d{3}):(?P<serial>\d+)\): ?(?P<rest>.*)",
    re.DOTALL,
)
_VALUE = compile_late(r"(?:^|[ '\x1d])(?P<name>[A-Za-z_]\w*)=(?P<value>\"[^\"]*\"|[^ '\x1d]+)")
_HEX = compile_late(r"(?:[0-9A-F]{2})+")
_SUDO = compile_late(r"/(?:usr/)?(?:local/)?bin/sudo(?:-rs)?")
_NO_SESSION = frozenset({"", "-1", "4294967295", "unset"})
"""What is no login's: daemons, and what runs in containers."""
_CONTROL = compile_late(r"[\x00-\x1f\x7f]+")
_USER = compile_late(r"[\w.@$-]+")
MOST = 0.8
LINES = 40
MOST_WORDS = 200


class AuditReader:
    """Yields one line of sudo's for each command; the other records are only counted."""

    name = "audit"
    source = "audit"

    def score(self, head: bytes, hint: str) -> float:
        """Tell whether most of the first lines are records of the audit system."""
        if b"msg=audit(" not in head:
            return 0.0
        lines = head.decode("utf-8", "replace").split("\n")[:LINES]
        said = [line for line in lines if line.strip() and line != "----"]
        known = sum(1 for line in said if _HEAD.match(line))
        return 0.97 if known >= MOST * len(said) > 0 else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read record by record; a call's arguments stand behind it."""
        size = number = 0
        called: re.Match[str] | None = None
        with source.open() as stream:
            for number, raw in enumerate(stream, 1):
                size += len(raw)
                if b"type=USER_CMD" not in raw and b"type=EXECVE" not in raw:
                    called = _match(raw) if b"type=SYSCALL" in raw else called
                    continue
                found = _match(raw)
                if found and (said := _told(found, called)):
                    yield _record(source, found, said, number)
        yield Span(source.evidence, 0, size, number)


def _match(raw: bytes) -> re.Match[str] | None:
    return _HEAD.match(raw.decode("utf-8", "replace").rstrip("\r\n"))


def _record(source: Source, found: re.Match[str], said: str, number: int) -> Record:
    writer = source.writer or writer_of(source.capture, source.name)
    host = found["host"] or writer.host or source.capture.target
    moment = datetime.fromtimestamp(int(found["seconds"]), UTC)
    moment += timedelta(milliseconds=int(found["milli"]))
    return Record(
        evidence=source.evidence,
        channel="quoted" if source.pasted else writer.channel or "service",
        text=masked(said),
        line=number,
        time=Instant(moment, original=f"{found['seconds']}.{found['milli']}"),
        clock=f"host:{host}" if host else f"file:{source.evidence}",
        host=host,
        unit="sudo",
    )


def _told(found: re.Match[str], called: re.Match[str] | None) -> str:
    """Return what sudo would have logged; nothing where no person did anything as root."""
    if found["type"] == "USER_CMD":
        return _by_sudo(_values(found["rest"]))
    if called is None or called["serial"] != found["serial"] or called["host"] != found["host"]:
        return ""
    return _by_root(_values(found["rest"]), _values(called["rest"]))


def _values(text: str) -> dict[str, str]:
    """Read the fields; what a record says twice counts as it is said first."""
    found: dict[str, str] = {}
    for each in _VALUE.finditer(text):
        found.setdefault(each["name"], each["value"])
    return found


def _by_sudo(values: dict[str, str]) -> str:
    executable = _text(values.get("exe", ""))
    if values.get("cmd") is None or (executable and not _SUDO.fullmatch(executable)):
        return ""
    refused = "" if values.get("res") in {"success", "1"} else "command not allowed ; "
    return _line(values, refused, _text(values["cmd"]))


def _by_root(words: dict[str, str], call: dict[str, str]) -> str:
    session = call.get("auid", "") not in _NO_SESSION
    if not session or call.get("uid") != "0" or call.get("success") != "yes":
        return ""
    count = whole(words.get("argc")) or 0
    names = [f"a{number}" for number in range(1, min(count, MOST_WORDS))]
    if not all(name in words for name in names):
        return ""
    return _line(
        call, "", " ".join([_text(call.get("exe", "")), *(_text(words[n]) for n in names)])
    )


def _line(values: dict[str, str], refused: str, command: str) -> str:
    named = _text(values.get("AUID", "")) or f"uid-{values.get('auid', '?')}"
    user = named if _USER.fullmatch(named) else "?"
    terminal = _text(values.get("terminal") or values.get("tty") or "unknown")
    place = terminal if _USER.fullmatch(terminal.replace("/", ".")) else "unknown"
    return f"{user} : {refused}TTY={place} ; COMMAND={_CONTROL.sub(' ', command).strip()}"


def _text(value: str) -> str:
    """Decode a value: in quotes as it is, else in hexadecimal where it is that."""
    if value.startswith('"'):
        return value.strip('"')
    return bytes.fromhex(value).decode("utf-8", "replace") if _HEX.fullmatch(value) else value


READER = AuditReader()
