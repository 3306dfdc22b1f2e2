"""Facts about roots, confidence and verdicts, on a small hand-made world."""

import pytest

from assistant.diagnosis.case import Case
from assistant.diagnosis.diagnose import diagnose, rank_causes
from assistant.diagnosis.weights import DEFAULT_WEIGHTS, Weights
from assistant.event import Event
from assistant.incident import Incident, Scope
from assistant.topology import Ties
from knowledge.page import Advice
from tests.assistant.diagnosis.world import at, case, event, kernel, page, watched
from tools.evidence import Evidence, Gap, Instant

SERVER = ("storage_server", "10.0.0.10")

FAILOVER = page(
    "failover",
    entity={"kind": "storage_server"},
    damage=1,
    persists=True,
    effects=[{"effect": "stall", "scope": "server", "strength": "always"}],
    signatures=[{**kernel("failover"), "source": "device"}],
)
UNREACHABLE = page(
    "unreachable",
    entity={"kind": "storage_server"},
    infer={"over": "server", "effects": ["stall"], "min_entities": 3},
    effects=[{"effect": "stall", "scope": "server", "strength": "always"}],
    why_unknown={"en": "failover, network or load", "zh": "切换、网络或过载"},
    checks=[
        {
            "id": "log",
            "command": ["show", "events", "{server}"],
            "where": "server",
            "tells": {"en": "why", "zh": "原因"},
        }
    ],
)
STALL = page(
    "stall",
    "mechanism",
    effects=[{"effect": "check-failed"}, {"effect": "pod-failed"}],
    signatures=[kernel("stall")],
)
CHECK = page(
    "check-failed",
    "mechanism",
    detector=True,
    effects=[{"effect": "pod-failed", "strength": "often"}],
    signatures=[kernel("check")],
)
FAILED = page("pod-failed", "symptom", damage=2, signatures=[kernel("pod failed")])
BAD_GPU = page(
    "bad-gpu",
    entity={"kind": "gpu"},
    damage=1,
    effects=[
        {"effect": "rank-died", "scope": "node", "strength": "always"},
        {"effect": "timeout", "scope": "job"},
    ],
    signatures=[kernel("Xid 95")],
)
HARDWARE = page(
    "hardware",
    stands_for=["bad-gpu"],
    refuted_by=[
        {"condition": "gpu-fine", "scope": "node", "why": {"en": "reads well", "zh": "读数正常"}}
    ],
    effects=[{"effect": "pod-failed", "strength": "sometimes"}],
)
GPU_FINE = page("gpu-fine", "benign", severity="info")
RANK_DIED = page("rank-died", "symptom", damage=2, signatures=[kernel("rank died")])
TIMEOUT = page("timeout", "symptom", damage=3, collateral_of=["bad-gpu", "rank-died"])
DECOY = page("decoy", effects=[{"effect": "pod-failed"}], signatures=[kernel("decoy")])
PROGRESS = page("progress", "benign", severity="info", progress=True)
OLD_FAULT = page("old-fault", severity="critical", damage=1, signatures=[kernel("old")])
WORLD = [
    FAILOVER, UNREACHABLE, STALL, CHECK, FAILED, BAD_GPU, HARDWARE, GPU_FINE, RANK_DIED, TIMEOUT,
    DECOY, PROGRESS, OLD_FAULT,
]  # fmt: skip


def _outage(nodes: int = 4, *, with_log: bool = True) -> list[Event]:
    """Return a storage outage that hits some nodes, one after another."""
    events = []
    if with_log:
        events.append(
            event("root", FAILOVER, 0, node="", anchors=[SERVER], channels=frozenset({"device"}))
        )
    for i in range(nodes):
        node = f"n{i}"
        events += [
            event(f"stall{i}", STALL, 30 + i, node=node, anchors=[SERVER], end=300 + i),
            event(f"check{i}", CHECK, 60 + i, node=node),
            event(f"pod{i}", FAILED, 90 + i, node=node),
        ]
    return events


def _ties(nodes: int) -> Ties:
    ties = Ties()
    for i in range(nodes):
        ties.relate(("node", f"n{i}"), SERVER)
    return ties


