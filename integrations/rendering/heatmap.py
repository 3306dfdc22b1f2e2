"""Cells of the node by time heatmap."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assistant.event import Coverage, Event
from integrations.rendering.axis import Axis, choose_step, close_of
from integrations.rendering.severity import rank_severity
from integrations.rendering.view import View
from tools.entity import Entity

_SLICES = 40
_SLICES_A_TICK = 4
_ROWS_WHOLE = 40
"""Up to so many nodes each has its own row; more fold into rows of nodes that look alike."""
_HOST_SOURCES = frozenset({"journal", "host", "kernel", "syslog", "dmesg"})
"""Whose coverage tells whether a quiet node was quiet or just not seen."""
_LETTERS: Mapping[str, str] = {
    "critical": "C", "error": "E", "warning": "W", "info": "i", "none": "·", "unknown": "?",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """A node in a slice of time."""

    state: str
    letter: str


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node, or several that look alike."""

    label: str
    alike: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Heatmap:
    """The whole figure."""

    slices: tuple[float, ...]
    ticks: tuple[tuple[str, int], ...]
    """Labels over the slices, each with how many it spans."""
    slice_s: float
    rows: tuple[NodeRow, ...]
    cut: int


def draw_heatmap(view: View, axis: Axis) -> Heatmap:
    """Lay out the nodes that events or the ledger name, by slice of time."""
    step = choose_step(axis.high - axis.low, _SLICES)
    low = axis.low // step * step
    count = int((axis.high - low) // step) + 1
    starts = [low + n * step for n in range(count)]
    worst = _worst_by_node(view, starts, step)
    covered = _covered(view.investigation.coverage)
    nodes = sorted(set(worst) | set(covered))
    rows = {node: _row(worst.get(node, {}), covered.get(node, ()), starts, step) for node in nodes}
    shown = [NodeRow(node, 1, cells) for node, cells in rows.items()]
    if len(shown) > _ROWS_WHOLE:
        shown = _fold(rows)
    cut = max(0, len(shown) - _ROWS_WHOLE)
    return Heatmap(tuple(starts), _ticks(starts, step), step, tuple(shown[:_ROWS_WHOLE]), cut)


def nodes_of(event: Event) -> frozenset[str]:
    """Return the nodes an event touches, its members' included."""
    found = {anchor.id for anchor in event.anchors if anchor.kind == "node"}
    found.update(filter(None, (_node_of(one) for one in (event.entity, *event.members))))
    return frozenset(found)


def _ticks(starts: Sequence[float], step: float) -> tuple[tuple[str, int], ...]:
    form = "%m-%d %H:%M" if step * len(starts) > 86400 else "%H:%M:%S" if step < 60 else "%H:%M"  # noqa: PLR2004 -- a day, a minute
    firsts = range(0, len(starts), _SLICES_A_TICK)
    return tuple(
        (
            datetime.fromtimestamp(starts[n], UTC).strftime(form),
            min(_SLICES_A_TICK, len(starts) - n),
        )
        for n in firsts
    )


def _node_of(entity: Entity) -> str:
    if entity.kind == "node":
        return entity.id
    if entity.kind == "mount":
        return entity.id.partition(":")[0]
    return ""


def _worst_by_node(view: View, starts: Sequence[float], step: float) -> dict[str, dict[int, str]]:
    worst: dict[str, dict[int, str]] = {}
    for event in view.shown_events:
        first = int((event.start.utc.timestamp() - starts[0]) // step)
        last = int((close_of(event) - starts[0]) // step)
        slices = range(max(0, first), min(len(starts) - 1, last) + 1)
        for node in nodes_of(event):
            _darken(worst.setdefault(node, {}), slices, event)
    return worst


def _darken(cells: dict[int, str], slices: Iterable[int], event: Event) -> None:
    for n in slices:
        before = cells.get(n)
        if before is None or _rank(before) > rank_severity(event.severity):
            cells[n] = event.severity


def _rank(state: str) -> int:
    return list(_LETTERS).index(state)


def _covered(ledger: Iterable[Coverage]) -> dict[str, list[Coverage]]:
    found: dict[str, list[Coverage]] = {}
    for line in ledger:
        if line.source in _HOST_SOURCES and line.target and "/" not in line.target:
            found.setdefault(line.target, []).append(line)
    return found


def _row(
    worst: Mapping[int, str], covered: Sequence[Coverage], starts: Sequence[float], step: float
) -> tuple[Cell, ...]:
    cells = []
    for n, start in enumerate(starts):
        state = worst.get(n) or ("none" if _was_seen(covered, start, start + step) else "unknown")
        cells.append(Cell(state, _LETTERS[state]))
    return tuple(cells)


def _was_seen(covered: Sequence[Coverage], low: float, high: float) -> bool:
    return any(
        (line.since is None or line.since.timestamp() <= high)
        and (line.until is None or line.until.timestamp() >= low)
        for line in covered
        if line.state in ("normal", "abnormal")
    )


def _fold(rows: Mapping[str, tuple[Cell, ...]]) -> list[NodeRow]:
    alike: dict[tuple[Cell, ...], list[str]] = {}
    for node, cells in rows.items():
        alike.setdefault(cells, []).append(node)
    folded = [NodeRow(nodes[0], len(nodes), cells) for cells, nodes in alike.items()]
    return sorted(folded, key=lambda row: sum(_rank(cell.state) for cell in row.cells))
