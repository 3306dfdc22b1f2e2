"""What speaks against a hypothesis: expected effects that are absent, conditions that refute it."""

from collections.abc import Iterable, Mapping

from assistant.diagnosis.graph import Graph, anchor_kind, shares
from assistant.diagnosis.guards import Settings, guard_holds
from assistant.event import Event
from assistant.sight import Sight
from knowledge.page import Link, Page

ONSET_MARGIN_S = 120.0


def missing_effects(
    cause: Event, graph: Graph, pages: Mapping[str, Page], sight: Sight, settings: Settings
) -> list[Link]:
    """Return expected links whose effect did not show although it would have been seen.

    An effect is expected only where something used the entity then (`expected_if`), where the
    cause was strong enough, and where a source that shows it covers the whole delay. What was there
    already, by another way than this link allows, is not absent.
    """
    follows = {graph.events[edge.effect].page for edge in graph.out.get(cause.id, ())}
    expected = {link.effect: anchor_kind(link.scope) for link in pages[cause.page].causes}
    follows |= {
        event.page
        for event in (graph.events.values() if _expects(pages[cause.page]) else ())
        if event.page in expected and _is_there(event, cause, expected[event.page])
    }
    return [
        link
        for link in pages[cause.page].causes
        if link.expected
        and link.effect not in follows
        and _applies(link, cause, settings)
        and _watched(link, cause, pages, sight)
    ]


def _expects(page: Page) -> bool:
    return any(link.expected for link in page.causes)


def _is_there(event: Event, cause: Event, kind: str) -> bool:
    """Tell whether a condition held on what the cause has in scope, when or after that began."""
    return event.finish >= cause.earliest and shares(event.anchors, cause.anchors, kind)


def _applies(link: Link, cause: Event, settings: Settings) -> bool:
    if link.expected_if and not any(a.kind == link.expected_if for a in cause.anchors):
        return False
    return guard_holds(link.guard, cause, settings, cause) == "yes"


def _watched(link: Link, cause: Event, pages: Mapping[str, Page], sight: Sight) -> bool:
    effect = pages.get(link.effect)
    if effect is None:
        return False
    kind = anchor_kind(link.scope)
    places = [a for a in cause.anchors if a.kind in {"node", kind}]
    since = cause.latest + link.delay.min_s
    until = since + min(link.delay.max_s, 3600.0)
    return sight.would_show(effect, places, since, until) == "yes"


def contradicting_events(
    cause: Event, events: Iterable[Event], pages: Mapping[str, Page]
) -> list[Event]:
    """Return events that refute a cause: seen in its scope around its onset."""
    rules = pages[cause.page].refuted_by
    if not rules:
        return []
    by_condition = {rule.condition: rule for rule in rules}
    found = []
    for event in events:
        rule = by_condition.get(event.page)
        if rule is None or event.live:
            continue
        near = (
            event.earliest - ONSET_MARGIN_S
            <= cause.latest
            <= min(event.finish, event.last.utc.timestamp()) + ONSET_MARGIN_S
        )
        if near and shares(cause.anchors, event.anchors, anchor_kind(rule.scope)):
            found.append(event)
    return found
