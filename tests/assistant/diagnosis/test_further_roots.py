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


LINK = page("link", severity="critical", lasts_s=86400, effects=[{"effect": "lost"}])
LOST = page("lost", "mechanism", severity="critical", damage=1, lasts_s=86400)


def _with_loss(start: float, node: str, *, damage: int = 1) -> list[str]:
    """Diagnose a dead rank on n1 beside a link that failed elsewhere; return what is named."""
    lost = LOST.model_copy(update={"damage": damage, "severity": "critical" if damage else "error"})
    link = LINK.model_copy(update={"severity": "critical" if damage else "error"})
    events = [
        event("ev1", BAD_GPU, 0, anchors=[("gpu", "GPU-1"), ("job", "train/a")]),
        event("ev2", RANK_DIED, 2, anchors=[("job", "train/a")]),
        event("ev3", TIMEOUT, 300, node="n3", anchors=[("job", "train/a")]),
        event("ev4", link, start, node=node, end=start),
        event("ev5", lost, start + 1, node=node, end=start + 1),
    ]
    found = diagnose(
        case([*WORLD, link, lost], events, sight=watched("n1", "n2", "n3", since=-90000))
    )
    return [root.page for root in found.root_causes]


def test_a_grave_fault_of_other_things_is_named_though_one_effect_shows_it() -> None:
    """It is no less of a fault for being less than likely."""
    assert _with_loss(-20000, "n2") == ["bad-gpu", "link"]


def test_what_lasts_is_in_question_until_its_page_says_that_it_is_past() -> None:
    """Two days before the window it is none of its matters."""
    assert _with_loss(-150000, "n2") == ["bad-gpu"]


def test_on_a_host_of_the_first_fault_it_may_belong_to_that() -> None:
    """What shares a host is not known to be independent."""
    assert _with_loss(-20000, "n1") == ["bad-gpu"]


def test_what_harmed_nobody_is_no_fault_of_its_own() -> None:
    """A link that failed beside, with nothing grave after it."""
    assert _with_loss(-20000, "n2", damage=0) == ["bad-gpu"]


def test_a_fault_of_no_place_is_one_root_and_one_rival() -> None:
    """Nothing tells a second happening apart from the first: it is neither a twin nor a rival."""
    refused = page("refused", entity={"kind": "cluster"}, severity="critical", damage=1)
    anchors = [("cluster", "cluster")]
    events = [event(f"ev{n}", refused, 9000 * n, node="", anchors=anchors) for n in (1, 2)]
    found = diagnose(case([refused], events))
    assert [root.event for root in found.root_causes] == [found.hypotheses[0].event]
    assert [one.id for one in found.hypotheses] == ["h1"]
