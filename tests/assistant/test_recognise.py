"""Items that stream past become what they show."""

import pytest

from tests.assistant.items import at, kernel, look, reading, said, since_t0, thing
from tests.assistant.pages import HANDBOOK, catalog, line, page
from tools.evidence import Evidence, Gap, Span

XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."


def test_memory_grows_with_things_not_with_lines() -> None:
    """Four thousand repeats are one burst with four places at most."""
    found = look(kernel("n1", n / 10, XID, line=n) for n in range(4000))
    (burst,) = found.bursts
    assert burst.count == 4000
    assert len(burst.citations()) <= 4
    assert burst.citations()[-1].line == 3999


def test_a_flood_of_distinct_things_is_counted_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit they are only counted, and a gap says so."""
    monkeypatch.setattr("assistant.burst.MOST_BURSTS", 200)
    flood = catalog(
        page(
            "odd-process",
            kind="process",
            signatures=[line("odd", r"odd (?P<pid>\d+)", {"process": "{host}/{pid}"})],
        )
    )
    found = look((kernel("n1", n, f"odd {n}") for n in range(205)), flood)
    assert len(found.bursts) == 200
    (gap,) = found.gaps
    assert "5 further occurrences of odd-process" in gap.why


def test_what_was_read_and_normal_is_kept_for_coverage() -> None:
    """Spans of logs, and states in which nothing held."""
    span = Span("E1", 0, 100, 10, at(0), at(600), host="n1", channel="kernel")
    status = {"allocatable": {"nvidia.com/gpu": "8"}, "capacity": {"nvidia.com/gpu": "8"}}
    node = thing("Node", "n1", {"status": status})
    found = look([span, node, Evidence(id="E1", source="journal", command="x")])
    (spanned,) = found.spans
    assert (spanned.host, spanned.channel, spanned.lines) == ("n1", "kernel", 10)
    (seen,) = found.seen
    assert (seen.name, seen.entity, seen.pages) == ("Node", ("node", "n1"), set())
    assert [e.id for e in found.evidence] == ["E1"]


def test_two_mount_options_give_the_major_timeout() -> None:
    """timeo x (retrans + 1), bound to the mount that has them."""
    options = page(
        "nfs-mount-options",
        kind="mount",
        role="context",
        signatures=[
            line(
                "timeo=",
                r"on (?P<path>/\S*) .*timeo=(?P<timeo>\d+),retrans=(?P<retrans>\d+)",
                {"mount": "{host}:{path}"},
                source="command",
                yields="setting",
                fields={"timeo": "deciseconds", "retrans": "int"},
                settings={"nfs_timeo_s": "timeo", "nfs_retrans": "retrans"},
            )
        ],
    )
    text = "10.0.0.10:/x on /data type nfs4 (rw,timeo=600,retrans=2)"
    found = look([said("command", 0, text, host="n1")], catalog(options))
    values = {setting.name: setting.value for setting in found.settings}
    assert values == {"nfs_timeo_s": 60, "nfs_retrans": 2, "nfs_major_timeout_s": 180}
    assert [(a.kind, a.id) for a in found.settings[0].anchors] == [("mount", "n1:/data")]


def test_a_relation_line_ties_its_things() -> None:
    """A page of relations makes no event, but names one thing under two names."""
    vip = page(
        "ha-vip",
        role="context",
        kind="storage_server",
        signatures=[
            line(
                "takes over", r"(?P<a>\S+) takes over (?P<b>\S+)", {}, source="device",
                yields="relation",
                relation=[
                    {"kind": "storage_server", "id": "{a}"},
                    {"kind": "storage_server", "id": "{b}"},
                ],
            )
        ],
    )  # fmt: skip
    found = look([said("device", 0, "ctl-b takes over 10.0.0.10")], catalog(vip))
    assert found.topology.alias("storage_server", "ctl-b") == "10.0.0.10"
    assert found.bursts == ()


def test_a_state_seen_otherwise_later_is_over() -> None:
    """The second look ends what the first showed."""
    status = {"capacity": {"nvidia.com/gpu": "8"}}
    bad = thing("Node", "n1", {"status": {**status, "allocatable": {"nvidia.com/gpu": "7"}}})
    good = thing(
        "Node", "n1", {"status": {**status, "allocatable": {"nvidia.com/gpu": "8"}}}, seconds=60
    )
    (burst,) = look([bad, good]).bursts
    assert burst.end is not None
    assert since_t0(burst.end) == 60


def test_a_healthy_gpu_does_not_absolve_its_neighbour() -> None:
    """A contrary look counts for the part that was looked at, not for its host."""
    lost = page(
        "gpu-missing",
        signatures=[
            {
                "id": "lost",
                "source": "reading",
                "kind": "gpu",
                "where": [{"field": "lost", "op": "==", "value": "yes"}],
                "entity": {"node": "{host}"},
                "examples": [{"lost": "yes"}],
            }
        ],
    )
    gpus = [reading("gpu", "n1", index=str(n), lost="yes" if n == 1 else "no") for n in range(3)]
    (burst,) = look(gpus, catalog(lost)).bursts
    assert burst.end is None
    assert burst.before_s > 86400


def test_gaps_pass_through() -> None:
    """What could not be read is kept as it came."""
    gap = Gap(source="file", target="x", why="damaged")
    assert look([gap, reading("odd", "n1", value=1.0)], HANDBOOK).gaps == (gap,)


def test_an_event_object_counts_its_repeats() -> None:
    """Count and first time come from the Event itself."""
    found = look(
        [
            said(
                "event", 300, "Node n1 status is now: NodeNotReady",
                fields={"name": "n1", "count": "7", "first_time": "2025-06-20T02:00:00Z"},
            )
        ]
    )  # fmt: skip
    (burst,) = found.bursts
    assert (burst.count, since_t0(burst.first), since_t0(burst.last)) == (7, 0, 300)


def test_a_resolved_alert_is_over_and_a_firing_one_is_not() -> None:
    """A firing alert's `endsAt` is only when it would lapse."""
    base = {"node": "n1", "bdf": "0000:9b:00", "ends": "2025-06-20T02:10:00Z"}
    for status, over in (("resolved", True), ("firing", False)):
        (burst,) = look([said("alert", 0, "GpuXid79", fields={**base, "status": status})]).bursts
        assert (burst.end is not None) is over
