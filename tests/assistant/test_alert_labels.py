"""An alert that names no thing is about what its labels say."""

import pytest

from assistant.event import Event
from assistant.timeline import order
from tests.assistant.items import look, said, thing
from tests.assistant.pages import catalog, line, page
from tools.evidence import Item, Record

BOOK = catalog(
    page(
        "job-failed",
        kind="job",
        damage=2,
        signatures=[
            line("JobFailed", "JobFailed", {"job": "{namespace}/{job_name}"}, source="alert")
        ],
    ),
    page(
        "gpus-gone",
        kind="node",
        signatures=[line("GPUGone", "GPUGone", {"node": "{node}"}, source="alert")],
    ),
)


def alert(name: str, host: str = "", **labels: str) -> Record:
    """A firing alert."""
    return said("alert", 0, f"{name}: look", host=host, fields=labels, clock="scrape:p")


def pod(job: str, node: str, namespace: str = "train") -> Item:
    """A member of a job."""
    content = {"metadata": {"labels": {"job-name": job}}, "spec": {"nodeName": node}}
    return thing("Pod", f"{job}-0", content, namespace=namespace)


PODS = [pod("a", "n1"), pod("b", "n2"), pod("c", "n3", namespace="serve")]


def seen(*items: Item) -> Event:
    """The one event of these items."""
    (event,) = order(look(items, BOOK), BOOK).events
    return event


def places(event: Event, kind: str) -> dict[str, bool]:
    """Identity of each anchor of a kind, and whether it is inferred."""
    return {anchor.id: anchor.inferred for anchor in event.anchors if anchor.kind == kind}


def test_a_job_label_names_the_job_under_whatever_label() -> None:
    """With its namespace where there is one; Prometheus' own `job` label is the scraper's."""
    labels = {"namespace": "train", "job": "kube-state-metrics"}
    event = seen(*PODS, alert("JobFailed", training_job="a", **labels))
    assert (event.entity.kind, event.entity.id) == ("job", "train/a")
    assert places(event, "job") == {"train/a": False}
    event = seen(alert("JobFailed", slurm_job_id="4711"))
    assert (event.entity.kind, event.entity.id) == ("job", "slurm:4711")


def test_a_namespace_with_one_job_means_that_job_as_a_conclusion() -> None:
    """Other namespaces' jobs are none of it; which of two jobs it was is not said."""
    event = seen(*PODS, alert("JobFailed", namespace="serve"))
    assert event.entity.kind == "cluster"
    assert places(event, "job") == {"serve/c": True}
    assert not places(event, "namespace")
    assert not places(seen(*PODS, alert("JobFailed", namespace="train")), "job")


def test_a_cluster_label_names_the_cluster() -> None:
    """An exporter that speaks of others is not the node that is meant."""
    labels = {"cluster": "astra", "job": "kube-state-metrics", "instance": "ksm-1:8080"}
    event = seen(*PODS, alert("GPUGone", host="ksm-1", **labels))
    assert (event.entity.kind, event.entity.id) == ("cluster", "astra")
    assert not places(event, "node")
    event = seen(*PODS, alert("GPUGone", host="n1", instance="n1:9100", job="dcgm"))
    assert event.entity.id == "n1"


def test_an_alert_over_many_is_a_witness_of_what_was_seen_of_them() -> None:
    """The first job that failed in the namespace shortly before gets its citation."""
    early, late = (
        said("alert", s, "JobFailed: look", fields={"namespace": "train", "job_name": job})
        for s, job in ((-600, "a"), (-300, "b"))
    )
    elsewhere = said("alert", -700, "JobFailed: look", fields={"namespace": "x", "job_name": "y"})
    events = order(
        look([early, late, elsewhere, alert("JobFailed", namespace="train")], BOOK), BOOK
    )
    cited = {event.entity.id: len(event.citations) for event in events.events}
    assert cited == {"train/a": 2, "train/b": 1, "x/y": 1}


def test_alerts_of_one_name_are_told_apart_by_their_labels() -> None:
    """Two jobs, two events, though the words are the same."""
    one = alert("JobFailed", namespace="train", training_job="a")
    other = alert("JobFailed", namespace="train", training_job="b")
    events = order(look([one, other], BOOK), BOOK).events
    assert {event.entity.id for event in events} == {"train/a", "train/b"}


