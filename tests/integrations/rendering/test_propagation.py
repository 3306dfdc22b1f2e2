"""The chain is told as a tree and as a table of the same links."""

from itertools import pairwise

from assistant.diagnosis.result import ChainLink
from integrations.rendering.content import Chain, Limits, plain
from integrations.rendering.propagation import build_chain, find_homes, longest_way
from integrations.rendering.view import View

_LIMITS = Limits(events=9, hypotheses=9, rows=20, quotes=9)


def _chain(view: View) -> Chain:
    block = build_chain(view, _LIMITS).blocks[0]
    assert isinstance(block, Chain)
    return block


def _with(view: View, *links: tuple[str, str]) -> View:
    diagnosis = view.investigation.diagnosis
    assert diagnosis is not None
    chain = tuple(
        ChainLink(
            source=source,
            target=target,
            delay_s=1,
            delay_uncertainty_s=0,
            status="observed",
            scope="node",
        )
        for source, target in links
    )
    changed = diagnosis.model_copy(update={"chain": chain})
    return View(
        view.investigation.model_copy(update={"diagnosis": changed}), view.pages, view.words
    )


def test_every_link_stands_once_in_the_table_and_in_the_tree(view: View) -> None:
    """Causes stand above their effects, one step further in."""
    chain = _chain(view)

    assert len(chain.table.rows) == 10
    assert len(chain.steps) == 11
    lines = [(step.depth, plain(step.line)) for step in chain.steps]
    assert lines[0][0] == 0
    assert "Disk reports media errors" in lines[0][1]
    assert lines[1] == (1, lines[1][1])
    assert "Storage controller failover" in lines[1][1]
    depths = [depth for depth, _ in lines]
    assert all(b <= a + 1 for a, b in pairwise(depths))


def test_each_step_has_its_delay_and_its_evidence(view: View) -> None:
    """A reader can check every one of them; what is inferred says so."""
    steps = [plain(step.line) for step in _chain(view).steps[1:]]

    assert all(line.startswith(("+", "delay unknown", "within ")) for line in steps)
    assert all(" E" in line for line in steps)
    assert sum("inferred" in line for line in steps) == 2


def test_the_longest_way_goes_through_the_amplifiers(view: View) -> None:
    """Of all ways it is the one to tell."""
    way = [link.target for link in longest_way(view)]

    assert way == ["ev2", "ev3", "ev6", "ev7", "ev9", "ev11"]


def test_a_link_from_another_entity_of_a_drawn_condition_hangs_below_it(view: View) -> None:
    """Each condition is drawn once; the step says where it really starts."""
    twin = view.event_by_id["ev7"].model_copy(update={"id": "ev70"})
    timeline = view.investigation.timeline
    more = timeline.model_copy(update={"events": (*timeline.events, twin)})
    grown = View(view.investigation.model_copy(update={"timeline": more}), view.pages, view.words)
    changed = _with(grown, ("ev6", "ev7"), ("ev70", "ev8"))
    diagnosis = changed.diagnosis
    assert diagnosis is not None

    assert find_homes(changed, diagnosis.chain)["ev70"] == "ev7"
    last = _chain(changed).steps[-1]
    assert last.depth == 2
    assert "starting at ev70" in plain(last.line)


def test_a_circle_ends(view: View) -> None:
    """Links that lead back are told once."""
    circle = _with(view, ("ev2", "ev3"), ("ev3", "ev2"))

    assert len([step for step in _chain(circle).steps if step.depth]) == 2
    assert len(longest_way(circle)) <= 2
