"""What a pod was allowed stands beside what it was ended for."""

from collections.abc import Mapping

from assistant.event import Event
from assistant.timeline import order
from tests.assistant.items import kernel, look, thing
from tests.assistant.pages import catalog, line, page
from tools.evidence import Item, ObjectState

UID = "0f3c6a1e-9a51-4c7e-8f0a-2b1c3d4e5f60"
ID = "5d0c1f6a7b8e" * 5 + "abcd"
ENDED = {"terminated": {"reason": "OOMKilled"}}
BOOK = catalog(
    page(
        "oom-kill",
        kind="pod",
        shows_limit="memory",
        signatures=[line("oom-kill", "oom-kill", {"node": "{host}", "container": "{host}-x"})],
    ),
    page(
        "pod-oom-kill",
        kind="pod",
        shows_limit="memory",
        signatures=[
            line(
                "killed in",
                r"killed in (?P<uid>\S+)(?: of (?P<id>\w+))?",
                {"pod": "{uid}", "container": "{id}"},
            )
        ],
    ),
    page(
        "pod-oomkilled",
        kind="pod",
        shows_limit="memory",
        signatures=[
            {
                "id": "s",
                "source": "object",
                "kind": "Pod",
                "each": "status.containerStatuses",
                "where": [{"field": "state.terminated.reason", "op": "==", "value": "OOMKilled"}],
                "entity": {"pod": "{$.metadata.namespace}/{$.metadata.name}"},
                "fields": {"container_name": "name"},
                "examples": [{}],
            }
        ],
    ),
)


def pod(state: Mapping[str, object], **limits: str) -> ObjectState:
    """A pod with a container for each limit, of which `main` is in that state."""
    containers = [
        {"name": name, "resources": {"limits": {"memory": limit}}} for name, limit in limits.items()
    ]
    statuses = [{"name": "main", "state": state, "containerID": f"containerd://{ID}"}]
    content = {"spec": {"containers": containers}, "status": {"containerStatuses": statuses}}
    return thing("Pod", "t-0", content, namespace="ml", uid=UID)


def seen(*items: Item) -> Event:
    """The one event of these items."""
    (event,) = order(look(items, BOOK), BOOK).events
    return event


def test_the_limit_of_the_container_that_ended_is_shown_and_cited() -> None:
    """Its own, as the specification writes it, not that of its neighbour."""
    event = seen(pod(ENDED, sidecar="1Gi", main="64Gi"))
    assert event.fields["memory_limit"] == "64Gi"
    assert event.citations[-1].text == (
        "Pod ml/t-0: spec.containers[1].resources.limits.memory=64Gi"
    )


def test_the_kernels_word_gets_the_limit_of_its_pod() -> None:
    """By the container's id; without one only where the pod has one limit."""
    running: Mapping[str, object] = {"running": {}}
    both = pod(running, sidecar="1Gi", main="64Gi")
    assert seen(both, kernel("n1", 0, f"killed in {UID} of {ID}")).fields["memory_limit"] == "64Gi"
    assert "memory_limit" not in seen(both, kernel("n1", 0, f"killed in {UID}")).fields
    single = pod(running, main="64Gi")
    assert seen(single, kernel("n1", 0, f"killed in {UID}")).fields["memory_limit"] == "64Gi"


def test_an_unknown_limit_is_not_made_up() -> None:
    """A pod without limits, and a kill in no pod."""
    assert "memory_limit" not in seen(pod(ENDED)).fields
    assert "memory_limit" not in seen(kernel("n1", 0, "oom-kill")).fields
