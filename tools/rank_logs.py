"""Finds the ranks of one job among log files that come without any context.

A launcher or a person writes one file per rank. Each tells its rank, and often its host; that they
are of one job is stated by NCCL's communicator id, else concluded from their names.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import NamedTuple

from tools.late_patterns import compile_late
from tools.prefixes import is_labelled
from tools.sniffing import log_scores
from tools.source import EvidenceFile, Writer
from tools.writers import writer_of

SEVERAL = 2
_PREFIX = compile_late(rb"^[^\n]{0,80}?\[(?:rank|default)(\d+)\]", re.MULTILINE)
_NCCL = compile_late(rb"^[^\n]{0,80}?\b([\w.-]+):\d+:\d+ \[\d+\] NCCL ", re.MULTILINE)
_COMMUNICATOR = compile_late(rb"\brank (\d+) nranks (\d+) [^\n]*?commId (0x[0-9a-f]+)")
_NAMED = compile_late(r"(?i)[-_.]?\brank[-_.]?(\d+)|[-_.]rank[-_.]?(\d+)")


class RankLog(NamedTuple):
    """What one file says of its writer; empty what it does not say."""

    rank: str
    host: str = ""
    communicator: str = ""
    ranks: int = 0


def rank_log_of(head: bytes, name: str) -> RankLog | None:
    """Read rank, host and communicator of a file that one rank wrote; None for all others."""
    largest = max(_COMMUNICATOR.findall(head), key=lambda found: int(found[1]), default=None)
    ranks = {found.decode() for found in _PREFIX.findall(head)}
    if largest and not ranks:
        ranks = {r.decode() for r, _, comm in _COMMUNICATOR.findall(head) if comm == largest[2]}
    hosts = {host.decode() for host in _NCCL.findall(head)}
    if not ranks and (named := _NAMED.search(PurePath(name).name)):
        ranks = {next(part for part in named.groups() if part)}
    if len(ranks) != 1:
        return None
    return RankLog(
        str(int(ranks.pop())),
        hosts.pop() if len(hosts) == 1 else "",
        largest[2].decode() if largest else "",
        int(largest[1]) if largest else 0,
    )


def rank_writers(files: Iterable[EvidenceFile]) -> dict[str, Writer]:
    """Name rank, host and job of each log that has fellows, and the job of one by many ranks."""
    files = [file for file in files if _is_loose(file)]
    logs = {file.name: log for file in files if (log := _read(file))}
    groups: dict[str, list[str]] = defaultdict(list)
    communicators = _by_stem(logs)
    for name, log in logs.items():
        groups[log.communicator or communicators.get(_stem(name), _stem(name))].append(name)
    found = {file.name: _shared(file.name) for file in files if _is_of_one_launch(file)}
    for key, names in groups.items():
        if len({logs[name].rank for name in names}) >= SEVERAL:
            job = _job_name(names, key)
            found |= {name: _writer(logs[name], job, stated=key in communicators.values())
                      for name in names}  # fmt: skip
    return found


def _is_loose(file: EvidenceFile) -> bool:
    if file.capture.command or file.capture.source not in {"", "file", "app"}:
        return False
    writer = writer_of(file.capture, file.name)
    return writer.channel in {None, "app"} and not {"pod", "job"} & writer.fields.keys()


def _read(file: EvidenceFile) -> RankLog | None:
    return rank_log_of(file.head, file.name)


def _is_of_one_launch(file: EvidenceFile) -> bool:
    """Tell whether one launcher wrote down what several ranks printed.

    A host's syslog holds what ranks of many jobs print, beside the kernel's own lines.
    """
    if len(set(_PREFIX.findall(file.head))) < SEVERAL and not is_labelled(file.head):
        return False
    best = max(log_scores(file.head), key=lambda scored: scored[0], default=None)
    return best is None or best[1].source == "file"


def _shared(name: str) -> Writer:
    return Writer("app", fields={"job": _job_name([name], name), "job_by": "name"})


def _by_stem(logs: Mapping[str, RankLog]) -> dict[str, str]:
    """Map names to the communicator of their like, where those have only one."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, log in logs.items():
        if log.communicator:
            found[_stem(name)].add(log.communicator)
    return {stem: ids.pop() for stem, ids in found.items() if len(ids) == 1}


def _stem(name: str) -> str:
    """Take the name without its rank and endings, below its folder."""
    path = PurePath(name.replace("!", "/"))
    own = _NAMED.sub("", path.name).partition(".")[0].strip("-_. ")
    return str(path.parent / own)


def _job_name(names: Iterable[str], key: str) -> str:
    stems = {PurePath(_stem(name)) for name in names}
    stem = stems.pop() if len(stems) == 1 else PurePath(key)
    return stem.name or "ranks"


def _writer(log: RankLog, job: str, *, stated: bool) -> Writer:
    fields = {"rank": log.rank, "job": job}
    return Writer("app", host=log.host, fields=fields | ({} if stated else {"job_by": "name"}))
