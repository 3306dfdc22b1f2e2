"""Takes secrets out of text at capture, before anything is stored, hashed or shown.

Text is scanned once by hyperscan for the triggers of all rules; only the lines where one fired
are looked at closely. What is taken is replaced by ``<masked>``; masking twice changes nothing.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import hyperscan
import re2

from tools.environments import ALLOWED, ENVIRONMENT_TRIGGERS, EnvironmentFinder
from tools.late_patterns import compile_late
from tools.secret_objects import OBJECT_TRIGGER, find_secret_objects
from tools.secret_prose import PROSE_RULES
from tools.secret_shapes import RULES, Found, Rule, Taken
from tools.secret_tables import TABLE_TRIGGER, find_table_secrets
from tools.secret_triggers import open_triggers

_LONG_LINE = 16_384
_BEFORE, _AFTER = 512, 8_192
"""How much of a line longer than `_LONG_LINE` is looked at around a trigger, in bytes."""


_TRIGGERS = (ENVIRONMENT_TRIGGERS, OBJECT_TRIGGER, TABLE_TRIGGER)
"""Of what is found by more than a pattern, in the order of the finders in `_take`."""
_ALL_RULES = (*RULES, *PROSE_RULES)
_WORD_END = compile_late(rb"[\s\"']")


class Match(Protocol):
    """What is used of an RE2 match."""

    def groups(self) -> tuple[bytes | None, ...]:
        """Give all groups' texts; None for one that took no part."""

    def span(self, index: int) -> tuple[int, int]:
        """Give where a group lies."""


class Pattern(Protocol):
    """What is used of an RE2 pattern."""

    groupindex: Mapping[bytes, int]

    def finditer(self, text: bytes) -> Iterator[Match]:
        """Give all matches in order."""


class Masker:
    """Masks text with the shipped rules and a list of environment names that may be seen.

    What is compiled is kept in the folder `cache`, where one is given.
    """

    def __init__(
        self, allowed_environment: Sequence[str] = ALLOWED, *, cache: Path | None = None
    ) -> None:
        self._patterns = tuple(_compile(rule) for rule in _ALL_RULES)
        self._environments = EnvironmentFinder(allowed_environment)
        triggers = list(dict.fromkeys(rule.trigger for rule in _ALL_RULES))
        self._rules = [
            [index for index, rule in enumerate(_ALL_RULES) if rule.trigger == trigger]
            for trigger in triggers
        ]
        self._database = open_triggers([*triggers, *_TRIGGERS], cache)
        self._local = threading.local()

    def mask_bytes(self, data: bytes) -> bytes:
        """Replace every secret in `data`."""
        hits = self._hits(data)
        if not hits:
            return data
        taken: list[Taken] = []
        for trigger, ends in hits.items():
            taken.extend(self._take(trigger, data, ends))
        return _replace(data, taken) if taken else data

    def mask_text(self, text: str) -> str:
        """Replace every secret in `text`."""
        data = text.encode("utf-8", "surrogatepass")
        masked = self.mask_bytes(data)
        return text if masked is data else masked.decode("utf-8", "surrogatepass")

    def _hits(self, data: bytes) -> dict[int, list[int]]:
        """Give the rules whose trigger fired, with the offsets of its ends in order."""
        hits: dict[int, list[int]] = {}

        def on_match(index: int, _start: int, end: int, _flags: int, _context: object) -> None:
            hits.setdefault(index, []).append(end)

        self._database.scan(data, match_event_handler=on_match, scratch=self._scratch())
        return hits

    def _scratch(self) -> hyperscan.Scratch:
        # One scratch space serves one scan at a time, so every thread has its own.
        if not hasattr(self._local, "scratch"):
            self._local.scratch = hyperscan.Scratch(self._database)
        scratch: hyperscan.Scratch = self._local.scratch
        return scratch

    def _take(self, trigger: int, data: bytes, ends: list[int]) -> Iterator[Taken]:
        if trigger < len(self._rules):
            for index in self._rules[trigger]:
                yield from self._apply(index, data, ends)
            return
        found = (self._environments.find, find_secret_objects, find_table_secrets)
        yield from found[trigger - len(self._rules)](data, ends)

    def _apply(self, index: int, data: bytes, ends: list[int]) -> Iterator[Taken]:
        rule, pattern = _ALL_RULES[index], self._patterns[index]
        passed = [end for end in sorted(set(ends)) if rule.gate(data, end)]
        for start, end in _regions(data, passed, rule.lines):
            for match in pattern.finditer(data[start:end]):
                if taken := rule.take(_found(pattern, match, start)):
                    yield taken


