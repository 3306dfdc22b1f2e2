"""What an inspection has before it: everything that was read, sorted by what looks ask for."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from assistant.inspection_conditions import Recognition, Shown
from knowledge.catalog import Catalog
from knowledge.inspection import ConditionLook, Inspection, LineLook
from knowledge.pattern import Pattern, compile_pattern, encode
from tools.evidence import Evidence, Item, ObjectState, Reading, Record, Series, Span

GPU_RESOURCE = "nvidia.com/gpu"
_HOST_SOURCES = frozenset({"host", "nvml"})
Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """A line that a look asked for, with its named groups."""

    groups: Mapping[str, str]
    record: Record


@dataclass
class Seen:
    """All that was read."""

    readings: dict[str, list[Reading]] = field(default_factory=lambda: defaultdict(list))
    objects: dict[str, list[ObjectState]] = field(default_factory=lambda: defaultdict(list))
    series: dict[str, list[Series]] = field(default_factory=lambda: defaultdict(list))
    """By the query's name and by the metric's."""
    lines: dict[str, list[Line]] = field(default_factory=lambda: defaultdict(list))
    """By the look's expression."""
    shown: dict[tuple[str, str], list[Shown]] = field(default_factory=lambda: defaultdict(list))
    """By the channel and the code that a look asks for."""
    channels: set[str] = field(default_factory=set)
    """Of which lines were read, whatever stands in them."""
    evidence: dict[str, Evidence] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    gpu_hosts: set[str] = field(default_factory=set)

    @property
    def as_of(self) -> datetime:
        """The moment of the look: when the youngest capture was taken."""
        taken = [each.observed_at for each in self.evidence.values() if each.observed_at]
        ends = [each.window.until for each in self.evidence.values() if each.window.until]
        return max(taken or ends, default=datetime.now(UTC))

    def expected_of(self, host: str) -> Values:
        """Return what the inventory says of a host."""
        found: Values = {}
        for state in self.objects.get("Topology", ()):
            if state.name == host:
                found |= state.content
        return found


def see(
    items: Iterable[Evidence | Item],
    inspections: Sequence[Inspection],
    catalog: Catalog | None = None,
) -> Seen:
    """Sort what was read; without a handbook no line shows a condition."""
    seen = Seen()
    wanted = [
        (look, compile_pattern(look.regex))
        for each in inspections
        for look in each.looks
        if isinstance(look, LineLook)
    ]
    recognition = Recognition(catalog, inspections)
    for item in items:
        _see_item(seen, item, wanted)
        if isinstance(item, Record):
            for look, shown in recognition.shown(item):
                seen.shown[key_of(look)].append(shown)
        if isinstance(item, Span):
            seen.channels.add(item.channel)
    return seen


def key_of(look: ConditionLook) -> tuple[str, str]:
    """Return under which channel and code a look's lines are kept."""
    return look.channel, look.code


Wanted = Sequence[tuple[LineLook, Pattern]]


def _see_item(seen: Seen, item: Evidence | Item, wanted: Wanted) -> None:
    match item:
        case Evidence():
            seen.evidence[item.id] = item
            if item.source in _HOST_SOURCES and item.target:
                seen.hosts.add(item.target)
        case Reading():
            _see_reading(seen, item)
        case ObjectState():
            _see_object(seen, item)
        case Series():
            for name in {item.query, item.labels.get("__name__", "")} - {""}:
                seen.series[name].append(item)
        case Record():
            _see_line(seen, item, wanted)
        case _:
            pass


def _see_reading(seen: Seen, reading: Reading) -> None:
    seen.readings[reading.kind].append(reading)
    if reading.host:
        seen.hosts.add(reading.host)
        if reading.kind == "gpu":
            seen.gpu_hosts.add(reading.host)


def _see_object(seen: Seen, state: ObjectState) -> None:
    seen.objects[state.kind].append(state)
    status = state.content.get("status")
    if state.kind == "Node" and isinstance(status, Mapping):
        capacity = status.get("capacity")
        if isinstance(capacity, Mapping) and GPU_RESOURCE in capacity:
            seen.gpu_hosts.add(state.name)


def _see_line(seen: Seen, record: Record, wanted: Wanted) -> None:
    for look, pattern in wanted:
        if record.channel in look.channels and any(part in record.text for part in look.literals):
            groups = pattern.search(encode(record.text))
            if groups is not None:
                seen.lines[look.regex].append(Line(groups, record))
