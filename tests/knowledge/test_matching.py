from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from knowledge.matching import Matcher, judge_state, matcher_of
from knowledge.page import StateSignature
from tests.knowledge.pages import NFS, XID, catalog, page

NFS_APP = {**NFS, "source": "app"}
EVENT = {
    "id": "event",
    "source": "event",
    "reason": "TaintManagerEviction",
    "regex": r"Marking for deletion Pod (?P<pod>\S+)",
    "examples": ["Marking for deletion Pod ml/train-0"],
}
TOOK = {
    "id": "took",
    "source": "service",
    "unit": "etcd",
    "literal": "slow fdatasync",
    "regex": r'"took":"(?P<took>[^"]+)"',
    "fields": {"took": "duration"},
    "examples": ['{"msg":"slow fdatasync","took":"6.918204551s"}'],
}
READY = {
    "id": "condition",
    "source": "object",
    "kind": "Node",
    "each": "status.conditions",
    "where": [
        {"field": "type", "op": "==", "value": "Ready"},
        {"field": "status", "op": "!=", "value": "True"},
        {"field": "$.spec.unschedulable", "op": "absent"},
    ],
    "since": "lastTransitionTime",
    "entity": {"node": "{metadata.name}"},
    "fields": {"message": "message", "reason": "reason"},
    "examples": [{}],
}
HOT = {
    "id": "hot",
    "source": "metric",
    "query": "iowait",
    "expr": "avg(rate(x[5m]))",
    "op": ">",
    "value": 0.5,
    "for_s": 60,
    "entity": {"node": "{instance}"},
    "examples": [{"instance": "n1", "value": 0.9}],
}

OOM = {
    "id": "oom",
    "source": "metric",
    "query": "oom_events",
    "expr": 'increase(container_oom_events_total{container!=""}[10m])',
    "op": ">",
    "value": 0,
    "entity": {"pod": "{namespace}/{pod}"},
    "examples": [{"namespace": "ml", "pod": "a", "value": 1}],
}
READONLY = {
    "id": "readonly",
    "source": "metric",
    "query": "node_filesystem_readonly",
    "expr": 'node_filesystem_readonly{fstype="ext4"}',
    "op": "==",
    "value": 1,
    "examples": [{"fstype": "ext4", "value": 1}],
}


@dataclass(frozen=True)
class Dot:
    at: datetime
    value: float


def dots(*values: float) -> list[Dot]:
    start = datetime(2026, 1, 5, tzinfo=UTC)
    return [Dot(start + timedelta(seconds=30 * n), value) for n, value in enumerate(values)]


@pytest.fixture(name="matcher", scope="module")
def _matcher() -> Matcher:
    return Matcher(
        catalog(
            page("xid-79", signatures=[XID]),
            page("nfs-down", signatures=[NFS]),
            page("nfs-down-twin", signatures=[NFS]),
            page("app-says-nfs", signatures=[NFS_APP]),
            page("evicted", signatures=[EVENT]),
            page("etcd-slow", signatures=[TOOK]),
            page("not-ready", signatures=[READY]),
            page("iowait", signatures=[HOT]),
            page("oom", signatures=[OOM]),
            page("readonly", signatures=[READONLY]),
        )
    )


def pages(found: list[object]) -> list[str]:
    return sorted(str(getattr(match, "page", "")) for match in found)


def test_a_line_gives_its_named_groups(matcher: Matcher) -> None:
    """Named groups come out as values, by page."""
    (found,) = matcher.match_text("kernel", "", XID["examples"][0])
    assert (found.page, found.values) == ("xid-79", {"bdf": "0000:9b:00", "pid": "1203"})


def test_one_line_may_show_several_conditions(matcher: Matcher) -> None:
    """Every page whose signature holds is returned."""
    found = matcher.match_text("kernel", "", NFS["examples"][0])
    assert pages(found) == ["nfs-down", "nfs-down-twin"]


