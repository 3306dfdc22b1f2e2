"""Whether a condition, had it been there, would have been seen.

What was read is kept per channel, place and time; the diagnosis asks it before it takes silence for
absence.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from assistant.event import Anchor, Event
from assistant.ledger import Seen, Spanned
from assistant.topology import Topology
from knowledge.page import MetricSignature, Page, Signature, StateSignature
from tools.evidence import UNKNOWN_ZONE_S, Evidence

Answer = Literal["yes", "partly", "no"]

CLUSTER_WIDE = frozenset({"event", "alert", "device"})
"""Channels whose coverage does not depend on a host."""
LOGS = frozenset({"kernel", "service", "app", "text"})
"""Channels of logs that go on for as long as something runs."""
EXCERPT_S = 60.0
"""A log that begins no earlier than this before a fault was cut out around it."""
JOIN_S = 900.0
"""Two stretches of one log closer than this are one: a quiet writer is not a missing log."""
FEW_LINES = 20
"""An own file with fewer lines for each of its hosts is what somebody chose, not a log."""
LEAD_S = 120.0
"""A log that begins later than this after a moment does not cover it: what was before is gone."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A span of time that one channel of one host was read over; epoch seconds."""

    channel: str
    host: str
    unit: str
    since: float
    until: float
    evidence: str
    excerpt: bool = False
    """Lines that somebody chose, or too far apart to be all that there was."""


