# ruff: noqa: E501  (a pattern broken in two is harder to check)
"""Finds the values of Kubernetes Secret objects that came along in JSON or YAML."""

from collections.abc import Iterator

from tools.late_patterns import compile_late
from tools.secret_shapes import MASK, Taken

OBJECT_TRIGGER = r"""(?:["']kind\\{0,3}["'][ ]{0,4}:[ ]{0,4}\\{0,3}["']Secret\\{0,3}["']|^[ \-]{0,60}kind:[ ]{1,4}["']?Secret["']?[ \t\r]{0,8}$)"""

_REACH = 1 << 20
_MAP = compile_late(
    rb'"(?:data|stringData)"\s*:\s*\{((?:\s*"(?:[^"\\]|\\.)*"\s*:\s*"(?:[^"\\]|\\.)*"\s*,?)*)'
)
_VALUE = compile_late(rb':\s*"((?:[^"\\]|\\.)+)"')
_SECTION = compile_late(
    rb"(?m)^(?P<indent>[ \t]*)(?:data|stringData):[ \t]*\r?\n(?P<body>(?:(?P=indent)[ \t]+.*(?:\n|\Z))+)"
)
_ENTRY = compile_late(
    rb"(?m)^[ \t]+[\w.\-]+:[ \t]*(?P<value>[^\s|>].*?|[|>][+\-]?[ \t]*(?:\n[ \t]{4,}.*)+)[ \t\r]*$"
)


def find_secret_objects(data: bytes, ends: list[int]) -> Iterator[Taken]:
    """Take the values under `data` and `stringData` of each Secret whose kind ends at `ends`."""
    done = 0
    for end in sorted(ends):
        start, stop = max(done, end - _REACH), min(len(data), end + _REACH)
        if data[end - 1 : end] in {b'"', b"'"} and b"{" in data[start:end]:
            yield from _json_values(data, *_enclosing(data, end, start, stop))
        else:
            yield from _yaml_values(data, *_document(data, end, start, stop))


def _enclosing(data: bytes, end: int, start: int, stop: int) -> tuple[int, int]:
    """Reach from the previous object's kind to the next one's, so that neighbours stay whole."""
    before = data.rfind(b'"kind"', start, max(start, end - 12))
    after = data.find(b'"kind"', end, stop)
    return (before if before >= 0 else start), (after if after >= 0 else stop)


def _document(data: bytes, end: int, start: int, stop: int) -> tuple[int, int]:
    before = data.rfind(b"\n---", start, end)
    after = data.find(b"\n---", end, stop)
    return (before if before >= 0 else start), (after if after >= 0 else stop)


def _json_values(data: bytes, start: int, stop: int) -> Iterator[Taken]:
    for section in _MAP.finditer(data, start, stop):
        for value in _VALUE.finditer(data, *section.span(1)):
            yield (*value.span(1), MASK)


def _yaml_values(data: bytes, start: int, stop: int) -> Iterator[Taken]:
    for section in _SECTION.finditer(data, start, stop):
        for entry in _ENTRY.finditer(data, *section.span("body")):
            yield (*entry.span("value"), MASK)
