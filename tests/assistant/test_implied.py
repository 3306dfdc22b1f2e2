"""What a page names and the evidence does not is a conclusion."""

from assistant.event import Event
from assistant.timeline import order
from tests.assistant.items import look, said, series, thing
from tests.assistant.pages import catalog, line, page
from tools.evidence import Item

API = "kube-apiserver"
SLOW = page(
    "apiserver-slow",
    kind="control_plane",
    signatures=[
        line(
            "request timed out",
            "request timed out",
            {"control_plane": API, "node": "{host}"},
            source="service",
        ),
        {
            "id": "p99",
            "source": "metric",
            "query": "p99",
            "expr": "p99",
            "op": ">",
            "value": 1,
            "entity": {"control_plane": API},
            "examples": [{"value": 2}],
        },
        {
            "id": "down",
            "source": "object",
            "kind": "Status",
            "where": [{"field": "ready", "op": "==", "value": "no"}],
            "entity": {"control_plane": API},
            "examples": [{"ready": "no"}],
        },
    ],
)
BOOK = catalog(SLOW)


def seen(*items: Item) -> Event:
    """The one event of these items."""
    (event,) = order(look(items, BOOK), BOOK).events
    return event


def is_inferred(event: Event, kind: str = "control_plane") -> bool:
    """Whether the event's place of this kind is a conclusion."""
    return next(anchor.inferred for anchor in event.anchors if anchor.kind == kind)


def test_a_place_that_only_the_page_names_is_inferred() -> None:
    """The line says that a request timed out, not whose answer was late."""
    event = seen(said("service", 0, "request timed out", host="n1"))
    assert event.entity.id == API
    assert is_inferred(event)
    assert not is_inferred(event, "node")


def test_a_place_that_the_line_or_its_writer_names_is_stated() -> None:
    """The same word in the text, in the unit, in a label, in the object."""
    named = said("service", 0, f"{API}: request timed out", host="n1")
    assert not is_inferred(seen(named))
    assert not is_inferred(seen(said("service", 0, "request timed out", host="n1", unit=API)))
    assert not is_inferred(seen(series("p99", {"job": API}, (0, 2.0))))
    assert is_inferred(seen(series("p99", {"job": "apiservers"}, (0, 2.0))))
    assert not is_inferred(seen(thing("Status", API, {"ready": "no"})))
    assert is_inferred(seen(thing("Status", "healthz", {"ready": "no"})))


def test_one_line_that_names_it_is_enough() -> None:
    """In whatever order, and by whatever clock."""
    plain = said("service", 0, "request timed out", host="n1", clock="host:n1")
    named = said("service", 30, f"{API}: request timed out", host="n1", clock="host:n1")
    other = said("service", 30, f"{API}: request timed out", host="n2", clock="host:n2")
    assert not is_inferred(seen(plain, named))
    assert not is_inferred(seen(named, plain))
    assert not is_inferred(seen(plain, other))
