"""`scontrol show job`: how each job of Slurm is, what it waits for, and on which hosts it runs."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from tools.command_text import command_lines, host_of
from tools.evidence import Instant, Item, ObjectState, Reading
from tools.host_lists import expand_hosts
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.readers.squeue import awaited_nodes
from tools.request import Request
from tools.source import Source
from tools.stamps import Dating

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEAD = compile_late(rb"^JobId=\d+ ", re.MULTILINE)
_JOB = compile_late(r"^JobId=(\d+) ", re.MULTILINE)
_NODES = compile_late(r"(?:^|\s)NodeList=(\S+)")
_FIELDS = {
    "name": compile_late(r" JobName=(.*)$", re.MULTILINE),
    "state": compile_late(r"\bJobState=(\S+)"),
    "reason": compile_late(r"\bReason=(\S+)"),
    "exit": compile_late(r"\bExitCode=(\d+:\d+)"),
    "end": compile_late(r"\bEndTime=(\d\S+)"),
    "partition": compile_late(r"^ +Partition=(\S+)", re.MULTILINE),
    "nodes": compile_late(r"^ +NodeList=(\S+)", re.MULTILINE),
}
_UNFINISHED = frozenset(
    {"PENDING", "RUNNING", "CONFIGURING", "SUSPENDED", "COMPLETING", "RESIZING"}
)
_NOBODY = frozenset({"(null)", "None"})


class ScontrolReader:
    """Yields a reading per job, and one place in the inventory per host and job."""

    name = "scontrol"
    source = "host"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for a job's first line and its nodes."""
        return 0.95 if _HEAD.search(head[:8192]) and b"NodeList=" in head else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read each job."""
        yield from command_lines(source, request, "scontrol")
        moment = source.capture.ended or source.capture.started
        observed = Instant(moment) if moment else None
        text = source.whole().decode("utf-8", "replace").replace("\r\n", "\n")
        host, dating = host_of(source), Dating(request, source.reference(request.now))
        for number, block in _blocks(text):
            values = values_of(block, dating)
            said = {name: (number + line, masked(words)) for name, (line, words) in _said(block)}
            for awaited in awaited_nodes(str(values.get("reason", ""))):
                typed: dict[str, Value] = {"host": host, **values, **awaited}
                yield Reading(source.evidence, "slurm_job", host, typed, observed, number, said)
        for job, hosts in placed_jobs(text):
            for host in hosts:
                content: dict[str, object] = {"node": host, "job": job}
                yield ObjectState(source.evidence, "Topology", "", host, "", content, observed)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Cut out each job, with its first line."""
    heads = [head.start() for head in _JOB.finditer(text)]
    for begin, end in pairwise([*heads, len(text)]):
        yield text.count("\n", 0, begin) + 1, text[begin:end]


def values_of(block: str, dating: Dating) -> dict[str, "Value"]:
    """Type a job; words that Slurm joins by underscores are taken apart."""
    found = {name: match[1] for name, form in _FIELDS.items() if (match := form.search(block))}
    values: dict[str, Value] = {
        name: text for name, text in found.items() if text not in _NOBODY and name != "exit"
    }
    values["job"] = block[len("JobId=") :].split(None, 1)[0]
    if reason := values.get("reason"):
        values["reason"] = str(reason).replace("_", " ")
    if values.get("state") in _UNFINISHED:
        values.pop("end", None)
    else:
        code, _, signal = found.get("exit", "0:0").partition(":")
        values |= {"exit_code": int(code), "signal": int(signal)}
    at = dating.iso(str(values.get("end", "")))
    if at and at.zone != "unknown":
        values["end"] = at.utc.isoformat()
    return values


def _said(block: str) -> Iterator[tuple[str, tuple[int, str]]]:
    """Find the line of each value, counted from the job's first."""
    lines = block.split("\n")
    for name, form in _FIELDS.items():
        if match := form.search(block):
            line = block.count("\n", 0, match.end())
            yield name, (line, lines[line].strip())


def placed_jobs(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each job's number with its hosts; one that waits has none."""
    _, *parts = _JOB.split(text)
    for job, rest in zip(parts[::2], parts[1::2], strict=True):
        named = _NODES.search(rest)
        if named and named.group(1) not in _NOBODY:
            yield job, expand_hosts(named.group(1))


READER = ScontrolReader()
