"""A small world of conditions and events to reason over, written by hand."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from assistant.diagnosis.case import Case
from assistant.event import Anchor, Event, Setting, Timeline
from assistant.incident import Incident
from assistant.sight import Sight, Stretch, build_sight
from assistant.topology import Ties, Topology
from knowledge.page import Page
from tools.entity import Entity
from tools.evidence import Citation, Evidence, Gap, Instant, Window

T0 = datetime(2025, 6, 20, 2, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """Return a moment of the test's clock."""
    return T0 + timedelta(seconds=seconds)


def page(
    name: str, role: str = "root", *, effects: Sequence[Mapping[str, object]] = (), **more: object
) -> Page:
    """Build a page with just what the diagnosis reads."""
    words = {"en": name, "zh": "某状况"}
    defaults: dict[str, object] = {
        "id": name,
        "title": words,
        "summary": words,
        "layer": "system",
        "plane": "storage",
        "role": role,
        "entity": {"kind": "node"},
        "severity": "error",
        "priority": "P1",
        "causes": [
            {"scope": "node", "strength": "usually", "delay": {"max_s": 600}, **link}
            for link in effects
        ],
    }
    return Page.model_validate(defaults | more)


def kernel(name: str) -> dict[str, object]:
    """Return a kernel signature, so that coverage can speak of the page."""
    return {
        "id": "s",
        "source": "kernel",
        "literal": name,
        "regex": name,
        "entity": {"node": "{host}"},
        "examples": [name],
    }


def event(
    name: str,
    of: Page,
    start: float,
    *,
    node: str = "n1",
    anchors: Sequence[tuple[str, str]] = (),
    end: float | None = None,
    **more: object,
) -> Event:
    """Build an event of a page on a node."""
    places = [("node", node), *anchors] if node else list(anchors)
    kind, name_of = (
        (of.entity.kind, dict(places)[of.entity.kind])
        if of.entity.kind in dict(places)
        else places[0]
    )
    defaults: dict[str, object] = {
        "id": name,
        "page": of.id,
        "role": of.role,
        "layer": of.layer,
        "plane": of.plane,
        "severity": of.severity,
        "damage": of.damage,
        "entity": Entity.model_validate({"kind": kind, "id": name_of}),
        "anchors": tuple(Anchor(kind=k, id=i) for k, i in places),
        "start": Instant(at(start), 0.5),
        "last": Instant(at(end if end is not None else start), 0.5),
        "end": Instant(at(end), 0.5) if end is not None else None,
        "text": f"{of.id} on {node}",
        "channels": frozenset({"kernel"}),
        "clocks": frozenset({f"host:{node}"}),
        "citations": (Citation(evidence="E1", line=1, text=of.id),),
    }
    return Event.model_validate(defaults | more)


def watched(*nodes: str, since: float = -3600, until: float = 7200) -> Sight:
    """Return a sight whose kernel and system logs of these nodes cover the time."""
    return build_sight(
        Stretch(channel, node, "", at(since).timestamp(), at(until).timestamp(), f"E-{node}")
        for node in nodes
        for channel in ("kernel", "service")
    )


def case(
    pages: Sequence[Page],
    events: Sequence[Event],
    *,
    sight: Sight | None = None,
    ties: Ties | None = None,
    settings: Sequence[Setting] = (),
    incident: Incident | None = None,
    window: tuple[float, float] = (-600, 3600),
    evidence: Sequence[Evidence] = (),
    gaps: Sequence[Gap] = (),
) -> Case:
    """Assemble a case."""
    nodes = {a.id for e in events for a in e.anchors if a.kind == "node"}
    topology: Topology = (ties or Ties()).settle()
    return Case(
        timeline=Timeline(events=tuple(events), settings=tuple(settings)),
        pages={p.id: p for p in pages},
        topology=topology,
        sight=sight or watched(*nodes),
        incident=incident or Incident(),
        window=Window(since=at(window[0]), until=at(window[1])),
        evidence=evidence,
        gaps=gaps,
        now=at(window[1]),
    )