@dataclass(frozen=True)
class Sight:
    """An index of what was read: by channel and host, over which time."""

    stretches: Mapping[tuple[str, str], tuple[Stretch, ...]]
    hosts: Mapping[str, frozenset[str]]
    """Channel → hosts with any coverage."""
    lost: Mapping[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    """By channel and host, when lines are known to have been lost."""

    @cached_property
    def logs_end(self) -> float:
        """The last moment of which any log of a host or a workload speaks; minus infinity: none."""
        ends = (
            row.until
            for (channel, _), rows in self.stretches.items()
            if channel in LOGS
            for row in rows
        )
        return max(ends, default=float("-inf"))

    def covering(self, channel: str, host: str, since: float, until: float) -> list[Stretch]:
        """Return stretches of a channel on a host (empty host: cluster-wide) that touch a span."""
        key = (channel, "" if channel in CLUSTER_WIDE else host)
        return [s for s in self.stretches.get(key, ()) if s.since <= until and s.until >= since]

    def covers(self, channel: str, host: str, since: float, until: float) -> Answer:
        """Tell whether a channel of a host was read over the whole span."""
        if not self.covering(channel, host, since, until):
            return "no"
        rows = self.covering(channel, host, since - JOIN_S, until)
        return self._covered(rows, channel, host, (since, until))

    def _covered(
        self, stretches: Iterable[Stretch], channel: str, host: str, span: tuple[float, float]
    ) -> Answer:
        since, until = span
        rows = sorted(stretches, key=lambda row: row.since)
        if not rows or rows[0].since > since + LEAD_S:
            return "partly"
        lost = self.lost.get((channel, host), ())
        if any(since - JOIN_S <= moment <= until for moment in lost):
            return "partly"
        reached = since
        for row in rows:
            if row.since > reached + JOIN_S:
                return "partly"
            reached = max(reached, row.until)
        return "yes" if reached + JOIN_S >= until else "partly"

    def clears(self, channel: str, host: str, since: float, until: float) -> bool:
        """Tell whether silence over a span means that nothing was there.

        Lines that begin with the fault are an excerpt: somebody chose them.
        """
        rows = self.covering(channel, host, since, until)
        before = any(row.since <= since - EXCERPT_S and not row.excerpt for row in rows)
        return before and self.is_gapless(channel, host, since, until)

    def is_gapless(self, channel: str, host: str, since: float, until: float) -> bool:
        """Tell whether whole logs of a channel of a host were read over a span."""
        rows = (
            row for row in self.covering(channel, host, since - JOIN_S, until) if not row.excerpt
        )
        return self._covered(rows, channel, host, (since, until)) == "yes"

    def would_show(
        self, page: Page, anchors: Iterable[Anchor], since: float, until: float
    ) -> Answer:
        """Tell whether a condition on all of these places would have been seen over a span."""
        hosts = sorted({a.id for a in anchors if a.kind == "node"})
        answers = {
            self._shows(signature, hosts, since, until)
            for signature in page.signatures
            if _shows_onset(signature, page)
        }
        if "yes" in answers:
            return "yes"
        return "partly" if "partly" in answers else "no"

    def _shows(
        self, signature: Signature, hosts: Sequence[str], since: float, until: float
    ) -> Answer:
        channel = channel_of(signature)
        if channel in CLUSTER_WIDE:
            return self.covers(channel, "", since, until)
        if not hosts:
            return "yes" if self.hosts.get(channel) else "no"
        if isinstance(signature, StateSignature):
            return _together("yes" if self._looked(channel, h, since) else "no" for h in hosts)
        return _together(self.covers(channel, host, since, until) for host in hosts)

    def _looked(self, channel: str, host: str, since: float) -> bool:
        """Tell whether a lasting state was read at some moment after it began."""
        return any(row.until >= since for row in self.stretches.get((channel, host), ()))


def _shows_onset(signature: Signature, page: Page) -> bool:
    """A snapshot shows a condition only where that lasts; a setting shows none."""
    if isinstance(signature, StateSignature):
        return page.persists
    return isinstance(signature, MetricSignature) or signature.yields == "event"


def _together(answers: Iterable[Answer]) -> Answer:
    distinct = set(answers)
    if distinct <= {"yes"}:
        return "yes"
    return "no" if distinct == {"no"} else "partly"


def channel_of(signature: Signature) -> str:
    """Return the ledger's channel for a signature: states and queries by their own names."""
    if isinstance(signature, MetricSignature):
        return f"metric:{signature.query}"
    if isinstance(signature, StateSignature):
        return f"{signature.source}:{signature.kind}"
    return signature.source


def find_lost(
    events: Iterable[Event], pages: Mapping[str, Page]
) -> Mapping[tuple[str, str], tuple[float, ...]]:
    """Return when lines of a host's channel were lost, as far as the host itself says so."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for event in events:
        ends = (event.start.utc.timestamp(), event.last.utc.timestamp())
        for channel in pages[event.page].hides:
            for host in (anchor.id for anchor in event.anchors if anchor.kind == "node"):
                found[channel, host] += ends
    return {key: tuple(moments) for key, moments in found.items()}


def build_sight(
    stretches: Iterable[Stretch], lost: Mapping[tuple[str, str], tuple[float, ...]] | None = None
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
        lost=lost or {},
    )


def read_stretches(
    spans: Iterable[Spanned],
    seen: Iterable[Seen],
    evidence: Iterable[Evidence],
    topology: Topology,
) -> list[Stretch]:
    """Return what was read, from the ledger: logs by their stamps, states by their capture."""
    files = {item.id: item for item in evidence}
    return [
        *_of_logs(spans, files, topology),
        *(row for look in seen for row in _of_state(look, topology)),
    ]


def _of_logs(
    spans: Iterable[Spanned], files: Mapping[str, Evidence], topology: Topology
) -> Iterable[Stretch]:
    """Return the time each writer's log was read over.

    A capture that carries several writers of a host in one order of time (a journal, a syslog)
    covers each of them over all of its time: who was silent in it had nothing to say.
    """
    rows = [span for span in spans if _placed(span)]
    chosen = _excerpts(rows, files)
    whole: dict[tuple[str, str], list[float]] = defaultdict(list)
    for span in rows:
        whole[span.evidence, span.host] += _ends(span)
    for span in rows:
        times = whole[span.evidence, span.host] if span.host else _ends(span)
        until = max(times)
        if span.channel in CLUSTER_WIDE:
            item = files.get(span.evidence)
            captured = item.observed_at if item else None
            until = max(until, captured.timestamp() if captured else until)
        host = topology.alias("node", span.host) if span.host else ""
        excerpt = span.evidence in chosen
        yield Stretch(span.channel, host, span.unit, min(times), until, span.evidence, excerpt)


def _excerpts(spans: Iterable[Spanned], files: Mapping[str, Evidence]) -> frozenset[str]:
    """Return the captures that are no whole logs: cut off, too short, or with lines too far apart.

    What a command of ours captured is all that there was, however little. Who writes in a log of
    several hosts is not counted line by line: each has its share.
    """
    by_file: dict[str, list[Spanned]] = defaultdict(list)
    for span in spans:
        by_file[span.evidence].append(span)
    return frozenset(
        name for name, rows in by_file.items() if name in files and _is_excerpt(files[name], rows)
    )


def _is_excerpt(item: Evidence, rows: Sequence[Spanned]) -> bool:
    if item.command != item.path or not any(row.lines for row in rows):
        return False
    lines = sum(row.lines for row in rows) / max(len({row.host for row in rows}), 1)
    moments = [moment for row in rows for moment in _ends(row)]
    span_s = max(moments) - min(moments)
    return item.truncated or lines < FEW_LINES or span_s / lines > JOIN_S


def _placed(span: Spanned) -> bool:
    """Tell whether a stretch has a place in time: that of a boot clock may be days away."""
    moments = (span.first, span.last)
    return all(moment and moment.common_s <= UNKNOWN_ZONE_S for moment in moments)


def _ends(span: Spanned) -> list[float]:
    return [moment.utc.timestamp() for moment in (span.first, span.last) if moment is not None]


def _of_state(look: Seen, topology: Topology) -> Iterable[Stretch]:
    kind, name = look.entity
    nodes = {a.id for a in topology.closure(kind, name) if a.kind == "node"} if name else set()
    channel = f"{look.source}:{look.name}"
    since, until = look.since.timestamp(), look.until.timestamp()
    for node in nodes or {""}:
        yield Stretch(channel, node, "", since, until, look.evidence)
