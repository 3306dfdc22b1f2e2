"""Finds the reader for a content by looking at its first bytes."""

import importlib
import itertools
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from tools import readers
from tools.dialect import Dialect
from tools.errors import ToolsError
from tools.evidence import Item
from tools.lines import clean, read_log
from tools.prefixes import is_labelled
from tools.quotations import is_loose
from tools.request import Request
from tools.source import Reader, Source
from tools.writers import writer_of

SNIFF_LINES = 60
SURE = 0.9
"""The score from which a reader knows its own format."""


@cache
def all_readers() -> tuple[Reader, ...]:
    """Load every module of `tools.readers` that offers a READER.

    Raises:
        ToolsError: two readers of one name.
    """
    return _unique([found for name in _modules() if (found := _offer(name, "READER"))])


@cache
def all_dialects() -> tuple[Dialect, ...]:
    """Load every module of `tools.readers` that offers a DIALECT, surest first.

    Raises:
        ToolsError: two dialects of one name.
    """
    found = [offer for name in _modules() if isinstance(offer := _offer(name, "DIALECT"), Dialect)]
    if len({dialect.name for dialect in found}) < len(found):
        names = sorted(dialect.name for dialect in found)
        raise ToolsError(f"two dialects of one name in tools/readers; rename one: {names}")
    return tuple(sorted(found, key=lambda dialect: -dialect.weight))


@cache
def collectors() -> tuple[Reader, ...]:
    """Load every module of `tools.readers` that offers a COLLECTOR: it cuts a text into parts."""
    return _unique([found for name in _modules() if (found := _offer(name, "COLLECTOR"))])


def _modules() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(readers.__path__))


def _offer(module: str, name: str) -> object:
    return getattr(importlib.import_module(f"tools.readers.{module}"), name, None)


def _unique(found: list[object]) -> tuple[Reader, ...]:
    named: dict[str, Reader] = {}
    for reader in found:
        name = getattr(reader, "name", "")
        if name in named:
            raise ToolsError(f"two readers are called {name!r}; rename one in tools/readers")
        named[name] = reader  # type: ignore[assignment]  # held to the protocol by tests
    return tuple(named.values())


@dataclass(frozen=True)
class LogReader:
    """Reads line logs whose own dialect is `dialect`; stray lines of others are dated too."""

    dialect: Dialect

    @property
    def name(self) -> str:
        """The dialect's name."""
        return self.dialect.name

    @property
    def source(self) -> str:
        """What evidence of this dialect is called."""
        return self.dialect.source

    def score(self, head: bytes, hint: str) -> float:  # noqa: ARG002  # the content decides
        """Tell how many of the first lines are of this dialect."""
        return self.dialect.share(sample_lines(head)) * self.dialect.weight

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read the log."""
        others = tuple(other for other in all_dialects() if other is not self.dialect)
        return read_log(source, request, (self.dialect, *others))


def sample_lines(head: bytes) -> list[str]:
    """Take the first whole lines that say something."""
    lines = clean(head).decode("utf-8", "replace").splitlines()
    if len(lines) > 1 and not head.endswith(b"\n"):
        lines.pop()
    return [line[:4096] for line in lines if line.strip()][:SNIFF_LINES]


def sniff(source: Source) -> Iterator[Reader]:
    """Yield the readers that may understand a content, the surest first; plain text comes last.

    A document is sure of itself, and no two readers are sure of one content: the first that is
    sure is asked to read before others are even consulted. A content that may be anything is first
    asked whether it is of several parts.
    """
    yield from _collectors(source)
    lately = source.known.readers
    asked = itertools.chain(lately, (each for each in all_readers() if each not in lately))
    scored: list[tuple[float, Reader]] = []
    for reader in asked:
        score = reader.score(source.head, source.name)
        if score >= SURE:
            source.known.prefer(reader)
            yield reader
            # It was damaged then: whoever else may understand it.
            scored = [(other.score(source.head, source.name), other) for other in all_readers()]
            yield from _likely(pair for pair in scored if pair[1] is not reader)
            break
        scored.append((score, reader))
    else:
        yield from _likely([*scored, *log_scores(source.head)])
    yield LogReader(text_dialect())


def _collectors(source: Source) -> Iterator[Reader]:
    """Yield who cuts a content into parts, where nothing is surer to know the whole of it."""
    told = source.writer or writer_of(source.capture, source.name)
    of_job = told.channel == "app" and told.fields.keys() == {"job"} and is_labelled(source.head)
    if not is_loose(source, told) and not of_job:
        return
    head, name = source.head, source.name
    for collector in collectors():
        score = collector.score(head, name)
        if score >= SURE and all(one.score(head, name) < score for one in all_readers()):
            yield collector


def _likely(scored: Iterable[tuple[float, Reader]]) -> list[Reader]:
    likely = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    return [reader for _, reader in likely]


def log_scores(head: bytes) -> list[tuple[float, Reader]]:
    """Score the line dialects; one must hold for a fifth of the lines to lead."""
    lines = sample_lines(head)
    scored: list[tuple[float, Reader]] = []
    for dialect in all_dialects():
        if any(score >= dialect.weight for score, _ in scored):
            break  # Neither this dialect nor the less sure ones behind it can lead.
        share = dialect.share(lines)
        if share >= 0.2:  # noqa: PLR2004  # below that the stamps are quotations
            scored.append((share * dialect.weight, LogReader(dialect)))
    return scored


def text_dialect() -> Dialect:
    """Find the dialect of plain text, which every content can be read as."""
    return next(dialect for dialect in all_dialects() if dialect.name == "text")
