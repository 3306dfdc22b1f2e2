"""`scontrol show job`: on which hosts each job of Slurm runs."""

import re
from collections.abc import Iterator

from tools.command_text import command_lines
from tools.evidence import Instant, Item, ObjectState
from tools.host_lists import expand_hosts
from tools.request import Request
from tools.source import Source

_HEAD = re.compile(rb"^JobId=\d+ ", re.MULTILINE)
_JOB = re.compile(r"^JobId=(\d+) ", re.MULTILINE)
_NODES = re.compile(r"(?:^|\s)NodeList=(\S+)")
_NOBODY = frozenset({"(null)", "None"})


class ScontrolReader:
    """Yields one place in the inventory per host and job, and lines that a literal asks for."""

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
        for job, hosts in placed_jobs(source.whole().decode("utf-8", "replace")):
            for host in hosts:
                content: dict[str, object] = {"node": host, "job": job}
                yield ObjectState(source.evidence, "Topology", "", host, "", content, observed)


def placed_jobs(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each job's number with its hosts; one that waits has none."""
    _, *parts = _JOB.split(text)
    for job, rest in zip(parts[::2], parts[1::2], strict=True):
        named = _NODES.search(rest)
        if named and named.group(1) not in _NOBODY:
            yield job, expand_hosts(named.group(1))


READER = ScontrolReader()
