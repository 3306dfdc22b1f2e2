"""Values as the sources write them, read as numbers: quantities, durations, sizes, times."""

import re
from datetime import datetime

from knowledge.page import FieldType

_SUFFIXES = {
    "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0,
    "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip
_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([numkKMGTPE]?i?)")
_SIZE = re.compile(r"([\d.]+)\s*((?:[KMGTPE]i?|k)?)(?:B|bytes)?")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)")
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z\u00b5\u03bc]*)\s*")
_UNITS = {
    "ns": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "\u03bcs": 1e-6, "ms": 1e-3, "msec": 1e-3,
    "milliseconds": 1e-3,
    "": 1.0, "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "m": 60.0, "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hour": 3600.0, "hours": 3600.0, "d": 86400.0, "day": 86400.0, "days": 86400.0,
}  # fmt: skip


def parse_quantity(text: str) -> float | None:
    """Read a Kubernetes quantity (``100m``, ``64Gi``, ``1e3``) or a plain number."""
    found = _QUANTITY.fullmatch(text.strip())
    if found is None or found.group(2) not in _SUFFIXES:
        return None
    return float(found.group(1)) * _SUFFIXES[found.group(2)]


def parse_time(text: str) -> float | None:
    """Read an RFC 3339 time that states its zone, as epoch seconds."""
    if _TIME.fullmatch(text.strip()) is None:
        return None
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except ValueError:
        return None


def parse_duration(text: str) -> float | None:
    """Read ``6.918204551s``, ``3m4.2s``, ``120 s``, ``1h0m0s`` or a bare number, in seconds."""
    total, position, clean = 0.0, 0, text.strip()
    while position < len(clean):
        part = _PART.match(clean, position)
        if part is None or part.group(2) not in _UNITS:
            return None
        total += float(part.group(1)) * _UNITS[part.group(2)]
        position = part.end()
    return total if clean else None


def parse_size(text: str) -> float | None:
    """Read ``79.15 GiB``, ``512kB``, ``10Gi`` or a bare number, in bytes."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    number, suffix = parse_quantity(found.group(1)), found.group(2)
    # Who writes kB is the kernel, and it means 1024 bytes.
    factor = _SUFFIXES["Ki" if suffix == "k" else suffix]
    return None if number is None else number * factor


def decode_field(text: str, kind: FieldType) -> str | float | int | None:
    """Decode a named group by its declared type; None if it is none of that type."""
    match kind:
        case "text":
            return text
        case "int":
            return _whole(text)
        case "duration":
            return parse_duration(text)
        case "bytes":
            return parse_size(text)
        case _:
            number = parse_quantity(text)
            return None if number is None else number / _DIVISORS[kind]


_DIVISORS = {"float": 1.0, "milliseconds": 1000.0, "deciseconds": 10.0}


def _whole(text: str) -> int | None:
    clean = text.strip().replace(",", "")
    base = 16 if clean[:2].lower() == "0x" else 10
    try:
        return int(clean, base)
    except ValueError:
        return None