def _found(pattern: Pattern, match: Match, offset: int) -> Found:
    groups: dict[str, tuple[bytes, int, int]] = {}
    texts = match.groups()
    for name, index in pattern.groupindex.items():
        if (text := texts[index - 1]) is not None:
            start, end = match.span(index)
            groups[name.decode()] = (text, start + offset, end + offset)
    return Found(groups)


def _compile(rule: Rule) -> Pattern:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 64 << 20
    compiled: Pattern = re2.compile(rule.pattern, options)
    return compiled


def _regions(data: bytes, ends: list[int], lines: int) -> Iterator[tuple[int, int]]:
    """Give the stretches of text around triggers, merged, in order."""
    current: tuple[int, int] | None = None
    for end in ends:
        if current and lines == 1 and end <= current[1] and _covers(current, end):
            continue
        start, stop = _region(data, end, lines)
        if current and start <= current[1]:
            current = (current[0], max(stop, current[1]))
            continue
        if current:
            yield current
        current = (start, stop)
    if current:
        yield current


def _covers(region: tuple[int, int], end: int) -> bool:
    """Tell whether a further trigger inside a region needs no text beyond it."""
    return region[1] - end > _AFTER or region[1] - region[0] < _LONG_LINE


def _region(data: bytes, end: int, lines: int) -> tuple[int, int]:
    """Give the trigger's line (a window of it where it is long) and the lines that may follow."""
    start = data.rfind(b"\n", max(0, end - 1 - _LONG_LINE), end - 1) + 1
    if start == 0 and end > _LONG_LINE:
        start = end - _BEFORE
    stop = end - 1
    for _ in range(lines):
        newline = data.find(b"\n", stop + 1, stop + 1 + _LONG_LINE)
        if newline < 0:
            return start, _word_end(data, max(stop, end) + _AFTER)
        stop = newline
    return start, stop


def _word_end(data: bytes, offset: int) -> int:
    """Move on to where the word at `offset` ends, so that no secret is cut."""
    limit = min(len(data), offset + (1 << 20))
    end = _WORD_END.search(data, min(offset, len(data)), limit)
    return end.start() if end else limit


def _replace(data: bytes, taken: list[Taken]) -> bytes:
    """Put the masks in; where two rules took overlapping text, one mask covers both."""
    pieces: list[bytes] = []
    position = 0
    for start, end, mask in sorted(_united(taken)):
        pieces += (data[position:start], mask)
        position = end
    pieces.append(data[position:])
    return b"".join(pieces)


def _united(taken: list[Taken]) -> list[Taken]:
    united: list[Taken] = []
    for start, end, mask in sorted(taken):
        if united and start < united[-1][1]:
            first, last, kept = united[-1]
            united[-1] = (first, max(last, end), kept)
        else:
            united.append((start, end, mask))
    return united


_compiling = threading.Lock()
_shipped: list[Masker] = []
"""The one that everybody shares, once it was needed."""


def open_masker(cache: Path | None = None) -> Masker:
    """Return the masker of the shipped rules and names, compiled once; `cache` keeps it."""
    with _compiling:
        if not _shipped:
            _shipped.append(Masker(cache=cache))
        return _shipped[0]


def mask_bytes(data: bytes) -> bytes:
    """Replace every secret in `data`, with the shipped rules and names."""
    return open_masker().mask_bytes(data)


def mask_text(text: str) -> str:
    """Replace every secret in `text`, with the shipped rules and names."""
    return open_masker().mask_text(text)