def test_an_observed_root_over_several_kinds_of_effect_is_likely_or_better() -> None:
    """The failover that the storage system logged explains stalls, checks and failed pods."""
    found = diagnose(case(WORLD, _outage()))

    assert found.verdict == "fault"
    assert [r.page for r in found.root_causes] == ["failover"]
    assert found.confidence in {"LIKELY", "CONFIRMED"}
    assert found.root_causes[0].why.confidence == found.confidence
    assert found.first_anomaly == "root"


def test_the_chain_is_a_tree_with_delays() -> None:
    """Each condition stands once, causes before effects, with the delay between the onsets."""
    links = diagnose(case(WORLD, _outage())).chain

    assert [(link.source, link.target) for link in links] == [
        ("root", "stall0"),
        ("stall0", "check0"),
        ("check0", "pod0"),
    ] or [(link.source, link.target) for link in links][:2] == [
        ("root", "stall0"),
        ("stall0", "check0"),
    ]
    assert links[0].delay_s == 30.0


def test_without_the_server_log_where_is_inferred_and_why_is_inconclusive() -> None:
    """The same place is found from its victims; the reason stays open, with the right check."""
    found = diagnose(case(WORLD, _outage(with_log=False), ties=_ties(4)))
    root = found.root_causes[0]

    assert (found.verdict, root.page, root.entity.id) == ("fault", "unreachable", "10.0.0.10")
    assert not root.observed
    assert root.where.confidence == "LIKELY"
    assert root.why.confidence == "INCONCLUSIVE"
    assert found.next_checks[0].command == "show events 10.0.0.10"


def test_nothing_is_inferred_from_fewer_victims_than_the_page_asks() -> None:
    """Two nodes that stall one after the other are not enough where each may fail alone."""
    events = [
        event(f"stall{i}", STALL, 90.0 * i, node=f"n{i}", anchors=[SERVER], end=300 + i)
        for i in range(2)
    ]
    found = diagnose(case(WORLD, events, ties=_ties(2)))

    assert "unreachable" not in {h.page for h in found.hypotheses}


@pytest.mark.parametrize(("back", "sure"), [(301.0, "LIKELY"), (900.0, "INCONCLUSIVE")])
def test_two_that_lose_one_server_within_seconds_point_to_it(back: float, sure: str) -> None:
    """Two victims make it sure only if they got it back at once as well."""
    events = _outage(2, with_log=False)
    stalls = [
        e.model_copy(update={"end": Instant(at(until)), "last": e.start})
        for e, until in ((events[0], 300.0), (events[3], back))
    ]
    found = diagnose(case(WORLD, [*stalls, *events[1:3], *events[4:]], ties=_ties(2)))
    root = found.root_causes[0]

    assert (root.page, root.entity.id, root.observed) == ("unreachable", "10.0.0.10", False)
    assert (root.where.confidence, root.why.confidence) == (sure, "INCONCLUSIVE")


def test_unaffected_members_contradict_an_inferred_cause() -> None:
    """If most clients of the server were watched and fine, the server is not the likely cause."""
    events = _outage(3, with_log=False)
    sight = watched(*(f"n{i}" for i in range(10)))
    found = diagnose(case(WORLD, events, ties=_ties(10), sight=sight))

    assert all(r.confidence == "INCONCLUSIVE" for r in found.root_causes if not r.observed)


def test_a_thousand_timeouts_are_collateral_of_one_dead_rank() -> None:
    """Timeouts that share only the job point to the one culprit."""
    job = [("job", "train")]
    events = [
        event("ecc", BAD_GPU, 0, node="n7", anchors=[("gpu", "GPU-7"), *job]),
        event("died", RANK_DIED, 2, node="n7", anchors=job),
        *(event(f"t{i}", TIMEOUT, 600 + i / 100, node=f"n{i}", anchors=job) for i in range(200)),
    ]
    found = diagnose(case(WORLD, events))

    assert [r.entity.id for r in found.root_causes] == ["GPU-7"]
    assert set(found.collateral.values()) == {"ecc"} | ({"died"} & set(found.collateral.values()))
    assert len(found.collateral) >= 200


