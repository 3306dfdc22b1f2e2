"""Alerts over a whole cluster or namespace are witnesses of what was seen of the things in it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from assistant.alert_labels import NAMESPACE
from assistant.merging import MOST_PLACES, Merged
from knowledge.page import Page

LAG_S = 1800.0
"""An alert sums up what began up to this much earlier."""
_AFTER_S = 900.0
"""Its rule may call failed what its own objects call so only this much later."""


def absorb(merged: Iterable[Merged], pages: Mapping[str, Page]) -> list[Merged]:
    """Give each alert that names no thing to the first of those that it sums up, if any is seen."""
    single: dict[str, list[Merged]] = defaultdict(list)
    wide: list[Merged] = []
    found: list[Merged] = []
    for happening in merged:
        if is_wide(happening) and pages[happening.page].entity.kind != "cluster":
            wide.append(happening)
        else:
            single[happening.page].append(happening)
            found.append(happening)
    for alert in wide:
        summed = [one for one in single[alert.page] if _sums_up(alert, one)]
        if summed:
            _witness(min(summed, key=lambda one: one.first.utc), alert)
        else:
            found.append(alert)
    return found


def is_wide(happening: Merged) -> bool:
    """Tell whether only an alert shows it, and of no single thing."""
    return happening.entity[0] == "cluster" and happening.channels == {"alert"}


def spaces_of(happening: Merged) -> frozenset[str]:
    """Return the namespaces that it speaks of."""
    return frozenset(name for kind, name in happening.anchors if kind == NAMESPACE)


def _sums_up(alert: Merged, one: Merged) -> bool:
    ago = (alert.first.utc - one.first.utc).total_seconds()
    spaces, own = spaces_of(alert), one.entity[1].partition("/")
    inside = not spaces or not own[1] or own[0] in spaces
    return one.entity[0] != "cluster" and inside and -_AFTER_S <= ago <= LAG_S


def _witness(one: Merged, alert: Merged) -> None:
    one.places = [*one.places[: MOST_PLACES - 1], alert.places[0]]
    one.channels |= alert.channels
    one.clocks |= alert.clocks
    one.evidence |= alert.evidence
