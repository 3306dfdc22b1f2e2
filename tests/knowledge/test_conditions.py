import pytest

from knowledge.conditions import as_text, holds, lookup, parse_path
from knowledge.errors import PatternInvalidError
from knowledge.page import Condition

NODE = {
    "metadata": {"name": "n1", "created": "2026-01-05T10:00:00Z"},
    "spec": {"unschedulable": True, "taints": [{"key": "a"}, {"key": "b"}]},
    "status": {
        "capacity": {"nvidia.com/gpu": "8", "memory": "1Ti"},
        "allocatable": {"nvidia.com/gpu": "7", "memory": "1024Gi"},
        "phase": "Running",
        "images": ["x", "y"],
        "ready": "True",
        "seen": "2026-01-05T18:00:00+08:00",
        "empty": None,
    },
}


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("a", ("a",)),
        ("a.b.c", ("a", "b", "c")),
        ('status.capacity."nvidia.com/gpu"', ("status", "capacity", "nvidia.com/gpu")),
        ("items[0].name", ("items", "0", "name")),
    ],
)
def test_paths_split_into_keys(path: str, keys: tuple[str, ...]) -> None:
    """Quoted keys keep their dots."""
    assert parse_path(path) == keys


@pytest.mark.parametrize("path", ["", "a.", ".a..b", 'a."b', "a[x]", "a[0"])
def test_malformed_paths_are_refused(path: str) -> None:
    """The message shows the path."""
    with pytest.raises(PatternInvalidError):
        parse_path(path)


@pytest.mark.parametrize(
    ("field", "op", "value", "truth"),
    [
        ("status.phase", "==", "Running", True),
        ("status.phase", "!=", "Running", False),
        ("status.phase", "in", ("Failed", "Running"), True),
        ("status.images", "in", ("y", "z"), True),
        ("status.phase", "matches", "Run.*", True),
        ("status.phase", "matches", "Run", False),
        ("status.phase", "lacks", "fail|err", True),
        ("status.phase", "lacks", "unn", False),
        ("status.nothing", "lacks", "x", False),
        ("status.phase", ">", "Aaa", False),
        ('status.capacity."nvidia.com/gpu"', "==", 8, True),
        ('status.capacity."nvidia.com/gpu"', ">=", 9, False),
        ("status.capacity.memory", "<", "2Ti", True),
        ("spec.unschedulable", "==", True, True),
        ("spec.unschedulable", "==", "true", True),
        ("status.ready", "==", True, True),
        ("spec.taints[1].key", "==", "b", True),
        ("spec.taints[7].key", "exists", None, False),
        ("status.nothing", "absent", None, True),
        ("status.empty", "absent", None, True),
        ("status.nothing", "!=", "x", False),
        ("status.phase", "exists", None, True),
        ("status.phase.deeper", "exists", None, False),
        ("metadata.created", "<=", "2026-01-05T10:00:00+00:00", True),
    ],
)
def test_operators(field: str, op: str, value: object, truth: object) -> None:
    """Numbers, quantities, booleans and times compare as such; the rest as text."""
    assert (
        holds(Condition.model_validate({"field": field, "op": op, "value": value}), NODE) == truth
    )


def test_two_fields_are_compared() -> None:
    """`value_of` reads the other side; an absent other side decides nothing."""
    fewer = Condition(
        field='status.allocatable."nvidia.com/gpu"',
        op="<",
        value_of='status.capacity."nvidia.com/gpu"',
    )
    same = Condition(field="status.allocatable.memory", op="==", value_of="status.capacity.memory")
    times = Condition(field="status.seen", op="==", value_of="metadata.created")
    none = Condition(field="status.phase", op="!=", value_of="status.nothing")
    assert [holds(c, NODE) for c in (fewer, same, times, none)] == [True, True, True, False]


def test_a_root_path_starts_at_the_top() -> None:
    """Without a top the thing is its own."""
    taint = NODE["spec"]["taints"][0]  # type: ignore[index]  # a parsed document
    assert lookup(taint, "$.metadata.name", top=NODE) == "n1"
    assert lookup(taint, "key", top=NODE) == "a"
    assert lookup(NODE, "$.metadata.name") == "n1"


def test_values_are_written_as_sources_write_them() -> None:
    """No True, no 8.0."""
    assert [as_text(v) for v in (True, 8.0, 0.5, "x", 3)] == ["true", "8", "0.5", "x", "3"]
