"""From the line that reports a fault back to when the fault began."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from assistant.event import Anchor, FieldValue, Setting
from knowledge.page import BeginsBefore
from tools.evidence import Instant

WIDEN = 0.25
"""A configured time-out is met with jitter and rounding: widen it by a quarter each way."""


TELLS_WITHIN_S = 15.0
"""So much later than it ran out is a time-out noticed and printed, at most."""


class Settings:
    """Settings by name and place, found for a thing by what it shares with them."""

    def __init__(self, settings: Iterable[Setting]) -> None:
        self._anywhere: dict[str, set[float]] = defaultdict(set)
        self._free: dict[str, set[float]] = defaultdict(set)
        self._at: dict[tuple[str, str, str], set[float]] = defaultdict(set)
        for setting in settings:
            self._anywhere[setting.name].add(setting.value)
            if not setting.anchors:
                self._free[setting.name].add(setting.value)
            for anchor in setting.anchors:
                self._at[setting.name, anchor.kind, anchor.id].add(setting.value)

    def values(self, name: str, anchors: Iterable[Anchor]) -> tuple[float, ...]:
        """Return what the setting is for a thing: its own values before those that hold anywhere.

        A value seen only elsewhere is better than none: it then stands for the fleet's habit.
        """
        own: set[float] = set()
        for anchor in anchors:
            own.update(self._at.get((name, anchor.kind, anchor.id), ()))
        return tuple(sorted(own or self._free.get(name) or self._anywhere.get(name) or ()))


def begin_earlier(
    moment: Instant,
    before_s: float,
    rule: BeginsBefore,
    known: Sequence[float],
    *,
    printed: bool = False,
) -> tuple[Instant, float]:
    """Shift an onset back by the time-out that reported it.

    `printed` says that the report itself names the time-out: it ran out then, and is told at once.

    Returns:
        The latest possible onset, and how much earlier it may have been.
    """
    low, high = rule.min_s, rule.max_s
    if known:
        low, high = min(known) * (1 - WIDEN), max(known) * (1 + WIDEN)
    if known and printed:
        low, high = min(known), max(known) + TELLS_WITHIN_S
    start = Instant(
        utc=moment.utc - timedelta(seconds=low),
        uncertainty_s=moment.uncertainty_s,
        zone=moment.zone,
        original=moment.original or (moment.utc.isoformat() if moment.dated else ""),
        offset_doubt_s=moment.offset_doubt_s,
    )
    return start, before_s + (high - low)


def not_before(start: Instant, before_s: float, bound: float) -> tuple[Instant, float]:
    """Raise the lower bound of an onset to `bound`, in epoch seconds of the same clock.

    The onset's own error moves into what it may have begun earlier; the zone's stays.
    """
    own = start.uncertainty_s - start.common_s
    latest, earliest = start.utc.timestamp() + own, start.utc.timestamp() - own - before_s
    if not earliest < bound <= latest:
        return start, before_s
    moved = Instant(
        utc=start.utc + timedelta(seconds=own),
        uncertainty_s=start.common_s,
        zone=start.zone,
        original=start.original,
        offset_doubt_s=start.offset_doubt_s,
    )
    return moved, latest - bound


def stated(rule: BeginsBefore, fields: Mapping[str, FieldValue]) -> tuple[float, ...]:
    """Return the time-out that the line itself prints, if it is the one the rule names."""
    value = fields.get(rule.setting) if rule.setting else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    return (float(value),)
