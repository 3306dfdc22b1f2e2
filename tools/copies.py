"""Finds contents that were given more than once: a file and its packed copy, a path named twice.

Read twice, one fault would be felt on two nodes.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import TypeVar

from tools.rank_logs import rank_log_of
from tools.sniffing import log_scores
from tools.source import EvidenceFile
from tools.unpacking import Content
from tools.writers import writer_of

PIECE = 1 << 20


File = TypeVar("File", bound=EvidenceFile)


def without_copies(files: Sequence[File]) -> tuple[list[File], dict[str, list[str]]]:
    """Keep one of each content; return the kept, and by its name what the others were called.

    Files of one content that are said to be of different writers or commands are no copies.
    """
    dropped: dict[int, int] = {}
    for group in _alike(files):
        first: dict[bytes, int] = {}
        for number in group:
            # What is damaged is no copy of anything.
            digest = _digest(files[number].path) or str(number).encode()
            if first.setdefault(digest, number) != number:
                dropped[number] = first[digest]
    told: dict[str, list[str]] = defaultdict(list)
    for number, kept in dropped.items():
        told[files[kept].name].append(files[number].name)
    return [file for number, file in enumerate(files) if number not in dropped], dict(told)


def _alike(files: Sequence[EvidenceFile]) -> Iterator[list[int]]:
    """Group files that begin alike and of which nothing else tells them apart."""
    heads: dict[bytes, list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        if file.head or file.capture.started:
            heads[file.head].append(number)
    for numbers in (numbers for numbers in heads.values() if len(numbers) > 1):
        said: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for number in numbers:
            said[_said_of(files[number])].append(number)
        yield from (group for group in said.values() if len(group) > 1)


def _said_of(file: EvidenceFile) -> tuple[object, ...]:
    """Return what tells two contents apart though their bytes are the same."""
    capture, writer = file.capture, writer_of(file.capture, file.name)
    fields = tuple(sorted(writer.fields.items()))
    rank = rank_log_of(file.head, file.name)
    said = (capture.source, capture.target, capture.command, capture.started)
    return (*said, writer.channel, writer.host, writer.unit, fields, rank, _folder(file))


def _folder(file: EvidenceFile) -> str:
    """Return the folder of what may be alike by chance: one file of a kind for each node.

    A log has its times, which no other log has; the mounts of two nodes are often the same.
    """
    told = file.capture.command or log_scores(file.head)
    return "" if told else str(PurePath(file.place).parent)


def _digest(path: Path) -> bytes:
    """Compute the SHA-256 of the decompressed content; empty where it is damaged."""
    digest = hashlib.sha256()
    try:
        with Content(path) as content:
            while piece := content.read(PIECE):
                digest.update(piece)
            return b"" if content.damage else digest.digest()
    except OSError:
        return b""
