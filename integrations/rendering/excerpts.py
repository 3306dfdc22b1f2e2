"""The lines of each capture that somebody cites, with their numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from assistant.investigation import Investigation
from tools.evidence import Citation


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The cited lines of one capture, in their order."""

    quotes: tuple[Citation, ...] = ()

    @property
    def text(self) -> str:
        """The cited lines, one under the other."""
        return "\n".join(quote.text for quote in self.quotes)

    @property
    def lines(self) -> str:
        """Their numbers as ranges, such as ``12,88-90``; empty where lines mean nothing."""
        numbered = (quote for quote in self.quotes if quote.line > 0)
        return _write_ranges(n for quote in numbered for n in _span(quote))


def collect_excerpts(investigation: Investigation) -> Mapping[str, Excerpt]:
    """Gather what events and settings cite, by evidence id."""
    timeline = investigation.timeline
    told = frozenset(investigation.diagnosis.unread if investigation.diagnosis else ())
    events = (*timeline.events, *(one for one in timeline.unread if one.id in told))
    found = [quote for event in events for quote in event.citations]
    found += [setting.citation for setting in timeline.settings]
    found.sort(key=_place)
    return {
        evidence: Excerpt(_without_repeats(quotes))
        for evidence, quotes in groupby(found, key=lambda quote: quote.evidence)
    }


def _place(quote: Citation) -> tuple[str, bool, int, str]:
    return (quote.evidence, quote.line == 0, quote.line, quote.text)


def _without_repeats(quotes: Iterable[Citation]) -> tuple[Citation, ...]:
    seen: dict[tuple[int, str], Citation] = {}
    for quote in quotes:
        seen.setdefault((quote.line, quote.text), quote)
    return tuple(quote for quote in seen.values() if quote.text)


def _span(quote: Citation) -> range:
    return range(quote.line, quote.line + quote.text.rstrip("\n").count("\n") + 1)


def _write_ranges(numbers: Iterable[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{a}-{b}" if b > a else str(a) for a, b in runs)
