"""The pipeline: from a report and its evidence to a diagnosis, one plain step after another."""

import gc
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from assistant.alarm import is_alarming
from assistant.capture_zones import align_spans
from assistant.coverage import find_understood, find_unjudged, write_ledger
from assistant.diagnosis.case import Case
from assistant.diagnosis.diagnose import diagnose
from assistant.diagnosis.impact import latest_moment
from assistant.diagnosis.weights import DEFAULT_WEIGHTS, Weights
from assistant.event import Timeline
from assistant.gather import (
    LIVE_LOOKBACK,
    Live,
    Opened,
    build_request,
    is_bounded,
    open_evidence,
    read_bundle,
)
from assistant.incident import Incident
from assistant.investigation import Cluster, Investigation, Versions
from assistant.priority import decide_priority
from assistant.recognise import Recognised, recognise
from assistant.scope import focus, in_window, outside, with_unmet
from assistant.sight import build_sight, find_lost, read_stretches
from assistant.timeline import at_work, order, window_of
from knowledge.catalog import Catalog
from knowledge.matching import matcher_of
from tools.evidence import Evidence, Gap, Window

OnStep = Callable[[Investigation], None]
PRODUCT = "firstfault"


def investigate(
    source: Sequence[Path] | Opened | Live,
    incident: Incident,
    catalog: Catalog,
    *,
    on_step: OnStep | None = None,
    weights: Weights = DEFAULT_WEIGHTS,
    now: datetime | None = None,
) -> Investigation:
    """Investigate an incident over files or the running system.

    Evidence that was opened already keeps the incident that it was opened for.

    `on_step` is called after each step with all that is known so far; a live look that takes long
    comes through it first with a partial answer. `now` stands for the present in tests.

    Raises:
        NothingToReadError: no evidence was given.
        PathMissingError: a path does not exist.
    """
    pipeline = Pipeline(catalog, on_step or _ignore, weights, now)
    if isinstance(source, Live):
        return pipeline.run_live(source, incident)
    opened = (
        source if isinstance(source, Opened) else open_evidence(source, incident, catalog, now=now)
    )
    try:
        return pipeline.run(opened)
    finally:
        opened.close()


@dataclass(frozen=True)
class Pipeline:
    """The steps with what they share."""

    catalog: Catalog
    on_step: OnStep
    weights: Weights = DEFAULT_WEIGHTS
    now: datetime | None = None

    def run_live(self, live: Live, incident: Incident) -> Investigation:
        """Diagnose what is there early, then all of it."""
        found: Investigation | None = None
        for bundle in live.parts(build_request(self.catalog, incident, now=self.now)):
            found = self.run(read_bundle(bundle, incident, self.catalog, now=self.now))
        if found is None:
            return self._open(incident)
        return found

    def run(self, opened: Opened) -> Investigation:
        """Take one body of evidence through all steps."""
        with _few_collections():
            return self._run(opened)

    def _run(self, opened: Opened) -> Investigation:
        incident = opened.incident
        found = self._open(incident)
        # A second process may read while whoever listens to the first step prepares itself.
        self.on_step(found)
        recognised = recognise(opened.items, self.catalog, matcher_of(self.catalog), incident)
        found = gathered(found, recognised)
        self.on_step(found)
        timeline = order(recognised, self.catalog, incident)
        timeline, unmet = self._narrow(timeline, recognised, incident, opened.asked.window)
        found = found.model_copy(update={"gaps": (*found.gaps, *unmet)})
        found = ordered(found, timeline, at_work(self.catalog))
        self.on_step(found)
        found = self._diagnosed(found, recognised)
        self.on_step(found)
        return found

    def _narrow(
        self, timeline: Timeline, recognised: Recognised, incident: Incident, asked: Window
    ) -> tuple[Timeline, tuple[Gap, ...]]:
        """Keep what was asked for; a bundle's own window says when it broke and bounds nothing."""
        timeline = in_window(timeline, asked, self.catalog.pages)
        unmet = outside(asked, timeline, recognised)
        if unmet:
            timeline = timeline.model_copy(update={"events": ()})
        timeline, unnamed = focus(timeline, incident.scope, recognised)
        return timeline, (*unmet, *unnamed)

    def _open(self, incident: Incident) -> Investigation:
        return Investigation(
            incident=incident,
            window=incident.window,
            versions=Versions(product=product_version(), handbook=self.catalog.digest),
            generated_at=self.now or datetime.now(UTC),
        )

    def _case(self, found: Investigation, recognised: Recognised) -> Case:
        spans = align_spans(recognised.spans, found.timeline.corrections)
        stretches = read_stretches(spans, recognised.seen, found.evidence, recognised.topology)
        captured = [e.observed_at for e in found.evidence if e.observed_at]
        read = [span.last for span in spans if span.last]
        return Case(
            timeline=found.timeline,
            pages=self.catalog.pages,
            topology=recognised.topology,
            sight=build_sight(stretches, find_lost(found.timeline.events, self.catalog.pages)),
            incident=found.incident,
            window=found.window,
            evidence=found.evidence,
            gaps=found.gaps,
            unjudged=find_unjudged(recognised, found.timeline.events),
            now=latest_moment(found.timeline.events, captured, read),
        )

    def _diagnosed(self, found: Investigation, recognised: Recognised) -> Investigation:
        case = self._case(found, recognised)
        events = found.timeline.events
        diagnosis = with_unmet(diagnose(case, self.weights), found.gaps)
        priority = decide_priority(
            found.incident,
            diagnosis,
            events,
            pages=case.pages,
            topology=case.topology,
            noticed=found.generated_at,
        )
        if diagnosis.verdict != "fault" and not any(map(is_alarming, events)):
            priority = priority.model_copy(update={"respond_by": None})  # nothing to respond to
        coverage = write_ledger(
            found.evidence,
            found.gaps,
            events,
            found.timeline.corrections,
            understood=find_understood(recognised, events),
        )
        window = found.window if is_bounded(found.window) else covered(found.evidence)
        return found.model_copy(
            update={
                "step": "diagnosed",
                "coverage": coverage,
                "diagnosis": diagnosis,
                "priority": priority,
                "window": window,
            }
        )