def test_a_fallback_takes_only_what_nobody_else_takes() -> None:
    """It needs no literal, and stands back wherever another page of its channel speaks."""
    spare = {"id": "any", "source": "kernel", "fallback": True, "regex": "^.", "examples": ["a"]}
    matcher = Matcher(catalog(page("nfs-down", signatures=[NFS]), page("any", signatures=[spare])))
    assert pages(matcher.match_text("kernel", "", NFS["examples"][0])) == ["nfs-down"]
    assert pages(matcher.match_text("kernel", "", "never heard of")) == ["any"]
    assert not matcher.match_text("service", "", "never heard of")
    held = Matcher(catalog(page("any", signatures=[{**spare, "literal": "heard of"}])))
    assert pages(held.match_text("kernel", "", "never heard of")) == ["any"]
    assert not held.match_text("kernel", "", "never heard")


def test_a_recovery_line_ends_the_condition(matcher: Matcher) -> None:
    """The ending's own literal and expression lead to a match marked as ended."""
    found = matcher.match_text("kernel", "", "nfs: server 10.0.0.10 OK")
    assert [match.ended for match in found] == [True, True]


@pytest.mark.parametrize("channel", ["app", "text"])
def test_an_application_cannot_speak_for_the_kernel(matcher: Matcher, channel: str) -> None:
    """A kernel line printed by an application, or by nobody known, shows only app conditions."""
    assert pages(matcher.match_text(channel, "", NFS["examples"][0])) == ["app-says-nfs"]
    assert not matcher.match_text(channel, "", XID["examples"][0])


@pytest.mark.parametrize(
    ("channel", "shown"),
    [
        ("kernel", ["nfs-down", "nfs-down-twin"]),
        ("quoted", ["nfs-down", "nfs-down-twin"]),
        ("service", ["app-says-nfs"]),
        ("app", ["app-says-nfs"]),
        ("text", ["app-says-nfs"]),
        ("event", []),
    ],
)
def test_a_channel_shows_what_it_can_speak_for(
    matcher: Matcher, channel: str, shown: list[str]
) -> None:
    """What a host runs may print an application's words; only the kernel's transport is its own."""
    assert pages(matcher.match_text(channel, "trainer", NFS["examples"][0])) == shown


def test_two_sources_of_one_page_are_one_witness() -> None:
    """Under systemd a program's line counts once, as the source that knows more of it."""
    both = [NFS | {"id": "own", "source": "service"}, NFS_APP | {"id": "workload"}]
    matcher = Matcher(catalog(page("nfs-down", signatures=both)))
    found = matcher.match_text("service", "trainer", NFS["examples"][0])
    assert [match.signature.id for match in found] == ["own"]


def test_an_event_without_literal_is_found_by_reason(matcher: Matcher) -> None:
    """The exact reason selects the signature; another reason does not."""
    text = EVENT["examples"][0]
    assert pages(matcher.match_text("event", "", text, reason="TaintManagerEviction")) == [
        "evicted"
    ]
    assert not matcher.match_text("event", "", text, reason="Killing")


@pytest.mark.parametrize(("unit", "hits"), [("etcd", 1), ("etcd-backup", 0), ("", 0)])
def test_the_unit_must_match_in_full(matcher: Matcher, unit: str, hits: int) -> None:
    """A signature bound to a unit ignores lines of others."""
    assert len(matcher.match_text("service", unit, TOOK["examples"][0])) == hits


def test_fields_are_decoded_by_type(matcher: Matcher) -> None:
    """A duration is in seconds."""
    (found,) = matcher.match_text("service", "etcd", TOOK["examples"][0])
    assert found.fields == {"took": 6.918204551}


def test_lone_surrogates_do_not_stop_matching(matcher: Matcher) -> None:
    """A line with undecodable bytes is matched all the same."""
    assert matcher.match_text("kernel", "", f"\udcff\ud800 {NFS['examples'][0]}")


def node(status: str, **spec: object) -> dict[str, object]:
    conditions = [
        {"type": "DiskPressure", "status": "False"},
        {
            "type": "Ready",
            "status": status,
            "reason": "KubeletNotReady",
            "message": "PLEG is not healthy",
            "lastTransitionTime": "2026-01-05T10:00:00Z",
        },
    ]
    return {
        "metadata": {"name": "n1"},
        "spec": dict(spec),
        "status": {"conditions": conditions},
    }


