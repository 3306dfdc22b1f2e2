"""The time axis that the figures share."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assistant.event import Event
from integrations.rendering.view import View

_STEPS_S = (1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 604800)
_TICKS = 9
_PAD = 0.05
_SHORTEST_S = 60.0
_SHARP_S = 900.0
"""Onsets less certain than this do not stretch the axis."""
_WIDEST = 4.0
"""How many times longer than the incident a window may be and still be drawn whole."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A span of epoch seconds mapped onto [0, 1]."""

    low: float
    high: float

    def place(self, moment: float) -> float:
        """Return where `moment` lies, held inside the axis."""
        return min(1.0, max(0.0, (moment - self.low) / (self.high - self.low)))

    def holds(self, low: float, high: float) -> bool:
        """Tell whether any of [low, high] is drawn."""
        return high >= self.low and low <= self.high

    def ticks(self) -> Sequence[tuple[float, str]]:
        """Return places and labels of round moments in UTC."""
        step = choose_step(self.high - self.low, _TICKS)
        first = -(-self.low // step) * step
        count = int((self.high - first) // step) + 1
        form = "%m-%d" if step >= 86400 else "%H:%M:%S" if step < 60 else "%H:%M"  # noqa: PLR2004 -- a day, a minute
        moments = [first + n * step for n in range(count)]
        return [(self.place(m), datetime.fromtimestamp(m, UTC).strftime(form)) for m in moments]


def choose_step(span_s: float, most: int) -> float:
    """Return the smallest round step that cuts `span_s` into at most `most` pieces."""
    fitting = (step for step in _STEPS_S if span_s / step <= most)
    return next(fitting, span_s / most)


def fit_axis(view: View) -> Axis | None:
    """Fit the axis to the incident: its chain and roots, else all that matters."""
    events = _core(view)
    if not events:
        return None
    low = min(_begin(event) for event in events)
    high = _end(view, events)
    window = view.investigation.window
    span = max(high - low, _SHORTEST_S)
    if window.since and window.until:
        since, until = window.since.timestamp(), window.until.timestamp()
        if until - since <= span * _WIDEST:
            low, high = min(low, since), max(high, until)
    for event in events_unsure(view, low, high):
        low = min(low, event.start.utc.timestamp())
        high = max(high, event.start.utc.timestamp())
    pad = max(high - low, _SHORTEST_S) * _PAD
    return Axis(low - pad, high + pad)


def close_of(event: Event) -> float:
    """Return when an event was over, or last seen while it is open."""
    seen = event.end or event.last
    return max(seen.utc.timestamp(), event.start.utc.timestamp())


def _end(view: View, events: Sequence[Event]) -> float:
    """Return the end of the last event, but not beyond the time anybody looked at."""
    high = max(close_of(event) for event in events)
    as_of = view.diagnosis.state.as_of if view.diagnosis else None
    if as_of is None:
        return high
    return min(high, max(as_of.timestamp(), *(event.start.utc.timestamp() for event in events)))


def _begin(event: Event) -> float:
    before = event.before_s if event.before_s <= _SHARP_S else 0.0
    return event.start.utc.timestamp() - before


def events_unsure(view: View, low: float, high: float) -> Sequence[Event]:
    """Return named events of vague onset that would lie near [low, high] if it were exact."""
    reach = high - low
    return [
        event
        for event in view.shown_events
        if event.id in view.named_events
        and event.start.uncertainty_s > _SHARP_S
        and low - reach <= event.start.utc.timestamp() <= high + reach
    ]


def _core(view: View) -> Sequence[Event]:
    sharp = [event for event in view.shown_events if event.start.uncertainty_s <= _SHARP_S]
    chosen = [event for event in sharp if event.id in view.named_events]
    return chosen or sharp or view.shown_events
