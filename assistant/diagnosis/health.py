"""When "healthy" may be said.

Absence of damage is not health. It takes sources that cover the window, no alarming line left
without an innocent reading, and work that visibly went on.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from assistant.alarm import floods
from assistant.burst import PACE_S
from assistant.diagnosis.case import Case, counts, stops_for_good
from assistant.diagnosis.complaints import is_answered, is_complaint, is_whole
from assistant.diagnosis.guards import acts_until, is_harmless_blip
from assistant.event import Event
from assistant.repair import is_orderly_reboot
from tools.evidence import Gap

PAUSE_S = 900.0
"""Work that pauses for longer may have stalled."""
EDGE_SHARE = 0.1
"""A window's ends are rarely those of the work in it: so much of it may lie outside."""
BEFORE_S = 86400.0
"""How far back an alarm matters where nobody said which time is in question."""
ALARMING = frozenset({"critical", "error"})
LOOKS = frozenset({"reading", "object", "metric"})
"""Channels that show a state, where lines tell what happened."""
STANDING = ALARMING | {"warning"}
FAULTS = frozenset({"root", "mechanism", "symptom"})
MATTERING = frozenset({"journal", "kernel", "kubernetes", "kubectl", "nvml", "file"})
"""Sources whose refusal leaves a complaint open."""


def why_not_healthy(case: Case) -> list[str]:
    """Return the reasons that forbid the verdict "healthy"; empty when it may be given.

    The reasons are keys, in the order in which a reader would want them mended: alarming, unread,
    hung, unseen, uncovered, no-progress, stalled, diverged, slow.
    """
    reasons = []
    if any(not is_innocent(event, case) for event in case.timeline.events):
        reasons.append("alarming")
    if not all(_is_answered(event, case) for event in find_unread(case)):
        reasons.append("unread")
    if any(gap.state == "hung" for gap in case.gaps) or any(
        item.outcome == "hung" for item in case.evidence
    ):
        reasons.append("hung")
    if case.unjudged or any(_matters(gap) for gap in case.gaps):
        reasons.append("unseen")
    if not _kernel_covered(case):
        reasons.append("uncovered")
    return [*reasons, *_why_not_working(case)]


def _why_not_working(case: Case) -> list[str]:
    if not works_on(case):
        return ["no-progress"]
    if _stalled(case):
        return ["stalled"]
    if _diverged(case):
        return ["diverged"]
    return ["slow"] if _fell_behind(case) else []


def find_unread(case: Case) -> list[Event]:
    """Return what writers call errors, no page knows, and is new in the time in question."""
    return [
        event
        for event in case.timeline.unread
        if counts(event) and not _is_past(event, case) and event.earliest <= case.until
    ]


def find_standing(case: Case) -> list[Event]:
    """Return faults that are still there and harm nothing: to be mended, and no reason for alarm.

    Only what lasts by its nature or was looked at says so; a line now and then does not.
    """
    return [
        event
        for event in case.timeline.events
        if event.role == "root"
        and event.severity in STANDING
        and counts(event)
        and not (event.is_closed or _is_past(event, case))
        and (case.pages[event.page].persists or not LOOKS.isdisjoint(event.channels))
    ]


def _is_answered(event: Event, case: Case) -> bool:
    """Tell whether it is a complaint of what was itself seen at work all through the time asked."""
    if not is_complaint(event, case.pages):
        return False
    jobs = _jobs(case)
    since, until = _time_in_question(case, [_spans(events) for events in jobs.values()])
    steady = {job for job, events in jobs.items() if _goes_on(_spans(events), since, until)}
    unseen = case.topology.jobs() - jobs.keys()
    whole = is_whole(event, case.evidence)
    return not unseen and is_answered(event, jobs, steady, whole=whole)


def is_innocent(event: Event, case: Case) -> bool:
    """Tell whether an event leaves the reported entity healthy."""
    alarming = (
        event.severity in ALARMING or event.damage > 0 or floods(event) or _warns(event, case)
    )
    if not alarming or not (counts(event) or stops_for_good(event)):
        return True
    return _is_past(event, case) or _was_harmless(event, case) or is_orderly_reboot(event)


def _warns(event: Event, case: Case) -> bool:
    """Tell whether it is a fault that lasts and does no harm yet: to call that health hides it."""
    page = case.pages[event.page]
    lasts = page.persists or (page.lasts_s or 0.0) >= BEFORE_S
    return lasts and event.severity == "warning" and event.role in FAULTS


def _is_asked(case: Case) -> bool:
    """Tell whether somebody said which time is in question."""
    asked = case.incident.window
    return asked.since is not None or asked.until is not None


def _is_past(event: Event, case: Case) -> bool:
    """Tell whether it was over before the window opened.

    What nobody saw end, and what nobody asked to leave out, counts for a day more.
    """
    if event.is_closed or _is_asked(case):
        return acts_until(event, case.pages[event.page]) < case.since
    return acts_until(event, case.pages[event.page]) < case.since - BEFORE_S