UNKNOWN = catalog(
    page(
        "unknown-alert",
        kind="service",
        role="symptom",
        severity="warning",
        signatures=[
            {
                "id": "any",
                "source": "alert",
                "fallback": True,
                "regex": "^(?P<alert>[^:]+)",
                "entity": {"service": "{alert}"},
                "examples": ["A: a", "B: b"],
            }
        ],
    ),
)


@pytest.mark.parametrize(
    ("labels", "severity"),
    [
        ({"severity": "critical"}, "critical"),
        ({"severity": "Page"}, "critical"),
        ({"severity": "info"}, "info"),
        ({"severity": "sev-of-ours"}, "warning"),
        ({}, "warning"),
        ({"severity": "critical", "status": "pending"}, "info"),
        ({"severity": "critical", "status": "suppressed"}, "info"),
        ({"severity": "critical", "status": "active"}, "critical"),
    ],
)
def test_an_unknown_alert_is_as_grave_as_it_says(labels: dict[str, str], severity: str) -> None:
    """One that is silenced or does not fire yet only informs; no word of it: the page's own."""
    (event,) = order(look([alert("JobThroughputLow", **labels)], UNKNOWN), UNKNOWN).events
    assert (event.entity.id, event.severity) == ("JobThroughputLow", severity)


GPU_THERE = {"kind": "gpu", "anchors": ["node"]}
CODED = catalog(
    page(
        "alert-firing",
        kind="service",
        signatures=[
            {
                "id": "any",
                "source": "alert",
                "fallback": True,
                "regex": "^(?P<alert>[^:]+)",
                "entity": {"service": "{alert}", "node": "{node}"},
                "examples": ["A: a", "B: b"],
            }
        ],
    ),
    page("xid-95", entity=GPU_THERE, codes=["Xid 95"]),
    page("xid-79", entity=GPU_THERE, codes=["Xid 79"]),
    page("gst-1", codes=["GST-1001"], stands_for=["xid-79"]),
)


@pytest.mark.parametrize(
    ("name", "labels", "told"),
    [
        ("GpuErrors", {"xid": "95"}, "xid-95"),
        ("Xid 95 on GPU 3", {"xid": "95", "code": "GST-1001"}, "xid-95"),
        ("Xid 95 after Xid 79", {}, "alert-firing"),
        ("GpuErrors", {"xid": "7"}, "alert-firing"),
        ("GST-1001", {}, "alert-firing"),
    ],
)
def test_an_unknown_alert_with_one_code_is_the_condition_of_that_code(
    name: str, labels: dict[str, str], told: str
) -> None:
    """In its words or as a label; several name none, and a class of symptoms is no condition."""
    (event,) = order(look([alert(name, node="n3", **labels)], CODED), CODED).events
    assert event.page == told
    assert event.entity.kind == ("service" if told == "alert-firing" else "node")


PAGED = {"page": "xid-79", "Hostname": "n3", "UUID": "GPU-11111111-2222-3333-4444-555555555555"}


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (PAGED, ("xid-79", "gpu", PAGED["UUID"])),
        (PAGED | {"UUID": ""}, ("xid-79", "node", "n3")),
        (PAGED | {"page": "of-another-handbook"}, ("alert-firing", "service", "GPUGone")),
        (PAGED | {"page": "gst-1"}, ("alert-firing", "service", "GPUGone")),
    ],
)
def test_a_rule_that_names_a_page_reports_its_condition(
    labels: dict[str, str], told: tuple[str, str, str]
) -> None:
    """On the thing that its labels name; what nobody has, or is no condition, is no page."""
    (event,) = order(look([alert("GPUGone", host="n3", **labels)], CODED), CODED).events
    assert (event.page, event.entity.kind, event.entity.id) == told


def test_no_line_of_a_program_names_its_page() -> None:
    """The label is the rule's; whoever prints it in a field is no rule."""
    record = said("app", 0, "GPUGone: look", host="n3", fields=dict(PAGED))
    assert not order(look([record], CODED), CODED).events
