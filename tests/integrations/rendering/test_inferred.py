"""A cause that was only inferred is drawn and named like any other."""

import pytest

from assistant.diagnosis.result import ChainLink
from integrations.rendering.content import plain
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
