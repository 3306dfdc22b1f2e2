"""Of all lines that are cited, those that decide: of the causes first, then along the chain."""

from collections.abc import Iterable, Mapping, Sequence

from assistant.diagnosis.result import Diagnosis
from assistant.event import Event
from assistant.investigation import Investigation
from integrations.rendering.excerpts import Excerpt
from knowledge.page import Page, TextSignature
from tools.evidence import Citation

_ORDER = ("critical", "error", "warning", "info")


def collect_deciding(
    investigation: Investigation, pages: Mapping[str, Page]
) -> Mapping[str, Excerpt]:
    """Return by capture what its events stand on, the most telling line first, one for each."""
    found: dict[str, list[Citation]] = {}
    for event in _by_weight(investigation):
        told: set[str] = set()
        for quote in event.citations:
            if quote.text and quote.evidence not in told:
                told.add(quote.evidence)
                found.setdefault(quote.evidence, []).append(_narrowed(quote, pages.get(event.page)))
    return {name: Excerpt(tuple(quotes)) for name, quotes in found.items()}


def _by_weight(investigation: Investigation) -> Sequence[Event]:
    events = {event.id: event for event in investigation.timeline.events}
    named = _named(investigation.diagnosis) if investigation.diagnosis else ()
    first = [events[name] for name in dict.fromkeys(named) if name in events]
    if not first:
        first = sorted(
            (e for e in events.values() if e.role not in {"benign", "context"} and not e.benign),
            key=lambda e: (_ORDER.index(e.severity), -e.damage, e.latest),
        )
        first += _unread(investigation)
    return first or list(events.values())


def _unread(investigation: Investigation) -> Iterable[Event]:
    told = frozenset(investigation.diagnosis.unread if investigation.diagnosis else ())
    return (event for event in investigation.timeline.unread if event.id in told)


def _named(diagnosis: Diagnosis) -> Iterable[str]:
    yield from (root.event for root in diagnosis.root_causes)
    yield from (link.target for link in diagnosis.chain)
    yield from (link.source for link in diagnosis.chain)


def _narrowed(quote: Citation, page: Page | None) -> Citation:
    """Of a message of several lines, keep the one that the page's signature is about."""
    literals = [s.literal for s in page.signatures if isinstance(s, TextSignature)] if page else []
    lines = quote.text.splitlines()
    telling = (n for n, line in enumerate(lines) if any(t and t in line for t in literals))
    place = next(telling, 0)
    line = quote.line + place if quote.line else 0
    return quote.model_copy(update={"text": lines[place] if lines else "", "line": line})
