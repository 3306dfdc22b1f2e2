"""`sacct`: how each job and step of Slurm ended, and on which hosts it ran."""

import re
from collections.abc import Iterator, Mapping

from tools.command_text import command_lines, host_of
from tools.evidence import Instant, Item, ObjectState, Reading
from tools.gpu_values import Value
from tools.host_lists import expand_hosts
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.request import Request
from tools.source import Source

_JOB = compile_late(r"\d+(?:_\d+|\+\d+)?")
_IDS = frozenset({"JobID", "JobIDRaw"})
_EXIT = compile_late(r"(\d+):(\d+)")
_NOWHERE = frozenset({"", "none assigned", "none", "(null)", "unknown"})
_NAMES = {
    "jobid": "job", "jobidraw": "job", "jobname": "name", "state": "state", "nodelist": "nodes",
    "start": "start", "end": "end", "elapsed": "elapsed", "partition": "partition",
    "user": "user", "reason": "reason", "exitcode": "exit", "derivedexitcode": "derived_exit",
    "alloctres": "resources", "submit": "submit",
}  # fmt: skip
_LONG = ("OUT_OF_MEMORY", "COMPLETING", "CONFIGURING", "REQUEUE_HOLD", "SIGNALING", "SPECIAL_EXIT")
"""States longer than the column that sacct gives them."""
Row = Mapping[str, str]


class SacctReader:
    """Yields a reading per job and step, and a place in the inventory per job and host."""

    name = "sacct"
    source = "host"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for the heading, in columns or between bars."""
        lines = head[:8192].decode("utf-8", "replace").splitlines()
        return 0.95 if any(map(is_heading, lines, [*lines[1:], ""])) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read each row."""
        yield from command_lines(source, request, "sacct")
        moment = source.capture.ended or source.capture.started
        observed = Instant(moment) if moment else None
        text = source.whole().decode("utf-8", "replace").replace("\r\n", "\n")
        host, lines = host_of(source), text.split("\n")
        for row, number in rows_of(text):
            values = values_of(row)
            said = dict.fromkeys(values, (number, masked(lines[number - 1].strip())))
            yield Reading(source.evidence, "slurm_job", host, values, observed, number, said)
            for host in _hosts(row):
                content: dict[str, object] = {"node": host, "job": row["job"]}
                yield ObjectState(
                    source.evidence, "Topology", "", host, "", content, observed, number
                )


def is_heading(line: str, following: str) -> bool:
    """Tell whether a line names a job's columns: between bars, or above a rule of dashes."""
    words = line.split("|") if "|" in line else line.split()
    ruled = "|" in line or (following.strip(" -") == "" and "--" in following)
    return ruled and "State" in words and not _IDS.isdisjoint(words)


def rows_of(text: str) -> Iterator[tuple[Row, int]]:
    """Yield each row by the heading's names, with its line."""
    lines = text.split("\n")
    names: list[str] = []
    cuts: list[tuple[int, int]] = []
    for number, line in enumerate(lines, 1):
        words = line.split("|") if "|" in line else line.split()
        if not _IDS.isdisjoint(words):
            names = [_NAMES.get(word.lower(), "") for word in words]
            rule = lines[number] if number < len(lines) else ""
            ruled = not rule.strip(" -\r")
            cuts = [match.span() for match in re.finditer("-+", rule)] if ruled else []
        elif names:
            cells = [line[a:b].strip() for a, b in cuts] if cuts else line.split("|")
            row = {name: cell.strip() for name, cell in zip(names, cells, strict=False) if name}
            if _JOB.match(row.get("job", "")) and row.get("state"):
                yield row, number


def values_of(row: Row) -> dict[str, Value]:
    """Type a row; a signal is told apart from an exit code."""
    values: dict[str, Value] = {
        name: text for name, text in row.items() if text and name not in {"exit", "derived_exit"}
    }
    values["state"] = _state(row["state"].partition(" ")[0])
    if exits := _EXIT.fullmatch(row.get("exit", "")):
        values["exit_code"], values["signal"] = int(exits.group(1)), int(exits.group(2))
    return values


def _state(text: str) -> str:
    """Complete a state that its column has cut."""
    cut = text.removesuffix("+")
    return next((state for state in _LONG if cut != text and state.startswith(cut)), cut)


def _hosts(row: Row) -> tuple[str, ...]:
    """Name the hosts of a whole job; a list that its column has cut names none for sure."""
    nodes = row.get("nodes", "")
    if nodes.lower() in _NOWHERE or nodes.endswith("+") or not _JOB.fullmatch(row["job"]):
        return ()
    return expand_hosts(nodes)


READER = SacctReader()
