"""`scontrol show node`: each node's state in Slurm, and in full why it is not used."""

import re
from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.gpu_values import Value
from tools.late_patterns import compile_late

_HEAD = compile_late(r"^NodeName=(\S+)", re.MULTILINE)
_FIELDS = {
    "state": compile_late(r"(?:^|\s)State=(\S+)"),
    "version": compile_late(r"(?:^|\s)Version=(\S+)"),
    "resources": compile_late(r"(?:^|\s)Gres=(\S+)"),
    "booted": compile_late(r"(?:^|\s)BootTime=(\d\S+)"),
}
_REASON = compile_late(r"^ *Reason=(.*?)(?: \[([^\[\]@]+)@([\dT:.+-]+)\])?$", re.MULTILINE)
_NOTHING = "(null)"
_MOMENTS = ("since", "booted")


def recognise(head: bytes) -> float:
    """Look for a node's first line and its state."""
    text = head[:8192].decode("utf-8", "replace")
    return 0.95 if _HEAD.search(text) and " State=" in text and "CfgTRES=" in text else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each node; its state's parts stay joined by plus signs, as Slurm writes them."""
    heads = list(_HEAD.finditer(printed.text))
    ends = [head.start() for head in heads[1:]] + [len(printed.text)]
    number, counted = 1, 0
    for head, end in zip(heads, ends, strict=True):
        number += printed.text.count("\n", counted, head.start())
        counted = head.start()
        block = printed.text[head.start() : end]
        values = _values(block)
        for name in _MOMENTS:
            _date(values, name, printed)
        named: dict[str, Value] = {"host": head[1], "node": head[1]}
        yield Typed("slurm_node", {**named, **values}, number, _quotes(block, number))


def _values(text: str) -> dict[str, Value]:
    found = {name: pattern.search(text) for name, pattern in _FIELDS.items()}
    values: dict[str, Value] = {
        name: match[1] for name, match in found.items() if match and match[1] != _NOTHING
    }
    if reason := _REASON.search(text):
        said = {"reason": reason[1], "user": reason[2], "since": reason[3]}
        values |= {name: part for name, part in said.items() if part}
    return values


def _quotes(block: str, start: int) -> dict[str, tuple[int, str]]:
    """Find the lines that hold what a node's state and its reason are read from."""
    found = {"state": _FIELDS["state"].search(block), "reason": _REASON.search(block)}
    at = {name: block.count("\n", 0, match.end()) for name, match in found.items() if match}
    lines = block.split("\n")
    return {name: (start + row, lines[row].strip()) for name, row in at.items()}


def _date(values: dict[str, Value], name: str, printed: Printed) -> None:
    """Write a moment in UTC; one whose zone is not known is kept as it is written."""
    at = printed.dating.iso(str(values.get(name, "")))
    if at and at.zone != "unknown":
        values[name] = at.utc.isoformat()


READER = CommandReader("scontrol-node", recognise, parse)
