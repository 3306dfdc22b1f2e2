"""`squeue`: which jobs run on which nodes, and what the others wait for."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from tools.command_text import command_lines, host_of
from tools.evidence import Instant, Item, ObjectState, Reading
from tools.host_lists import expand_hosts
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.readers.nvidia_smi import printed_at
from tools.request import Request
from tools.source import Source
from tools.stamps import Dating

if TYPE_CHECKING:
    from tools.gpu_values import Value

_LISTED = (
    "JOBID PARTITION NAME USER ST STATE TIME TIME_LIMI TIME_LIMIT TIME_LEFT NODES CPUS PRIORITY"
    " NODELIST NODELIST(REASON) REASON START_TIME SUBMIT_TIME END_TIME SCHEDNODES ACCOUNT QOS"
    " GROUP MIN_MEMORY TRES_PER_NODE TRES_PER_N FEATURES DEPENDENCY COMMENT"
)
_COLUMNS = frozenset(_LISTED.split())
"""Headings of `squeue`, whichever of them were asked for."""
_STATE_NAMES = frozenset({"ST", "STATE"})
_NAMES = {
    "JOBID": "job", "PARTITION": "partition", "NAME": "name", "USER": "user", "ST": "state",
    "STATE": "state", "TIME": "elapsed", "START_TIME": "start", "NODELIST": "nodes",
    "REASON": "reason", "NODELIST(REASON)": "place",
}  # fmt: skip
_CELLS = {
    "JOBID": r"\d[\d_+\[\],%-]*", "NAME": r"\S.*?", "ST": "[A-Z]{1,3}", "STATE": "[A-Z_]+",
    "TIME": r"[\d:-]+|INVALID", "NODES": r"\d+[KM]?", "NODELIST(REASON)": r".*",
    "NODELIST": r"\S*", "REASON": r".*?",
}  # fmt: skip
_WORD, _GAP = r"\S+", r"\s+"
_STATES = {
    "BF": "BOOT_FAIL", "CA": "CANCELLED", "CD": "COMPLETED", "CF": "CONFIGURING",
    "CG": "COMPLETING", "DL": "DEADLINE", "F": "FAILED", "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY", "PD": "PENDING", "PR": "PREEMPTED", "R": "RUNNING",
    "RH": "REQUEUE_HOLD", "RQ": "REQUEUED", "RS": "RESIZING", "S": "SUSPENDED",
    "SE": "SPECIAL_EXIT", "SI": "SIGNALING", "SO": "STAGE_OUT", "ST": "STOPPED", "TO": "TIMEOUT",
}  # fmt: skip
MOST_AWAITED = 32
TOP = 3
"""Above the heading stand a blank line and the time at most."""
_CUT = 8
"""The column of a state in words is eight wide."""
_ARRAY = compile_late(r"(\d+)_\[.*")
_UNAVAILABLE = compile_late(r"Unavailable(?:Nodes)?:([^()\s]+)")
_NOTHING = frozenset({"", "(null)", "None", "N/A"})
Row = Mapping[str, str]


class SqueueReader:
    """Yields a reading per job (of one that waits for nodes, per node) and a place for each host.

    The places are where jobs run: they belong to the inventory.
    """

    name = "squeue"
    source = "host"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for the heading at the top: below a log's lines it is but a table in it."""
        lines = head[:8192].decode("utf-8", "replace").split("\n", TOP)[:TOP]
        return 0.95 if any(map(names_of, lines)) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read each row."""
        yield from command_lines(source, request, "squeue")
        text = source.whole().decode("utf-8", "replace").replace("\r\n", "\n")
        host, lines = host_of(source), text.split("\n")
        moment = source.capture.ended or source.capture.started
        dating = Dating(request, source.reference(request.now))
        observed = Instant(moment) if moment else printed_at(text, dating, host)
        for row, number in rows_of(lines):
            values = values_of(row)
            said = dict.fromkeys(values, (number, masked(lines[number - 1].strip())))
            for awaited in awaited_nodes(values.get("reason", "")):
                typed: dict[str, Value] = {"host": host, **values, **awaited}
                yield Reading(source.evidence, "slurm_job", host, typed, observed, number, said)
            for node in expand_hosts(values["nodes"]) if "nodes" in values else ():
                content: dict[str, object] = {"node": node, "job": values["job"]}
                yield ObjectState(
                    source.evidence, "Topology", "", node, "", content, observed, number
                )


def names_of(line: str) -> list[str]:
    """Return the columns of a heading; none where the line is no such heading."""
    names = line.strip().split("|") if "|" in line else line.split()
    headed = "JOBID" in names and not _STATE_NAMES.isdisjoint(names)
    return names if headed and _COLUMNS.issuperset(names) else []


def rows_of(lines: list[str]) -> Iterator[tuple[Row, int]]:
    """Yield each job's cells by the names of the heading above it, with its line."""
    names: list[str] = []
    form: re.Pattern[str] | None = None
    for number, line in enumerate(lines, 1):
        if found := names_of(line):
            names, form = found, None if "|" in line else _form(found)
        elif names:
            match = form.match(line) if form else None
            cells = match.groups() if match else () if form else line.split("|")
            if len(cells) == len(names):
                known = zip(names, cells, strict=True)
                yield {_NAMES[name]: cell.strip() for name, cell in known if name in _NAMES}, number


def rows_below(heading: str) -> Callable[[str], bool]:
    """Return how a row below a heading is known."""
    names = names_of(heading)
    if "|" in heading:
        return lambda line: line.count("|") == len(names) - 1
    form = _form(names)
    return lambda line: form.match(line) is not None


def _form(names: list[str]) -> re.Pattern[str]:
    """Describe a row: a job's name may hold blanks, so that each other cell is held to its kind."""
    cells = [f"({_CELLS.get(name, _WORD)})" for name in names]
    return re.compile(rf"\s*{_GAP.join(cells[:-1])}\s*{cells[-1]}\s*$")


def values_of(row: Row) -> dict[str, str]:
    """Type a row: of an array that waits, the array."""
    said = dict(row)
    place = said.pop("place", "")
    if place.startswith("("):
        said["reason"] = place.removeprefix("(").removesuffix(")")
    elif place:
        said["nodes"] = place
    said["state"] = _state(said.get("state", ""))
    if array := _ARRAY.match(said["job"]):
        said["job"] = array[1]
    return {name: text for name, text in said.items() if text not in _NOTHING}


def awaited_nodes(reason: str) -> list[dict[str, str]]:
    """Name one by one the nodes that a job waits for; a long list says where it could run."""
    match = _UNAVAILABLE.search(reason)
    nodes = expand_hosts(match[1]) if match else ()
    return [{"unavailable": node} for node in nodes] if 0 < len(nodes) <= MOST_AWAITED else [{}]


def _state(text: str) -> str:
    """Write a state in full, whether it was abbreviated or cut."""
    if text in _STATES:
        return _STATES[text]
    whole = (state for state in _STATES.values() if len(text) == _CUT and state.startswith(text))
    return next(whole, text)


READER = SqueueReader()
