"""A cause that was only inferred is drawn and named like any other."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

import pytest

from assistant.diagnosis.result import ChainLink
from integrations.rendering.content import plain
from integrations.rendering.document import render_json
from integrations.rendering.graph import draw_graph
from integrations.rendering.page import render_html
from integrations.rendering.propagation import build_chain, tell_condition
from integrations.rendering.record import build_timeline
from integrations.rendering.terminal import LIMITS
from integrations.rendering.view import View

NAME = "inferred:storage-controller-failover:10.0.0.10"


@pytest.fixture(name="hidden")
def _hidden(view: View) -> View:
    """The sample, had the storage system's own log not been read."""
    found, diagnosis = view.investigation, view.diagnosis
    assert diagnosis is not None
    lead = diagnosis.hypotheses[0].model_copy(update={"observed": False, "event": ""})
    link = ChainLink(
        source=NAME, target="ev3", delay_s=60, delay_uncertainty_s=5, status="inferred",
        scope="server",
    )  # fmt: skip
    root = diagnosis.root_causes[0].model_copy(update={"observed": False, "event": ""})
    changes = {"hypotheses": (lead,), "chain": (link,), "root_causes": (root,)}
    diagnosis = diagnosis.model_copy(update=changes)
    return View(found.model_copy(update={"diagnosis": diagnosis}), view.pages, view.words)


def test_the_chain_begins_at_it(hidden: View) -> None:
    """Its title and entity are there, and no id that leads nowhere."""
    told = str(build_chain(hidden, LIMITS))
    assert "Storage controller failover" in told
    assert "10.0.0.10" in told
    assert NAME not in told
    assert plain(tell_condition(hidden, NAME)).startswith("Storage controller failover")


def test_the_graph_draws_it_dashed(hidden: View) -> None:
    """It is a root, and said to be inferred."""
    graph = draw_graph(hidden)
    assert graph is not None
    box = next(box for box in graph.boxes if box.event == NAME)
    assert box.root
    assert box.inferred
    assert box.label == "inferred"
    assert 'class="box root inferred"' in render_html(hidden)


def test_it_is_no_event_of_the_timeline(hidden: View) -> None:
    """Nobody saw it."""
    assert NAME not in {event.id for event in hidden.events}
    assert "controller failover · inferred" not in str(build_timeline(hidden, LIMITS))


def _named(document: Mapping[str, object]) -> Iterator[object]:
    """Yield every id of an event that the document names."""
    parts = {key: cast("list[dict[str, object]]", document[key]) for key in _PARTS}
    for link in parts["chain"]:
        yield from (link["from"], link["to"])
    for one in (*parts["hypotheses"], *parts["root_causes"]):
        yield one["event"]
        yield from cast("list[str]", one["explains"])


_PARTS = ("chain", "hypotheses", "root_causes")


def test_every_event_that_the_document_names_stands_in_it(hidden: View) -> None:
    """Those seen stand among the events, the inferred one in a list of its own."""
    document = json.loads(render_json(hidden))
    seen = {event["id"] for event in document["events"]}
    inferred = {event["id"] for event in document["inferred_events"]}
    assert inferred == {NAME}
    assert NAME not in seen
    assert document["root_causes"][0]["event"] == NAME
    assert set(_named(document)) <= seen | inferred