def test_two_independent_faults_come_out_one_by_one() -> None:
    """What the first root explains is taken off; the rest has a root of its own."""
    job = [("job", "other")]
    events = [
        *_outage(),
        event("ecc", BAD_GPU, 5, node="x1", anchors=[("gpu", "GPU-1"), *job]),
        event("died", RANK_DIED, 8, node="x1", anchors=job),
        event("late", TIMEOUT, 605, node="x2", anchors=job),
    ]
    found = diagnose(case(WORLD, events))

    assert {r.page for r in found.root_causes} == {"failover", "bad-gpu"}


def test_a_second_cause_for_what_already_has_one_is_a_coincidence() -> None:
    """A decoy on one of the nodes is not named beside the root for effects the root explains."""
    events = [
        *_outage(),
        event("odd", DECOY, 50, node="n1"),
        event("alone", FAILED, 95, node="n1", anchors=[("job", "solo")]),
    ]
    found = diagnose(case(WORLD, events))

    assert [r.page for r in found.root_causes] == ["failover"]


def test_a_single_kind_of_effect_is_not_enough() -> None:
    """One damage with one plausible condition before it is explained, but not believed."""
    events = [event("d", DECOY, 0), event("p", FAILED, 10)]
    found = diagnose(case(WORLD, events))

    assert (found.verdict, found.confidence) == ("inconclusive", "INCONCLUSIVE")
    assert found.hypotheses[0].page == "decoy"
    assert "kind" in found.caps[0].en


def test_sources_that_do_not_cover_the_onset_leave_it_inconclusive() -> None:
    """However good the lead, kernel logs that start after the onset leave rivals open."""
    late = watched(*(f"n{i}" for i in range(4)), since=1000)
    found = diagnose(case(WORLD, _outage(with_log=False), ties=_ties(4), sight=late))

    assert found.verdict == "inconclusive"
    assert found.decided_by_unseen


def test_hardware_is_ruled_out_by_gapless_kernel_logs() -> None:
    """The class as a whole falls when every node's kernel log was read and shows none of it."""
    events = [*_outage(), event("fine", GPU_FINE, 3000, live=True)]
    rows = {r.page: r for r in diagnose(case(WORLD, events)).ruled_out}

    assert "hardware" in rows
    assert "E-n0" in rows["hardware"].evidence


def test_hardware_is_not_ruled_out_when_a_kernel_log_is_missing() -> None:
    """One node without a kernel log keeps the suspicion open."""
    partly = watched("n0", "n1", "n2")

    assert "hardware" not in {
        r.page for r in diagnose(case(WORLD, _outage(), sight=partly)).ruled_out
    }


def _quiet(**more: object) -> Case:
    events = [
        event("work", PROGRESS, -600, end=3600, last=Instant(at(3600)), node="n1"),
        event("old", OLD_FAULT, -90000, last=Instant(at(-90000)), node="n1"),
    ]
    return case(WORLD, events, **more)  # type: ignore[arg-type]  # mixed keywords


def test_healthy_needs_coverage_progress_and_no_alarm_in_the_window() -> None:
    """Work went on, the logs cover the window, the one alarming line is a day old."""
    found = diagnose(_quiet())

    assert (found.verdict, found.root_causes) == ("healthy", ())
    assert not found.decided_by_unseen


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"sight": watched("n1", since=1000)}, id="uncovered"),
        pytest.param(
            {"gaps": [Gap(source="host", target="n1", why="df", state="hung")]}, id="hung"
        ),
        pytest.param(
            {"gaps": [Gap(source="journal", target="n1", why="permission denied")]}, id="denied"
        ),
        pytest.param(
            {"evidence": [Evidence(id="E9", source="host", command="df -h", outcome="hung")]},
            id="hung-command",
        ),
    ],
)
def test_what_was_not_seen_forbids_healthy(more: dict[str, object]) -> None:
    """A hung, refused or too short source turns health into an open question."""
    found = diagnose(_quiet(**more))

    assert found.verdict == "inconclusive"
    assert found.decided_by_unseen


