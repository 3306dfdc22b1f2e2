"""Puts what is alike on one row, so that an outage of thirty nodes stays readable."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.event import Coverage, Event
from integrations.rendering.severity import rank_severity
from integrations.rendering.view import View
from tools.entity import Entity

_ALONE = 3
"""So many events of one condition still have a row each."""
_APART_S = 6 * 3600.0
"""A pause after which the same condition is told again."""
_NAMES = 3


@dataclass(frozen=True, slots=True)
class Fold:
    """Events of one condition that began within a while of each other."""

    events: tuple[Event, ...]

    @property
    def first(self) -> Event:
        """The earliest."""
        return self.events[0]

    @property
    def last(self) -> Event:
        """The one that began last."""
        return self.events[-1]

    @property
    def worst(self) -> Event:
        """One of the worst severity."""
        return min(self.events, key=lambda event: rank_severity(event.severity))

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Everything it holds of, each once."""
        found = (one for event in self.events for one in (event.members or (event.entity,)))
        return tuple({entity.key: entity for entity in found}.values())


def fold_events(events: Sequence[Event]) -> Sequence[Fold]:
    """Fold events, given in order, by condition; few alike stay alone."""
    runs: dict[str, list[list[Event]]] = {}
    for event in events:
        of_page = runs.setdefault(event.page, [])
        if not of_page or _gap(of_page[-1][-1], event) > _APART_S:
            of_page.append([])
        of_page[-1].append(event)
    folds = [fold for of_page in runs.values() for run in of_page for fold in _fold(run)]
    return sorted(folds, key=lambda fold: fold.first.start.utc)


def name_many(view: View, entities: Sequence[Entity]) -> str:
    """Say how many there are of which kind, and the first few by name."""
    if len(entities) == 1:
        return view.name(entities[0])
    kinds = {entity.kind for entity in entities}
    kind = view.words(f"kind.{kinds.pop() if len(kinds) == 1 else 'mixed'}")
    names = ", ".join(entity.id for entity in entities[:_NAMES])
    more = ", …" if len(entities) > _NAMES else ""
    return view.words("event.alike", count=len(entities), kind=kind, names=names + more)


@dataclass(frozen=True, slots=True)
class CoverageFold:
    """Lines of the ledger that say the same of several targets."""

    lines: tuple[Coverage, ...]

    @property
    def targets(self) -> str:
        """The first few targets, and how many more there are."""
        names = [line.target for line in self.lines if line.target]
        more = f" +{len(names) - _NAMES}" if len(names) > _NAMES else ""
        return ", ".join(names[:_NAMES]) + more

    @property
    def why(self) -> str:
        """The reason they share."""
        reasons = {line.why for line in self.lines}
        return reasons.pop() if len(reasons) == 1 else ""

    @property
    def evidence(self) -> tuple[str, ...]:
        """Everything they stand on."""
        return tuple(dict.fromkeys(one for line in self.lines for one in line.evidence))


def fold_coverage(lines: Iterable[Coverage]) -> Sequence[CoverageFold]:
    """Fold the ledger by state and source, in the order given.

    What was seen differs from target to target; why something was not seen tells rows apart.
    """
    alike: dict[tuple[str, str, str], list[Coverage]] = {}
    for line in lines:
        why = "" if line.state in ("abnormal", "normal") else line.why
        alike.setdefault((line.state, line.source, why), []).append(line)
    return [CoverageFold(tuple(group)) for group in alike.values()]


def _fold(run: list[Event]) -> Sequence[Fold]:
    if len(run) > _ALONE:
        return [Fold(tuple(run))]
    return [Fold((event,)) for event in run]


def _gap(before: Event, after: Event) -> float:
    return (after.start.utc - before.start.utc).total_seconds()
