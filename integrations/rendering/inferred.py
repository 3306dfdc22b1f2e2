"""Causes that no evidence shows, as events: a chain that begins at one must be able to name it."""

from collections.abc import Mapping, Sequence

from assistant.diagnosis.result import ChainLink, Hypothesis
from assistant.event import Event
from assistant.investigation import Investigation
from tools.entity import Entity


def infer_events(investigation: Investigation) -> Mapping[str, Event]:
    """Return the inferred causes that the chain begins at, by the ids it gives them."""
    diagnosis = investigation.diagnosis
    if diagnosis is None:
        return {}
    seen = {event.id: event for event in investigation.timeline.events}
    hidden = {
        inferred_id(one.page, one.entity): one for one in diagnosis.hypotheses if not one.observed
    }
    found = {}
    for name, one in hidden.items():
        links = [link for link in diagnosis.chain if link.source == name and link.target in seen]
        if links:
            found[name] = _event(name, one, links, seen)
    return found


def inferred_id(page: str, entity: Entity) -> str:
    """Return the id of a cause that no evidence shows."""
    return f"inferred:{page}:{entity.id}"


def _event(
    name: str, one: Hypothesis, links: Sequence[ChainLink], seen: Mapping[str, Event]
) -> Event:
    """Date it by its first effect, before which it began."""
    first = min(links, key=lambda link: seen[link.target].start.utc)
    effect = seen[first.target]
    told = effect.start.zone != "unknown"  # a delay between clocks of unknown zones says nothing
    return Event(
        id=name,
        page=one.page,
        role="root",
        layer=one.layer,
        plane=one.plane,
        severity="error",
        entity=one.entity,
        start=effect.start,
        before_s=max(effect.before_s, first.delay_s if told else 0.0),
        last=effect.start,
    )
