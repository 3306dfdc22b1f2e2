"""When a second root is named beside the first, and when it is none."""

from assistant.diagnosis.diagnose import diagnose
from tests.assistant.diagnosis.outage import BAD_GPU, RANK_DIED, TIMEOUT, WORLD
from tests.assistant.diagnosis.world import case, event, kernel, page, watched
from tools.evidence import Citation


def test_what_its_own_line_states_makes_no_second_root() -> None:
    """A line that names a cause and its effect, beside a fault that explains the damage."""
    killed = page("killed", "symptom", damage=2, signatures=[kernel("killed")])
    oom = page(
        "oom",
        effects=[
            {"effect": "killed", "scope": "line", "strength": "always", "definitional": True},
            {"effect": "timeout", "scope": "job"},
        ],
        signatures=[kernel("oom")],
    )
    line = (Citation(evidence="E7", line=7, text="oom: killed"),)
    job = [("job", "train/a")]
    events = [
        event("ev1", BAD_GPU, 0, anchors=[("gpu", "GPU-1"), *job]),
        event("ev2", RANK_DIED, 2, anchors=job),
        event("ev3", oom, 1, node="n2", anchors=job, citations=line),
        event("ev4", killed, 1, node="n2", anchors=job, citations=line),
        event("ev5", TIMEOUT, 300, node="n3", anchors=job),
    ]
    found = diagnose(case([*WORLD, oom, killed], events, sight=watched("n1", "n2", "n3")))
    assert [root.page for root in found.root_causes] == ["bad-gpu"]


def test_a_fault_that_comes_again_accounts_for_both_harms() -> None:
    """Hours apart, on one thing: one root, nothing left unexplained."""
    events = [
        event("ev1", BAD_GPU, 0, anchors=[("gpu", "GPU-1")]),
        event("ev2", RANK_DIED, 2),
        event("ev3", BAD_GPU, 9000, anchors=[("gpu", "GPU-1")]),
        event("ev4", RANK_DIED, 9002),
    ]
    found = diagnose(case(WORLD, events, sight=watched("n1", until=20000), window=(-600, 12000)))
    (root,) = found.root_causes
    assert root.event == "ev1"
    assert {"ev2", "ev3", "ev4"} <= set(root.explains)
    assert found.unexplained == ()
