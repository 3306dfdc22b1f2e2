"""What was and was not seen, from the ledger of captures, never from a model.

Coverage is per source, place and time. `Sight` answers the one question that diagnosis asks of it:
would this condition, had it been there, have been seen?
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from assistant.event import Anchor, Coverage, Event
from knowledge.page import Page, TextSignature
from tools.evidence import Evidence, Gap

Answer = Literal["yes", "partly", "no"]

CLUSTER_WIDE = frozenset({"event", "object", "metric", "alert", "device"})
"""Channels whose coverage does not depend on a host."""
JOIN_S = 900.0
"""Two stretches of one log closer than this are one: a quiet writer is not a missing log."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A span of time that one channel of one host was read over; epoch seconds."""

    channel: str
    host: str
    unit: str
    since: float
    until: float
    evidence: str


@dataclass(frozen=True)
class Sight:
    """An index of what was read: by channel and host, over which time."""

    stretches: Mapping[tuple[str, str], tuple[Stretch, ...]]
    hosts: Mapping[str, frozenset[str]]
    """Channel → hosts with any coverage."""
    queries: frozenset[str] = frozenset()
    """Names of metric queries that returned series."""
    kinds: frozenset[str] = frozenset()
    """Object and reading kinds that were read."""
    _cache: dict[tuple[str, str], tuple[Stretch, ...]] = field(default_factory=dict)

    def covering(self, channel: str, host: str, since: float, until: float) -> list[Stretch]:
        """Return stretches of a channel on a host (empty host: cluster-wide) that touch a span."""
        key = (channel, "" if channel in CLUSTER_WIDE else host)
        return [s for s in self.stretches.get(key, ()) if s.since <= until and s.until >= since]

    def covers(self, channel: str, host: str, since: float, until: float) -> Answer:
        """Tell whether a channel of a host was read over the whole span."""
        rows = self.covering(channel, host, since, until)
        if not rows:
            return "no"
        reached = since
        for row in sorted(rows, key=lambda s: s.since):
            if row.since > reached + JOIN_S:
                return "partly"
            reached = max(reached, row.until)
        return "yes" if reached + JOIN_S >= until else "partly"

    def would_show(
        self, page: Page, anchors: Iterable[Anchor], since: float, until: float
    ) -> Answer:
        """Tell whether a condition on any of these places would have been seen over a span."""
        hosts = sorted({a.id for a in anchors if a.kind == "node"})
        answers = [self._signature_seen(s, hosts, since, until) for s in page.signatures]
        if "yes" in answers:
            return "yes"
        return "partly" if "partly" in answers else "no"

    def _signature_seen(
        self, signature: object, hosts: Sequence[str], since: float, until: float
    ) -> Answer:
        if not isinstance(signature, TextSignature):
            name = getattr(signature, "query", "") or getattr(signature, "kind", "")
            return "yes" if name in self.queries or name in self.kinds else "no"
        if signature.yields != "event":
            return "no"
        channel = signature.source
        if channel in CLUSTER_WIDE:
            return self.covers(channel, "", since, until)
        answers = [self.covers(channel, host, since, until) for host in hosts]
        if not answers:
            return "yes" if self.hosts.get(channel) else "no"
        if all(a == "yes" for a in answers):
            return "yes"
        return "no" if all(a == "no" for a in answers) else "partly"


def build_sight(
    stretches: Iterable[Stretch], *, queries: Iterable[str] = (), kinds: Iterable[str] = ()
) -> Sight:
    """Index stretches of reading."""
    rows: dict[tuple[str, str], list[Stretch]] = defaultdict(list)
    hosts: dict[str, set[str]] = defaultdict(set)
    for row in stretches:
        key = (row.channel, "" if row.channel in CLUSTER_WIDE else row.host)
        rows[key].append(row)
        hosts[row.channel].add(row.host)
    return Sight(
        stretches={key: tuple(sorted(v, key=lambda s: s.since)) for key, v in rows.items()},
        hosts={channel: frozenset(names) for channel, names in hosts.items()},
        queries=frozenset(queries),
        kinds=frozenset(kinds),
    )


_OUTCOME_STATE: Mapping[str, Literal["hung", "not_checked", "normal"]] = {
    "hung": "hung",
    "denied": "not_checked",
    "absent": "not_checked",
    "failed": "not_checked",
}


def write_ledger(
    evidence: Sequence[Evidence], gaps: Sequence[Gap], events: Sequence[Event]
) -> tuple[Coverage, ...]:
    """Return the ledger: one line per source and target, the worst state first.

    A source is abnormal where an event that is neither benign nor chronic cites it; a capture that
    was read and shows nothing of the kind is normal for the time it covers, and for no other.
    """
    cited: dict[str, Event] = {}
    for event in events:
        if event.benign or event.chronic or event.role in {"benign", "context"}:
            continue
        for citation in event.citations:
            cited.setdefault(citation.evidence, event)
    rows = [_line(item, cited.get(item.id)) for item in evidence]
    rows += [_gap_line(gap) for gap in gaps]
    return _merged(rows)


def _line(item: Evidence, event: Event | None) -> Coverage:
    state: Literal["abnormal", "normal", "hung", "not_checked"]
    state = _OUTCOME_STATE.get(item.outcome, "abnormal" if event else "normal")
    return Coverage(
        source=item.source,
        target=item.target or item.path or item.command,
        state=state,
        why=item.detail or (event.text.splitlines()[0][:160] if event and event.text else ""),
        since=item.window.since,
        until=item.window.until,
        evidence=(item.id,),
    )


def _gap_line(gap: Gap) -> Coverage:
    return Coverage(
        source=gap.source,
        target=gap.target,
        state=gap.state,
        why=gap.why,
        since=gap.window.since,
        until=gap.window.until,
        evidence=(gap.evidence,) if gap.evidence else (),
    )


_ORDER = {"hung": 0, "abnormal": 1, "not_visible": 2, "not_checked": 3, "normal": 4}


def _merged(rows: Iterable[Coverage]) -> tuple[Coverage, ...]:
    groups: dict[tuple[str, str, str], list[Coverage]] = defaultdict(list)
    for row in rows:
        groups[row.source, row.target, row.state].append(row)
    merged = []
    for parts in groups.values():
        since = [p.since for p in parts if p.since]
        until = [p.until for p in parts if p.until]
        whys = list(dict.fromkeys(p.why for p in parts if p.why))
        merged.append(
            parts[0].model_copy(
                update={
                    "since": min(since, default=None),
                    "until": max(until, default=None),
                    "why": "; ".join(whys[:3]),
                    "evidence": tuple(e for p in parts for e in p.evidence),
                }
            )
        )
    return tuple(sorted(merged, key=lambda r: (_ORDER[r.state], r.source, r.target)))
