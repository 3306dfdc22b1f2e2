"""How urgent it is follows from the cause and from how many are hurt."""

from datetime import timedelta

from assistant.diagnosis.result import Diagnosis, Impact, State
from assistant.event import Event
from assistant.incident import Incident, PriorityDecision
from assistant.priority import decide_priority
from assistant.topology import Topology
from tests.assistant.items import T0, kernel, line_up, unzoned
from tests.assistant.pages import HANDBOOK

XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."


def decide(
    events: tuple[Event, ...], *, nodes: int = 0, known: int = 10, verdict: str = "fault"
) -> PriorityDecision:
    diagnosis = Diagnosis(
        verdict=verdict,
        confidence="LIKELY",
        state=State(now="ongoing"),
        impact=Impact(nodes=nodes),
    )
    topology = Topology(known_nodes=frozenset(f"n{n}" for n in range(known)))
    return decide_priority(
        Incident(opened_at=T0),
        diagnosis,
        events,
        pages=HANDBOOK.pages,
        topology=topology,
        noticed=T0,
    )


def test_the_page_sets_the_level_and_the_clock_runs_from_the_report() -> None:
    """One GPU on one of ten nodes: the page's own priority."""
    decision = decide(line_up([kernel("n1", 0, XID)]).events, nodes=1)
    assert decision.level == "P2"
    assert decision.respond_by == T0 + timedelta(hours=4)
    assert HANDBOOK.pages["xid-79-fell-off-bus"].title.en in decision.rule.en
    assert "手册" in decision.rule.zh


def test_a_third_of_the_nodes_is_everybodys_matter() -> None:
    """The blast radius raises the level, and the rule says so."""
    decision = decide(line_up([kernel("n1", 0, XID)]).events, nodes=4)
    assert (decision.level, decision.respond_by) == ("P0", T0 + timedelta(minutes=15))
    assert "4 of 10" in decision.rule.en


def test_known_and_healthy_page_nobody() -> None:
    """A fault on a drained node, and no fault at all, can wait."""
    known = tuple(
        e.model_copy(update={"known": True}) for e in line_up([kernel("n1", 0, XID)]).events
    )
    assert decide(known, nodes=1).level == "P3"
    assert decide(known, verdict="healthy").level == "P3"


def test_what_lies_outside_the_question_is_not_called_harmless() -> None:
    """A fault on a node nobody asked about is not known to be benign: it was set aside."""
    aside = tuple(
        e.model_copy(update={"role": "context"}) for e in line_up([kernel("n1", 0, XID)]).events
    )
    decision = decide(aside, verdict="inconclusive")
    assert decision.level == "P3"
    assert "harmless" not in decision.rule.en
    assert "asked" in decision.rule.en


def test_a_change_that_nothing_blames_is_not_urgent() -> None:
    """A driver that loads as at every boot is no finding, whatever its page weighs as a cause."""
    (event,) = line_up([kernel("n1", 0, XID)]).events
    loaded = event.model_copy(update={"role": "change", "severity": "info", "damage": 0})
    assert decide((loaded,), verdict="inconclusive").level == "P3"
    assert decide((loaded, event), nodes=1).level == "P2"


def test_work_of_many_stopped_is_p0() -> None:
    """Damage of the highest class needs no count."""
    worst = tuple(
        e.model_copy(update={"damage": 3}) for e in line_up([kernel("n1", 0, XID)]).events
    )
    assert decide(worst).level == "P0"


def test_without_a_report_the_clock_runs_from_the_first_anomaly() -> None:
    """Neither from the window's start nor, where a clock dates it, from when it was noticed."""
    (event,) = line_up([kernel("n1", 90, XID)]).events
    diagnosis = Diagnosis(
        verdict="fault", confidence="LIKELY", state=State(now="ongoing"), first_anomaly=event.id
    )
    shared = {"pages": HANDBOOK.pages, "topology": Topology(), "noticed": T0 + timedelta(days=1)}
    decision = decide_priority(Incident(), diagnosis, (event,), **shared)  # type: ignore[arg-type]  # mixed keywords
    assert decision.respond_by == event.start.utc + timedelta(hours=4)
    undated = event.model_copy(update={"start": unzoned(90)})
    decision = decide_priority(Incident(), diagnosis, (undated,), **shared)  # type: ignore[arg-type]  # mixed keywords
    assert decision.respond_by == T0 + timedelta(days=1, hours=4)


def test_the_gravest_of_cause_and_unexplained_decides() -> None:
    """A lesser cause that was found does not lower what nothing explains."""
    found = line_up([kernel("n1", 0, XID), kernel("n2", 9, "Memory cgroup out of memory: Killed")])
    (lost,) = (e for e in found.events if e.page == "xid-79-fell-off-bus")
    diagnosis = Diagnosis(
        verdict="fault",
        confidence="LIKELY",
        state=State(now="ongoing"),
        impact=Impact(nodes=1),
        unexplained=(lost.id,),
    )
    decision = decide_priority(
        Incident(opened_at=T0),
        diagnosis,
        found.events,
        pages=HANDBOOK.pages,
        topology=Topology(),
        noticed=T0,
    )
    assert decision.level == HANDBOOK.pages[lost.page].priority
    assert HANDBOOK.pages[lost.page].title.en in decision.rule.en
