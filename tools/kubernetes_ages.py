"""Ages as kubectl prints them: how long before the look something happened."""

from datetime import datetime, timedelta
from typing import NamedTuple

from tools.evidence import Instant
from tools.late_patterns import compile_late

_AGE = compile_late(r"(\d+)([ydhms])")
_COUNT = compile_late(r"\(x(\d+) over (\S+)\)")
_UNITS = {"y": 365 * 86400, "d": 86400, "h": 3600, "m": 60, "s": 1}


class Ages(NamedTuple):
    """What ``3m1s (x6 over 120m)`` says, in seconds before the look."""

    last: float | None
    first: float | None
    repeats: str


def ages_of(text: str) -> Ages:
    """Read an event's age, with its repeats."""
    last = seconds_of(text.partition(" ")[0])
    match = _COUNT.search(text)
    return (
        Ages(last, seconds_of(match.group(2)), match.group(1)) if match else Ages(last, last, "1")
    )


def seconds_of(text: str) -> float | None:
    """Read ``3m4s``; None where it is no age."""
    parts = _AGE.findall(text)
    return float(sum(int(number) * _UNITS[unit] for number, unit in parts)) if parts else None


def before(taken: datetime | None, age: str) -> Instant | None:
    """Date what happened `age` before a look; an age can be off by its smallest unit."""
    seconds = seconds_of(age.partition(" ")[0])
    if taken is None or seconds is None:
        return None
    units = [unit for _, unit in _AGE.findall(age.partition(" ")[0])]
    return Instant(taken - timedelta(seconds=seconds), float(_UNITS[units[-1]]), "stated", age)


def stamp_of(moment: datetime) -> str:
    """Write a moment as Kubernetes does."""
    return moment.isoformat().replace("+00:00", "Z")
