"""False roots with a valid edge to a real symptom: what a coincidence looks like in the logs."""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assistant.event import Event
from assistant.investigation import Investigation
from evals.model import KERNEL, Entry, Recording
from evals.truth import Truth
from knowledge.catalog import Catalog
from knowledge.page import Link, Page, TextSignature

NEAR_S = 90.0
"""A decoy stands at most this long before the symptom it seems to cause."""
PLACES = frozenset({"node", "gpu"})
"""Scopes that a line on the same host satisfies."""


@dataclass(frozen=True, slots=True)
class Decoy:
    """A line that may be injected."""

    page: str
    effect: str
    host: str
    entry: Entry


def find_candidates(
    catalog: Catalog, investigation: Investigation, recording: Recording, truth: Truth
) -> list[tuple[Page, Link, TextSignature, Event]]:
    """Find every root page that could explain a symptom of this case on that symptom's host."""
    spared = {*truth.where, *truth.accepted}
    for root in truth.roots:
        spared |= {root.page, *root.also}
    pages = [
        page for page in catalog.pages.values() if page.role == "root" and page.id not in spared
    ]
    events = [event for event in investigation.timeline.events if event.damage > 0]
    return [
        (page, link, signature, event)
        for page in sorted(pages, key=lambda page: page.id)
        for link in page.causes
        if link.scope in PLACES
        for signature in _lines(page)
        for event in events
        if event.page == link.effect and _host(event, recording)
    ]


def _lines(page: Page) -> Iterator[TextSignature]:
    """Yield the first signature of a line that a host's own journal can carry."""
    for signature in page.signatures:
        if not isinstance(signature, TextSignature) or signature.yields != "event":
            continue
        if signature.source == "kernel" or (signature.source == "service" and signature.unit):
            yield signature
            return


def _host(event: Event, recording: Recording) -> str:
    hosts = (anchor.id for anchor in event.anchors if anchor.kind == "node")
    return next((name for name in hosts if name in recording.hosts), "")


def draw(
    found: Iterable[tuple[Page, Link, TextSignature, Event]],
    recording: Recording,
    rng: random.Random,
    count: int,
) -> list[Decoy]:
    """Draw `count` decoys of different pages."""
    options = list(found)
    rng.shuffle(options)
    drawn: dict[str, Decoy] = {}
    for page, link, signature, event in options:
        if page.id not in drawn and len(drawn) < count:
            drawn[page.id] = _decoy(page, link, signature, event, recording=recording, rng=rng)
    return list(drawn.values())


def _decoy(
    page: Page,
    link: Link,
    signature: TextSignature,
    event: Event,
    *,
    recording: Recording,
    rng: random.Random,
) -> Decoy:
    host = _host(event, recording)
    least = link.delay.min_s + 1
    most = max(least + 1, min(link.delay.max_s, NEAR_S + least))
    at = event.start.utc.timestamp() - rng.uniform(least, most)
    unit = KERNEL if signature.source == "kernel" else re.split(r"[^\w-]", signature.unit)[0]
    text = rng.choice(signature.examples[:2])
    return Decoy(page.id, link.effect, host, Entry(at, unit, text, 3))


def inject(recording: Recording, decoys: Iterable[Decoy]) -> None:
    """Write the decoys into the journals; a kernel message has one entry a line."""
    for decoy in decoys:
        entry = decoy.entry
        for offset, line in enumerate(entry.text.splitlines()):
            recording.journal[decoy.host].append(
                Entry(entry.at + offset * 1e-5, entry.unit, line, entry.priority)
            )
