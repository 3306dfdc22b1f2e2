"""From the line that reports a fault back to when the fault began."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from assistant.event import Anchor, FieldValue, Setting
from knowledge.page import BeginsBefore
from tools.evidence import Instant

WIDEN = 0.25
"""A configured time-out is met with jitter and rounding: widen it by a quarter each way."""


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
) -> tuple[Instant, float]:
    """Shift an onset back by the time-out that reported it.

    Returns:
        The latest possible onset, and how much earlier it may have been.
    """
    low, high = rule.min_s, rule.max_s
    if known:
        low, high = min(known) * (1 - WIDEN), max(known) * (1 + WIDEN)
    start = Instant(
        utc=moment.utc - timedelta(seconds=low),
        uncertainty_s=moment.uncertainty_s,
        zone=moment.zone,
        original=moment.original or moment.utc.isoformat(),
    )
    return start, before_s + (high - low)


def stated(rule: BeginsBefore, fields: Mapping[str, FieldValue]) -> tuple[float, ...]:
    """Return the time-out that the line itself prints, if it is the one the rule names."""
    value = fields.get(rule.setting) if rule.setting else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    return (float(value),)
