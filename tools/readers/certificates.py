"""`openssl x509` and `kubeadm certs check-expiration`: until when certificates are valid."""

from collections.abc import Iterator
from datetime import UTC, datetime

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_NOT_AFTER = compile_late(r"^\s*(?:notAfter=|Not After : ?)(.+? GMT)\s*$")
_SUBJECT = compile_late(r"^\s*[Ss]ubject[:=] ?(.*\S)")
_FILE = compile_late(r"^(?:==> )?(/\S+\.(?:crt|pem|cer))(?: <==)?:?\s*$")
_ROW = compile_late(r"^(\S+)\s{2,}([A-Z][a-z]{2} \d\d, \d{4} \d\d:\d\d UTC)\s{2,}")
_TABLE = b"RESIDUAL TIME"
_DAY_S = 86400.0


def recognise(head: bytes) -> float:
    """Look for either program's words."""
    start = head[:8192]
    if _TABLE in start and b"EXPIRES" in start:
        return 0.95
    return 0.93 if any(_NOT_AFTER.match(line) for line in _lines(start)) else 0.0


def _lines(start: bytes) -> list[str]:
    return start.decode("utf-8", "replace").splitlines()


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each certificate's end; days are left out where the moment of the look is unknown."""
    name = ""
    for number, line in enumerate(printed.text.splitlines(), 1):
        if match := _FILE.match(line) or _SUBJECT.match(line):
            name = match.group(1)
        elif match := _ROW.match(line):
            ends = datetime.strptime(match.group(2), "%b %d, %Y %H:%M %Z")  # noqa: DTZ007 -- it is UTC, added below
            yield _certificate(match.group(1), ends, printed, number)
        elif match := _NOT_AFTER.match(line):
            ends = datetime.strptime(match.group(1), "%b %d %H:%M:%S %Y %Z")  # noqa: DTZ007 -- it is UTC, added below
            yield _certificate(name or printed.host, ends, printed, number)


def _certificate(name: str, ends: datetime, printed: Printed, line: int) -> Typed:
    ends = ends.replace(tzinfo=UTC)
    left = (ends - printed.observed.utc).total_seconds() / _DAY_S if printed.observed else None
    return Typed("certificate", {"name": name, "ends": ends.isoformat(), "days_left": left}, line)


READER = CommandReader("certificates", recognise, parse)
