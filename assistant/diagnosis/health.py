"""When "healthy" may be said.

Absence of damage is not health. It takes sources that cover the window, no alarming line left
without an innocent reading, and work that visibly went on.
"""

from collections.abc import Iterable

from assistant.diagnosis.case import Case, counts
from assistant.diagnosis.guards import guard_holds
from assistant.event import Event
from tools.evidence import Gap

PROGRESS_SHARE = 0.6
"""Part of the window over which work must be seen to have gone on."""
PROGRESS_GAP_S = 900.0
ALARMING = frozenset({"critical", "error"})
MATTERING = frozenset({"journal", "kernel", "kubernetes", "kubectl", "nvml", "file"})
"""Sources whose refusal leaves a complaint open."""


def why_not_healthy(case: Case) -> list[str]:
    """Return the reasons that forbid the verdict "healthy"; empty when it may be given.

    The reasons are keys, in the order in which a reader would want them mended: alarming, hung,
    unseen, uncovered, no-progress.
    """
    reasons = []
    if any(not is_innocent(event, case) for event in case.timeline.events):
        reasons.append("alarming")
    if any(gap.state == "hung" for gap in case.gaps) or any(
        item.outcome == "hung" for item in case.evidence
    ):
        reasons.append("hung")
    if any(_matters(gap) for gap in case.gaps):
        reasons.append("unseen")
    if not _kernel_covered(case):
        reasons.append("uncovered")
    if progress_share(case) < PROGRESS_SHARE:
        reasons.append("no-progress")
    return reasons


def is_innocent(event: Event, case: Case) -> bool:
    """Tell whether an event leaves the reported entity healthy."""
    alarming = event.severity in ALARMING or event.damage > 0
    if not alarming or not counts(event):
        return True
    if event.finish < case.since or _before(event, case):
        return True
    return _harmless_blip(event, case)


def _before(event: Event, case: Case) -> bool:
    """Tell whether a passing condition was last seen before the window."""
    page = case.pages[event.page]
    return not page.persists and event.last.utc.timestamp() < case.since


def _harmless_blip(event: Event, case: Case) -> bool:
    """Tell whether it ended, sooner than any of its victims gives up."""
    if event.end is None:
        return False
    links = [link for link in case.pages[event.page].causes if link.guard is not None]
    if not links:
        return event.damage == 0 and event.severity != "critical"
    return all(guard_holds(link.guard, event, case.settings, event) == "no" for link in links)


def _matters(gap: Gap) -> bool:
    return gap.state == "not_checked" and gap.offset is None and gap.source in MATTERING


def _kernel_covered(case: Case) -> bool:
    hosts = case.incident.scope.nodes or tuple(case.topology.nodes())
    if not hosts:
        hosts = tuple(case.sight.hosts.get("kernel", ()))
    if not hosts:
        return False
    return all(
        case.sight.covers("kernel", host, max(case.since, 0.0), case.until) == "yes"
        for host in hosts
    )


def progress_share(case: Case) -> float:
    """Return the part of the window in which work was seen to go on, 0 to 1."""
    spans = _spans(e for e in case.timeline.events if case.pages[e.page].progress and not e.live)
    if not spans:
        return 0.0
    low = case.since if case.since > float("-inf") else spans[0][0]
    high = case.until if case.until < float("inf") else spans[-1][1]
    if high <= low:
        return 1.0
    seen = sum(max(0.0, min(b, high) - max(a, low)) for a, b in spans)
    return seen / (high - low)


def _spans(events: Iterable[Event]) -> list[tuple[float, float]]:
    """Return the stretches of progress, joined across pauses shorter than a quarter of an hour."""
    rows = sorted((e.start.utc.timestamp(), e.last.utc.timestamp()) for e in events)
    joined: list[tuple[float, float]] = []
    for start, stop in rows:
        if joined and start - joined[-1][1] <= PROGRESS_GAP_S:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop))
        else:
            joined.append((start, stop))
    return joined
