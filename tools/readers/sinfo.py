"""`sinfo`, by node or by partition: the state of each node, and in short why it is not used."""

import re
from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.gpu_values import Value
from tools.host_lists import expand_hosts
from tools.readers.nvidia_smi import printed_at

_HEAD = re.compile(
    r"^(?:NODELIST +NODES +PARTITION +STATE|PARTITION +AVAIL +TIMELIMIT .*\bSTATE +NODELIST)\b.*$",
    re.MULTILINE,
)
_STATE = re.compile(r"[a-z][a-z_+]*[*~#!%$@^-]?")
_SHORT = {"drng": "draining", "alloc": "allocated", "comp": "completing", "unk": "unknown"}
"""The short words that are not the beginning of the long ones, or that a page knows in full."""
_NO_REASON = frozenset({"", "none"})


def recognise(head: bytes) -> float:
    """Look for the heading."""
    return 0.95 if _HEAD.search(head[:8192].decode("utf-8", "replace")) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each node once, although it is listed with every partition that holds it."""
    observed = printed_at(printed.text, printed.dating, printed.host)
    names: list[str] = []
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(printed.text.splitlines(), 1):
        if _HEAD.match(line):
            names = line.split()
            continue
        cells = line.strip().split(None, len(names) - 1) if names else []
        row = dict(zip(names, cells, strict=False))
        state = row.get("STATE", "")
        if "NODELIST" not in row or not _STATE.fullmatch(state):
            continue
        said = _values(row, state)
        quotes = dict.fromkeys(said, (number, line.strip()))
        for node in expand_hosts(row["NODELIST"]):
            if (node, state) not in seen:
                seen.add((node, state))
                values: dict[str, Value] = {"host": node, "node": node, **said}
                yield Typed("slurm_node", values, number, quotes, observed)


def _values(row: dict[str, str], state: str) -> dict[str, Value]:
    word = state.rstrip("*~#!%$@^-")
    said: dict[str, Value] = {"state": _SHORT.get(word, word) + state[len(word) :]}
    reason = row.get("REASON", "")
    return said if reason in _NO_REASON else {**said, "reason": reason}


READER = CommandReader("sinfo", recognise, parse)