def test_absence_of_damage_is_not_health() -> None:
    """Without visible progress nothing is called healthy."""
    found = diagnose(case(WORLD, [event("old", OLD_FAULT, -90000)]))

    assert found.verdict == "inconclusive"


def test_a_mechanism_alone_is_reported_as_the_lowest_seen_condition() -> None:
    """Where is said, why stays open."""
    found = diagnose(case(WORLD, _outage(1, with_log=False)))
    root = found.root_causes[0]

    assert root.page == "stall"
    assert root.why.confidence == "INCONCLUSIVE"


def test_the_state_follows_what_was_seen_last() -> None:
    """Damage that something ended is past; of stopped work silence says nothing."""
    silent = [e.model_copy(update={"end": e.last}) for e in _outage()]
    ended = [e.model_copy(update={"end": Instant(at(600))}) for e in _outage()]

    assert diagnose(case(WORLD, ended)).state.now == "recovered"
    assert diagnose(case(WORLD, silent)).state.now == "unknown"
    assert diagnose(case(WORLD, _outage())).state.now in {"ongoing", "recovering"}


def test_impact_counts_nodes_and_jobs_once() -> None:
    """Many events on one node are one node."""
    found = diagnose(case(WORLD, _outage(3)))

    assert found.impact.nodes == 3


def test_noise_on_every_weight_does_not_change_a_clear_root() -> None:
    """The structure decides: with log-odds noise of one, the root stays."""
    world = case(WORLD, _outage())
    firsts = [
        rank_causes(world, Weights(sigma=1.0, seed=seed))[0].picks[0].event.page
        for seed in range(40)
    ]

    assert firsts.count("failover") >= 38


def test_the_same_case_gives_the_same_answer() -> None:
    """The diagnosis is deterministic."""
    world = case(WORLD, _outage())

    assert diagnose(world, DEFAULT_WEIGHTS) == diagnose(world, DEFAULT_WEIGHTS)


def test_a_zone_less_clock_is_asked_for_once() -> None:
    """What only the operator knows is asked, with the reason."""
    world = case(WORLD, _outage())
    asked = case(WORLD, _outage())
    object.__setattr__(
        asked, "timeline", world.timeline.model_copy(update={"unresolved_zones": ("file:E3",)})
    )

    assert "file:E3" in diagnose(asked).missing_information[0].what.en


def test_a_claim_of_the_ticket_is_ruled_out_by_name_not_believed() -> None:
    """A ticket that blames Xid 95 makes it a suspicion to test, never evidence."""
    blamed = BAD_GPU.model_copy(update={"codes": ("Xid 95",)})
    world = [blamed if p.id == "bad-gpu" else p for p in WORLD]
    incident = Incident(text="all GPUs died with Xid 95", scope=Scope())
    found = diagnose(case(world, _outage(), incident=incident))

    assert found.root_causes[0].page == "failover"
    assert "bad-gpu" in {r.page for r in found.ruled_out}


def test_an_open_question_says_what_would_close_it() -> None:
    """Where nothing is found and health cannot be shown, the answer names what is missing."""
    found = diagnose(case(WORLD, [event("old", OLD_FAULT, -90000)]))

    assert any("steps" in row.what.en for row in found.missing_information)


def test_symptoms_without_a_cause_still_say_what_to_do() -> None:
    """No root in sight: the worst symptom's own advice stands."""
    advised = TIMEOUT.model_copy(
        update={
            "do_not": (
                Advice.model_validate(
                    {"text": {"en": "no", "zh": "不要"}, "why": {"en": "so", "zh": "因为"}}
                ),
            )
        }
    )
    world = [advised if p.id == "timeout" else p for p in WORLD]
    events = [event(f"t{i}", advised, 600 + i, node=f"n{i}") for i in range(3)]

    assert diagnose(case(world, events)).do_not[0].text.en == "no"


def test_a_host_that_topology_does_not_know_is_not_counted() -> None:
    """A stand-in for an unnamed host is no node."""
    events = [*_outage(2), event("x", FAILED, 91, node="unnamed-e1")]
    ties = _ties(2)
    for i in range(2):
        ties.node(f"n{i}")

    assert diagnose(case(WORLD, events, ties=ties)).impact.nodes == 2
