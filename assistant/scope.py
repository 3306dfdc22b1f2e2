"""Narrows a timeline to what was asked: its window, and the nodes, pods and job that were named.

What lies outside the window is left out. What touches nothing that was named stays as context: it
is shown and no cause is sought in it. What the named things hang on together with others (a storage
server, a switch, the cluster) is kept, for a cause often lies there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import inf

from assistant.burst import UNKNOWN_ONSET_S
from assistant.diagnosis.result import Diagnosis, Missing
from assistant.event import Event, Timeline
from assistant.identity import normalise
from assistant.incident import Scope
from assistant.recognise import Recognised
from assistant.sentences import say
from assistant.topology import Key, Topology
from knowledge.bilingual import Bilingual
from knowledge.page import Page
from tools.evidence import Gap, Window

SOURCE = "scope"
"""Source of the gaps that say what was asked for and not found."""
WINDOW = "window"
LOOKBACK_S = 1800.0
_SHARED = frozenset({
    "cluster", "rack", "pdu", "switch", "switch_port", "subnet_manager", "filesystem", "volume",
    "storage_server", "control_plane", "webhook", "queue",
})  # fmt: skip
_WORK = frozenset({"pod", "container", "rank", "process", "job"})


def in_window(timeline: Timeline, asked: Window, pages: Mapping[str, Page]) -> Timeline:
    """Leave out what began after the window, and what was over before it and acts no more."""
    kept = tuple(event for event in timeline.events if _inside(event, asked, pages[event.page]))
    return timeline.model_copy(update={"events": kept})


def _inside(event: Event, asked: Window, page: Page) -> bool:
    if asked.until and event.start.utc > asked.until and event.before_s < UNKNOWN_ONSET_S:
        return False
    if not asked.since:
        return True
    since = asked.since.timestamp()
    if event.end is None and page.persists:
        return True
    acts = event.role in {"root", "change"}
    reach = max((link.delay.max_s for link in page.causes), default=0.0) if acts else 0.0
    open_still = event.end is None
    grace = max(reach, LOOKBACK_S if open_still or acts else 0.0)
    return event.last.utc.timestamp() + grace >= since


@dataclass(frozen=True)
class Asked:
    """The things that were named, under the identities the evidence gives them."""

    named: frozenset[Key]
    carriers: frozenset[Key] = frozenset()
    """Nodes that named work ran on: their faults are upstream, their other work is not."""

    def touches(self, event: Event) -> bool:
        """Tell whether an event is about a named thing or what carries it."""
        keys = keys_of(event)
        if keys & self.named:
            return True
        return event.entity.kind not in _WORK and bool(keys & self.carriers)


def focus(
    timeline: Timeline, scope: Scope, recognised: Recognised
) -> tuple[Timeline, tuple[Gap, ...]]:
    """Make context of all that touches nothing named; say which names nothing bears."""
    wanted = [*(_node(name) for name in scope.nodes), *(("pod", name) for name in scope.pods)]
    wanted += [("job", scope.job)] if scope.job else []
    if not wanted:
        return timeline, ()
    there = _things(timeline.events, recognised)
    found = {key: _spelled(key, there, recognised.topology) for key in wanted}
    gaps = tuple(_unseen(key) for key, spelled in found.items() if not spelled)
    named = [key for spelled in found.values() for key in spelled]
    asked = _complete(named, recognised.topology)
    events = _focused(timeline.events, asked, recognised.topology)
    return timeline.model_copy(update={"events": tuple(events)}), gaps


def outside(asked: Window, timeline: Timeline, recognised: Recognised) -> tuple[Gap, ...]:
    """Say so where nothing that was read speaks of the window asked for."""
    known = [one.window for one in recognised.evidence if one.window != Window()]
    if not known or asked == Window() or any(_overlap(one, asked) for one in known):
        return ()
    if any(asked.contains(event.last.utc) for event in timeline.events):
        return ()
    nearest = min(known, key=partial(_distance_s, asked))
    why = "no evidence covers it"
    return (Gap(source=SOURCE, target=WINDOW, why=why, state="not_visible", window=nearest),)


def with_unmet(diagnosis: Diagnosis, gaps: Iterable[Gap]) -> Diagnosis:
    """Say among what is missing which of the things asked for no evidence bears."""
    unmet = [gap for gap in gaps if gap.source == SOURCE]
    if not unmet:
        return diagnosis
    rows = tuple(Missing(what=tell(gap), why=say("scope-unmet-why")) for gap in unmet)
    return diagnosis.model_copy(
        update={"missing_information": (*rows, *diagnosis.missing_information)}
    )


def tell(gap: Gap) -> Bilingual:
    """Say which part of the question no evidence bears."""
    if gap.target != WINDOW:
        return say("scope-unseen", what=gap.target)
    since, until = gap.window.since, gap.window.until
    if since is None or until is None:
        return say("scope-window")
    return say("scope-window-nearest", since=_stamp(since), until=_stamp(until))


def _stamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%SZ}"


def _distance_s(asked: Window, one: Window) -> float:
    """Return how far a window lies beside the one asked for; where that is not known, the most."""
    before = (asked.since - one.until).total_seconds() if asked.since and one.until else -inf
    after = (one.since - asked.until).total_seconds() if asked.until and one.since else -inf
    return max(before, after) if max(before, after) > -inf else inf


def nothing_matches(scope: Scope, gaps: Iterable[Gap]) -> bool:
    """Tell whether nothing that was asked for occurs in the evidence."""
    missing = [gap.target for gap in gaps if gap.source == SOURCE]
    names = len(scope.nodes) + len(scope.pods) + bool(scope.job)
    return WINDOW in missing or (names > 0 and len(set(missing) - {WINDOW}) >= names)


def keys_of(event: Event) -> frozenset[Key]:
    """Return everything an event speaks of."""
    things = {(one.kind, one.id) for one in (*event.anchors, *event.peers)}
    things |= {(one.kind, one.id) for one in (event.entity, *event.members)}
    return frozenset(things)


def _overlap(one: Window, other: Window) -> bool:
    starts_late = one.since and other.until and one.since > other.until
    ends_early = one.until and other.since and one.until < other.since
    return not starts_late and not ends_early


def _unseen(key: Key) -> Gap:
    target = " ".join(key)
    why = f"no evidence names {target}"
    return Gap(source=SOURCE, target=target, why=why, state="not_visible")


def _things(events: Sequence[Event], recognised: Recognised) -> frozenset[Key]:
    """Return everything that any evidence names."""
    found = {key for event in events for key in keys_of(event)}
    found |= set(recognised.topology.edges)
    found |= {("node", name) for name in recognised.topology.nodes()}
    found |= {_node(span.host) for span in recognised.spans if span.host}
    found |= {seen.entity for seen in recognised.seen}
    found |= {_node(one.target) for one in recognised.evidence if one.target}
    return frozenset(found)


def _node(name: str) -> Key:
    """Return the identity of a host as somebody writes its name."""
    return "node", normalise("node", name) or name


def _spelled(key: Key, there: frozenset[Key], topology: Topology) -> list[Key]:
    """Return the identities that a name as typed stands for; a job may go without its prefix."""
    kind, name = key
    exact = (kind, topology.alias(kind, name))
    if exact in there or key in there or key in topology.aliases:
        return [exact]
    if kind != "job":
        return []
    ends = (f"/{name}", f"slurm:{name}")
    return sorted(one for one in there if one[0] == "job" and one[1].endswith(ends))


def _complete(named: Sequence[Key], topology: Topology) -> Asked:
    whole, carriers = set(named), set[Key]()
    for kind, name in named:
        near: set[Key] = set()
        if kind == "job":
            near = {(one.kind, one.id) for one in topology.members(name)}
        elif kind == "pod":
            near = {(one.kind, one.id) for one in topology.closure(kind, name)}
            near = {key for key in near if key[0] in {"node", "rank"}}
        carriers |= {key for key in near if key[0] == "node"}
        whole |= {key for key in near if key[0] != "node"}
    return Asked(frozenset(whole), frozenset(carriers))


def _focused(events: Sequence[Event], asked: Asked, topology: Topology) -> Iterable[Event]:
    touching = {event.id for event in events if asked.touches(event)}
    near = {key for e in events if e.id in touching for key in keys_of(e)}
    for kind, name in asked.named | asked.carriers:
        near |= {(one.kind, one.id) for one in topology.closure(kind, name)}
        near |= {(k, n) for k in _SHARED for n in topology.related(kind, name, k)}
    shared = {key for key in near if key[0] in _SHARED}
    own = {key for key in asked.named | asked.carriers if key[0] == "node"}
    for event in events:
        if event.id in touching or _upstream(event, shared, own):
            yield event
        else:
            yield event.model_copy(update={"role": "context"})


def _upstream(event: Event, shared: set[Key], own: set[Key]) -> bool:
    """Tell whether an event is of something shared, and of no single other node."""
    keys = keys_of(event)
    others = {key for key in keys if key[0] == "node"} - own
    if others or event.entity.kind in _WORK:
        return False
    return event.entity.kind == "cluster" or bool(keys & shared)
