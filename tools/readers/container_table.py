"""`docker ps` and `crictl ps`: containers as a table, with how they ended."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late
from tools.numerals import whole

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEAD = compile_late(
    rb"^CONTAINER(?: ID)? {2,}IMAGE {2,}(?:COMMAND {2,})?CREATED {2,}STAT(?:E|US) {2,}",
    re.MULTILINE,
)
_COLUMN = compile_late(r"\S+(?: \S+)*")
_ENDED = compile_late(r"Exited \((\d+)\)")
_NAMES = {
    "CONTAINER": "container_id", "CONTAINER ID": "container_id", "NAME": "name", "NAMES": "name",
    "ATTEMPT": "attempt", "POD": "pod", "NAMESPACE": "namespace", "IMAGE": "image",
}  # fmt: skip
_WIDEST = 4096


def recognise(head: bytes) -> float:
    """Look for either heading."""
    return 0.95 if _HEAD.search(head[:8192]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each row by where the heading's columns begin."""
    columns: list[tuple[str, int]] = []
    for number, line in enumerate(printed.text.splitlines(), 1):
        if line.startswith("CONTAINER") and "IMAGE" in line:
            columns = [(match.group(), match.start()) for match in _COLUMN.finditer(line)]
        elif columns and line.strip() and len(line) < _WIDEST:
            yield Typed("container", values_of(_cells(line, columns)), number)


def values_of(row: Mapping[str, str]) -> "dict[str, Value]":
    """Name a row's cells as an inspection does."""
    values: dict[str, Value] = {_NAMES[name]: text for name, text in row.items() if name in _NAMES}
    status = row.get("STATUS") or row.get("STATE") or ""
    values["state"] = {"up": "running", "created": "created"}.get(
        word := status.partition(" ")[0].lower(), word
    )
    if ended := _ENDED.match(status):
        values["exit_code"] = int(ended.group(1))
    attempt = values.get("attempt")
    if isinstance(attempt, str) and (number := whole(attempt)) is not None:
        values["attempt"] = number
    return {name: value for name, value in values.items() if value != ""}


def _cells(line: str, columns: list[tuple[str, int]]) -> dict[str, str]:
    ends = [start for _, start in columns[1:]]
    return {
        name: line[start:end].strip()
        for (name, start), end in zip(columns, [*ends, None], strict=True)
    }


READER = CommandReader("container-table", recognise, parse, source="containers")