def _was_harmless(event: Event, case: Case) -> bool:
    """Tell whether it ended without harm: sooner than its victims give up, or it has none.

    What comes again and again has not ended, however short each time was.
    """
    if event.id in case.recurring:
        return False
    page = case.pages[event.page]
    if any(link.guard is not None for link in page.causes):
        return is_harmless_blip(event, page, case.settings)
    return event.is_closed and event.damage == 0 and event.severity != "critical"


def _matters(gap: Gap) -> bool:
    return gap.state == "not_checked" and gap.offset is None and gap.source in MATTERING


def _kernel_covered(case: Case) -> bool:
    hosts = _hosts(case)
    if not hosts:
        return False
    since, until = _span(case)
    return all(case.sight.is_gapless("kernel", host, since, until) for host in hosts)


def fell_silent(case: Case) -> list[tuple[str, float]]:
    """Return the hosts whose kernel logs end before the time in question does, with their ends."""
    since, until = _span(case)
    found = []
    for host in sorted(_hosts(case)):
        ends = [row.until for row in case.sight.covering("kernel", host, since, until)]
        if ends and case.sight.covers("kernel", host, max(ends), until) != "yes":
            found.append((host, max(ends)))
    return found


def _hosts(case: Case) -> Iterable[str]:
    written = case.sight.hosts.get("kernel", frozenset())
    return case.incident.scope.nodes or {*case.topology.nodes(), *written}


def _span(case: Case) -> tuple[float, float]:
    """Return the time in question less the edges at which quiet logs begin and end."""
    since, until = _time_in_question(case, _work(case))
    edge = 0.0 if _is_asked(case) else PAUSE_S
    return since + edge, until - edge


Spans = list[tuple[float, float]]


def works_on(case: Case) -> bool:
    """Tell whether work went on through the whole window, and none that was seen stalled in it."""
    work = _work(case)
    if not work:
        return False
    since, until = _time_in_question(case, work)
    edge = max(PAUSE_S, EDGE_SHARE * (until - since))
    inside = [[(a, b) for a, b in spans if b >= since and a <= until] for spans in work]
    seen = [spans for spans in inside if spans]
    steady = all(len(spans) == 1 and spans[0][1] >= until - edge for spans in seen)
    return steady and any(spans[0][0] <= since + edge for spans in seen)


def _goes_on(spans: Spans, since: float, until: float) -> bool:
    """Tell whether one job went on from the beginning of a time to its end, without a pause."""
    edge = max(PAUSE_S, EDGE_SHARE * (until - since))
    return any(a <= since + edge and b >= until - edge for a, b in spans)


def _stalled(case: Case) -> bool:
    """Tell whether in the window steps came again and again without a new one."""
    since, until = _time_in_question(case, _work(case))
    return any(
        one.until.timestamp() > since and one.since.timestamp() < until
        for one in case.timeline.stalls
    )


def _diverged(case: Case) -> bool:
    """Tell whether work went on and learnt nothing any more: its loss rose and stayed up."""
    since, _ = _time_in_question(case, _work(case))
    return any(one.until.timestamp() > since for one in case.timeline.divergences)


def _fell_behind(case: Case) -> bool:
    """Tell whether work that went on through the window lost its usual pace in it."""
    since, until = _time_in_question(case, _work(case))
    return any(
        one.since.timestamp() >= since - PACE_S and one.until.timestamp() <= until + PACE_S
        for one in case.timeline.slowdowns
    )


def _time_in_question(case: Case, work: Sequence[Spans]) -> tuple[float, float]:
    """Return the window; where nobody named a time, from the first work seen to the logs' end.

    Work that ended before the logs did may have hung: nobody saw it go on.
    """
    first = min((spans[0][0] for spans in work), default=0.0)
    last = max((spans[-1][1] for spans in work), default=case.until)
    since = case.since if case.since > float("-inf") else first
    until = case.until if case.window.until else max(last, case.sight.logs_end)
    return since, until


def _work(case: Case) -> list[Spans]:
    """Return for each job the stretches over which it was seen to advance."""
    return [_spans(events) for events in _jobs(case).values()]


def _jobs(case: Case) -> dict[str, list[Event]]:
    """Return what shows progress, by job."""
    groups: dict[str, list[Event]] = defaultdict(list)
    for event in case.timeline.events:
        if case.pages[event.page].progress and not event.live:
            groups[event.worker].append(event)
    return dict(groups)


def _spans(events: Iterable[Event]) -> Spans:
    """Return the stretches of progress, joined across short pauses."""
    rows = sorted((e.start.utc.timestamp(), e.last.utc.timestamp()) for e in events)
    joined: Spans = []
    for start, stop in rows:
        if joined and start - joined[-1][1] <= PAUSE_S:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop))
        else:
            joined.append((start, stop))
    return joined
