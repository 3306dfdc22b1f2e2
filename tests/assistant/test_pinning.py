"""Reports that name a device's host and not the device."""

from assistant.event import Event
from assistant.timeline import order
from tests.assistant.items import kernel, look, said
from tests.assistant.pages import catalog, line, page

BOOK = catalog(
    page(
        "port-down",
        kind="nic",
        lasts_s=600,
        signatures=[
            line(
                "port error",
                "port error",
                {"pod": "{namespace}/{pod}", "node": "{host}"},
                source="app",
            ),
            line("Link DOWN", r"(?P<hca>mlx5_\d): Link DOWN", {"nic": "{host}/{hca}"}),
        ],
    )
)
POD = {"namespace": "ml", "pod": "t-0"}


def _events(*ports: str) -> list[Event]:
    heard = said("app", 0, "async event: port error", host="n1", fields=POD)
    seen = [kernel("n1", 5, f"{port}: Link DOWN") for port in ports]
    return list(order(look([heard, *seen], BOOK), BOOK).events)


def test_a_report_without_a_device_is_of_the_one_that_has_the_condition() -> None:
    """The program heard of a port error, and one port of its host is down: one event."""
    (event,) = _events("mlx5_5")

    assert event.entity.key == "nic:n1/mlx5_5"
    assert event.channels == {"app", "kernel"}
    assert ("pod", "ml/t-0") in {(a.kind, a.id) for a in event.anchors}


def test_with_two_devices_it_stays_where_it_was_heard() -> None:
    """Which of them is meant, nobody said."""
    kinds = {event.entity.kind for event in _events("mlx5_4", "mlx5_5")}

    assert kinds == {"nic", "pod"}