def gathered(found: Investigation, recognised: Recognised) -> Investigation:
    """Take over the evidence and what was not seen."""
    return found.model_copy(
        update={
            "step": "recognised",
            "evidence": recognised.evidence,
            "gaps": recognised.gaps,
            "cluster": _cluster(recognised.evidence),
        }
    )


def ordered(
    found: Investigation, timeline: Timeline, working: Collection[str] = ()
) -> Investigation:
    """Take over the timeline, and from it the window where none was asked for."""
    return found.model_copy(
        update={
            "step": "ordered",
            "timeline": timeline,
            "window": _window(found.incident.window, timeline, working),
        }
    )


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for cyclic garbage rarely: reading makes much that stays and hardly any cycle."""
    before = gc.get_threshold()
    gc.set_threshold(400_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@cache
def product_version() -> str:
    """Return the installed version; a checkout that was never installed has none."""
    try:
        return version(PRODUCT)
    except PackageNotFoundError:
        return "unknown"


def covered(evidence: Sequence[Evidence]) -> Window:
    """Return the time that the evidence speaks of: the window of an answer that found nothing."""
    windows = [_spoken_of(item) for item in evidence]
    since = [window.since for window in windows if window.since]
    until = [window.until for window in windows if window.until]
    return Window(since=min(since, default=None), until=max(until, default=None))


def _spoken_of(item: Evidence) -> Window:
    """Leave out a host's far past: a look takes its own logs whole, back to its installation."""
    if not (item.live and item.source == "host" and item.observed_at and item.window.since):
        return item.window
    lately = item.observed_at - LIVE_LOOKBACK
    return Window(since=max(item.window.since, lately), until=item.observed_at)


def _window(asked: Window, timeline: Timeline, working: Collection[str]) -> Window:
    found = window_of(timeline.events, working)
    since, until = asked.since or found.since, asked.until or found.until
    if since and until and since > until:
        return Window(since=asked.since, until=asked.until)
    return Window(since=since, until=until)


def _cluster(evidence: Sequence[Evidence]) -> Cluster:
    name = next(_names(evidence), "")
    context, _, uid = name.rpartition("/")
    return Cluster(context=context, uid=uid) if context else Cluster(context=name)


def _names(evidence: Sequence[Evidence]) -> Iterator[str]:
    return (item.cluster for item in evidence if item.cluster)


def _ignore(_: Investigation) -> None:
    """Nobody watches."""