def test_each_item_of_a_list_is_tested(matcher: Matcher) -> None:
    """The item that holds gives fields and time, the whole object gives the identity."""
    (found,) = matcher.match_state("object", "Node", node("False"))
    assert found.values == {"metadata.name": "n1"}
    assert found.since == "2026-01-05T10:00:00Z"
    assert found.fields == {"message": "PLEG is not healthy", "reason": "KubeletNotReady"}


def test_a_list_in_each_item_of_a_list_is_tested() -> None:
    """Each parent of a route has conditions of its own; the place names both."""
    route = {"status": {"parents": [{}, {"conditions": [{"type": "Accepted"}, {"type": "Ready"}]}]}}
    ready = {"field": "type", "op": "==", "value": "Ready"}
    signature = StateSignature.model_validate(
        READY | {"each": "status.parents[].conditions", "where": [ready]}
    )
    (found,) = judge_state("page", signature, route)
    assert found.item == "status.parents[1].conditions[1]"


def test_a_root_path_reaches_out_of_the_item(matcher: Matcher) -> None:
    """`$.` tests the object itself; one failing condition is enough to stay silent."""
    assert not matcher.match_state("object", "Node", node("False", unschedulable=True))
    assert not matcher.match_state("object", "Node", node("True"))
    assert not matcher.match_state("reading", "Node", node("False"))


def test_a_series_gives_each_stretch_that_lasts(matcher: Matcher) -> None:
    """Stretches shorter than for_s are left out; the peak and both borders are told."""
    samples = dots(0.1, 0.9, 0.1, 0.6, 0.8, 0.7, 0.2)
    (found,) = matcher.match_series("iowait", {"instance": "n1"}, samples)
    run = found.interval
    assert run is not None
    assert (run.start, run.end, run.peak) == (samples[3].at, samples[6].at, 0.8)
    assert (run.before, run.last) == (samples[2].at, samples[5].at)
    assert found.values == {"instance": "n1"}


def test_names_tell_what_is_judged(matcher: Matcher) -> None:
    """Readers ask which kinds and queries matter."""
    assert matcher.state_kinds("object") == {"Node"}
    assert matcher.query_names() == {"iowait", "oom_events", "node_filesystem_readonly"}
    assert matcher.computable() == {
        "oom_events": "container_oom_events_total",
        "node_filesystem_readonly": "node_filesystem_readonly",
    }
    assert not matcher.match_series("other", {}, dots(1.0))


def test_a_plain_metric_is_computed_first(matcher: Matcher) -> None:
    """A loose counter is asked what a server would have been asked."""
    labels = {"namespace": "ml", "pod": "a", "container": "main"}
    (found,) = matcher.match_series("container_oom_events_total", labels, dots(0, 0, 1, 1))
    assert found.interval is not None
    assert found.interval.start == dots(0, 0, 1)[2].at
    assert not matcher.match_series("container_oom_events_total", {"container": ""}, dots(0, 1))


def test_a_query_called_like_its_metric_still_selects(matcher: Matcher) -> None:
    """Result or loose series, the labels are tested."""
    for fstype, count in (("ext4", 1), ("nfs4", 0)):
        found = matcher.match_series("node_filesystem_readonly", {"fstype": fstype}, dots(0, 1))
        assert len(found) == count


def test_a_catalog_has_one_matcher_and_no_other_catalog_gets_it() -> None:
    """Whoever investigates often compiles once; a changed page is another catalog."""
    one = catalog(page("a", signatures=[XID]))
    again = catalog(page("a", signatures=[XID]))
    changed = catalog(page("a", signatures=[NFS]))

    assert matcher_of(one) is matcher_of(again)
    assert matcher_of(changed) is not matcher_of(one)
    assert not matcher_of(changed).match_text("kernel", "", "NVRM: Xid (PCI:0000:9a:00): 79, x")
