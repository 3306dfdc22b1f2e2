"""`sinfo`, by node or by partition: the state of each node, and in short why it is not used."""

from collections.abc import Callable, Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.gpu_values import Value
from tools.host_lists import expand_hosts
from tools.late_patterns import compile_late
from tools.readers import sinfo_reasons
from tools.readers.nvidia_smi import printed_at

_HEAD = compile_late(
    r"(?:NODELIST +NODES +PARTITION +STATE|PARTITION +AVAIL +TIMELIMIT .*\bSTATE +NODELIST)\b.*"
)
TOP = 3
"""Above the heading stand a blank line and the time at most."""
_STATE = compile_late(r"[a-z][a-z_+]*[*~#!%$@^-]?")
_SHORT = {"drng": "draining", "alloc": "allocated", "comp": "completing", "unk": "unknown"}
"""The short words that are not the beginning of the long ones, or that a page knows in full."""
_NO_REASON = frozenset({"", "none"})


def recognise(head: bytes) -> float:
    """Look for the heading at the top: below a log's lines it is but a table in it."""
    lines = head[:8192].decode("utf-8", "replace").split("\n", TOP)[:TOP]
    return 0.95 if any(map(is_heading, lines)) else 0.0


def is_heading(line: str) -> bool:
    """Tell whether a line names the columns."""
    return _HEAD.match(line) is not None


def rows_below(heading: str) -> Callable[[str], bool]:
    """Return how a row below a heading is known."""
    names = heading.split()
    return lambda line: bool(_row(names, line)) or sinfo_reasons.is_line(line)


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each node once, although it is listed with every partition that holds it.

    Where `sinfo -R` was put below, its reasons belong to the states above.
    """
    reasons = {typed.values["node"]: typed.values for typed in sinfo_reasons.parse(printed)}
    observed = printed_at(printed.text, printed.dating, printed.host)
    names: list[str] = []
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(printed.text.splitlines(), 1):
        if is_heading(line):
            names = line.split()
            continue
        if not (row := _row(names, line)):
            continue
        state, said = row["STATE"], _values(row)
        quotes = dict.fromkeys(said, (number, line.strip()))
        for node in expand_hosts(row["NODELIST"]):
            if (node, state) not in seen:
                seen.add((node, state))
                values: dict[str, Value] = {**reasons.get(node, {}), "host": node, "node": node}
                values |= said
                yield Typed("slurm_node", values, number, quotes, observed)


def _row(names: list[str], line: str) -> dict[str, str]:
    """Name the cells of a row; none where the line is no row."""
    cells = line.strip().split(None, len(names) - 1) if names else []
    row = dict(zip(names, cells, strict=False))
    return row if "NODELIST" in row and _STATE.fullmatch(row.get("STATE", "")) else {}


def _values(row: dict[str, str]) -> dict[str, Value]:
    state = row["STATE"]
    word = state.rstrip("*~#!%$@^-")
    said: dict[str, Value] = {"state": _SHORT.get(word, word) + state[len(word) :]}
    reason = row.get("REASON", "")
    return said if reason in _NO_REASON else {**said, "reason": reason}


READER = CommandReader("sinfo", recognise, parse)
