"""Whether a link may act between two events: magnitude, attributes, order in time."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from assistant.event import Event, FieldValue, Setting
from knowledge.page import Guard, Link, Page
from knowledge.pattern import compile_pattern, encode

Truth = Literal["yes", "no", "unknown"]
Order = Literal["certain", "unknown", "excluded"]

SAME_MOMENT_S = 2.0
"""Order within this many seconds is not decided by stamps: loggers buffer."""
KERNEL_SLACK_S = 0.5
"""One fault's lines of one kernel come in any order for so long: a stamp of seconds tells more."""

MOST_BLIPS = 5
BLIPS_S = 3600.0
"""More of them than that on one thing in so many seconds say that something is wrong with it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings seen in evidence, looked up by name near an event."""

    rows: tuple[Setting, ...]

    def value(self, name: str, *events: Event) -> float | None:
        """Return the setting's value that shares an anchor with the events, else the only one."""
        named = [row for row in self.rows if row.name == name]
        if not named:
            return None
        places = {(a.kind, a.id) for event in events for a in event.anchors}
        near = [row for row in named if any((a.kind, a.id) in places for a in row.anchors)]
        chosen = near or named
        return max(row.value for row in chosen)


def _is_moment(event: Event) -> bool:
    """Tell whether one line is all that was seen: that says nothing of how long it held."""
    return event.end is not None and event.end.utc <= event.start.utc


def acts_until(event: Event, page: Page) -> float:
    """Return until when it may have been at work, in epoch seconds.

    What passes without a word of recovery acts for a while after its last line, as its page says.
    """
    if event.end is None or page.persists or event.is_closed:
        return event.finish
    return event.finish + page.lasts_s


def duration_s(event: Event) -> float | None:
    """Return how long the condition held, in seconds; None while only its start is known."""
    if event.end is not None:
        return max(0.0, (event.end.utc - event.start.utc).total_seconds() + event.before_s / 2)
    seen = (event.last.utc - event.start.utc).total_seconds()
    return seen if seen > 0 else None


def _number(value: FieldValue | None) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def compare(left: float, operator: str, right: float) -> bool:
    """Evaluate a numeric comparison of the page schema."""
    table = {
        "==": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }
    return table.get(operator, True)


def guard_holds(guard: Guard | None, cause: Event, settings: Settings, effect: Event) -> Truth:
    """Tell whether the cause exceeds what its victim tolerates.

    A condition that is still open has lasted at least as long as it was seen: enough to pass a
    lower bound, never enough to fail one.
    """
    if guard is None:
        return "yes"
    value = _number(cause.fields.get(guard.field))
    open_ended = False
    if value is None and guard.field == "duration_s":
        value, open_ended = duration_s(cause), cause.end is None or _is_moment(cause)
    if value is None:
        return "unknown"
    seen = settings.value(guard.setting, cause, effect) if guard.setting else None
    threshold = guard.value if seen is None else seen
    if compare(value, guard.op, threshold):
        return "yes"
    return "unknown" if open_ended and guard.op in {">", ">="} else "no"


def is_harmless_blip(event: Event, page: Page, settings: Settings) -> bool:
    """Tell whether it was seen to end, sooner than any of its victims gives up."""
    links = [link for link in page.causes if link.guard is not None]
    return (
        event.is_closed
        and bool(links)
        and all(guard_holds(link.guard, event, settings, event) == "no" for link in links)
    )


def find_recurring(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of what came again and again on one thing: no single one is a mere blip."""
    rows: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
    for event in events:
        rows[event.page, event.entity.kind, event.entity.id].append(event)
    found: set[str] = set()
    for row in rows.values():
        row.sort(key=lambda event: event.start.utc)
        for n, last in enumerate(row[MOST_BLIPS:]):
            if (last.start.utc - row[n].start.utc).total_seconds() <= BLIPS_S:
                found.update(one.id for one in row[n : n + MOST_BLIPS + 1])
    return frozenset(found)


def attributes_allow(link: Link, effect: Event) -> bool:
    """Tell whether the effect's own fields leave room for this cause; absent fields do."""
    for name, pattern in link.when.items():
        value = effect.fields.get(name)
        if value is not None and not compile_pattern(pattern).covers(encode(str(value))):
            return False
    return True


def outlasts(link: Link, effect: Event) -> bool:
    """Tell whether an effect was seen for longer than this cause makes it last."""
    seen = effect.last.utc.timestamp() - effect.latest
    return 0 < link.passes_s < seen


def active_until(cause: Event) -> float:
    """Return the last moment, in epoch seconds, at which the cause was certainly at work."""
    seen = cause.last.utc.timestamp() + cause.last.uncertainty_s
    return max(cause.latest, min(cause.finish, seen) if cause.end is not None else seen)


def is_stamped_before(effect: Event, cause: Event, least_s: float = 0.0) -> bool:
    """Tell whether one kernel stamped the effect earlier than its cause allows.

    It buffers nothing that it has not stamped, so that its stamps tell the order.
    """
    whole = not (cause.before_s or effect.before_s)
    kernels = cause.channels == effect.channels == {"kernel"} and cause.clock == effect.clock
    apart = (effect.start.utc - cause.start.utc).total_seconds()
    return whole and kernels and apart < least_s - KERNEL_SLACK_S


def order(link: Link, cause: Event, effect: Event) -> Order:
    """Tell whether the cause came first, from the two onset intervals and the delay bounds.

    Doubt that both onsets share lies outside the comparison.
    """
    slack, shared = SAME_MOMENT_S, cause.shared_s(effect)
    if effect.latest - shared + slack < cause.earliest + shared + link.delay.min_s:
        return "excluded"
    if is_stamped_before(effect, cause, link.delay.min_s):
        return "excluded"
    if effect.earliest + shared - slack > active_until(cause) - shared + link.delay.max_s:
        return "excluded"
    same_clock = bool(cause.clocks & effect.clocks)
    if cause.latest - shared <= effect.earliest + shared or link.definitional:
        return "certain"
    if same_clock and cause.start.utc <= effect.start.utc and not effect.before_s:
        return "certain"
    return "unknown"
