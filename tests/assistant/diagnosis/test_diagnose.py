"""Facts about roots, confidence and verdicts, on a small hand-made world."""

from assistant.diagnosis.diagnose import diagnose, rank_causes
from assistant.diagnosis.weights import DEFAULT_WEIGHTS, Weights
from assistant.incident import Incident, Scope
from knowledge.page import Advice
from tests.assistant.diagnosis.outage import (
    BAD_GPU,
    DECOY,
    FAILED,
    GPU_FINE,
    RANK_DIED,
    TIMEOUT,
    WORLD,
    storage_outage,
    ties_of,
)
from tests.assistant.diagnosis.world import at, case, event, watched
from tools.evidence import Instant


def test_an_observed_root_over_several_kinds_of_effect_is_likely_or_better() -> None:
    """The failover that the storage system logged explains stalls, checks and failed pods."""
    found = diagnose(case(WORLD, storage_outage()))

    assert found.verdict == "fault"
    assert [r.page for r in found.root_causes] == ["failover"]
    assert found.confidence in {"LIKELY", "CONFIRMED"}
    assert found.root_causes[0].why.confidence == found.confidence
    assert found.first_anomaly == "root"


def test_the_chain_is_a_tree_with_delays() -> None:
    """Each condition stands once, causes before effects, with the delay between the onsets."""
    links = diagnose(case(WORLD, storage_outage())).chain

    assert [(link.source, link.target) for link in links] == [
        ("root", "stall0"),
        ("stall0", "check0"),
        ("check0", "pod0"),
    ] or [(link.source, link.target) for link in links][:2] == [
        ("root", "stall0"),
        ("stall0", "check0"),
    ]
    assert links[0].delay_s == 30.0


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
        *storage_outage(),
        event("ecc", BAD_GPU, 5, node="x1", anchors=[("gpu", "GPU-1"), *job]),
        event("died", RANK_DIED, 8, node="x1", anchors=job),
        event("late", TIMEOUT, 605, node="x2", anchors=job),
    ]
    found = diagnose(case(WORLD, events))

    assert {r.page for r in found.root_causes} == {"failover", "bad-gpu"}


def test_a_second_cause_for_what_already_has_one_is_a_coincidence() -> None:
    """A decoy on one of the nodes is not named beside the root for effects the root explains."""
    events = [
        *storage_outage(),
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
    found = diagnose(case(WORLD, storage_outage(with_log=False), ties=ties_of(4), sight=late))

    assert found.verdict == "inconclusive"
    assert found.decided_by_unseen


def test_hardware_is_ruled_out_by_gapless_kernel_logs() -> None:
    """The class as a whole falls when every node's kernel log was read and shows none of it."""
    events = [*storage_outage(), event("fine", GPU_FINE, 3000, live=True)]
    rows = {r.page: r for r in diagnose(case(WORLD, events)).ruled_out}

    assert "hardware" in rows
    assert "E-n0" in rows["hardware"].evidence


def test_hardware_is_not_ruled_out_when_a_kernel_log_is_missing() -> None:
    """One node without a kernel log keeps the suspicion open."""
    partly = watched("n0", "n1", "n2")

    assert "hardware" not in {
        r.page for r in diagnose(case(WORLD, storage_outage(), sight=partly)).ruled_out
    }


def test_a_mechanism_alone_is_reported_as_the_lowest_seen_condition() -> None:
    """Where is said, why stays open."""
    found = diagnose(case(WORLD, storage_outage(1, with_log=False)))
    root = found.root_causes[0]

    assert root.page == "stall"
    assert root.why.confidence == "INCONCLUSIVE"


def test_the_state_follows_what_was_seen_last() -> None:
    """Damage that something ended is past; of stopped work silence says nothing."""
    silent = [e.model_copy(update={"end": e.last}) for e in storage_outage()]
    ended = [e.model_copy(update={"end": Instant(at(600))}) for e in storage_outage()]

    assert diagnose(case(WORLD, ended)).state.now == "recovered"
    assert diagnose(case(WORLD, silent)).state.now == "unknown"
    assert diagnose(case(WORLD, storage_outage())).state.now in {"ongoing", "recovering"}


def test_impact_counts_nodes_and_jobs_once() -> None:
    """Many events on one node are one node."""
    found = diagnose(case(WORLD, storage_outage(3)))

    assert found.impact.nodes == 3


def test_noise_on_every_weight_does_not_change_a_clear_root() -> None:
    """The structure decides: with log-odds noise of one, the root stays."""
    world = case(WORLD, storage_outage())
    firsts = [
        rank_causes(world, Weights(sigma=1.0, seed=seed))[0].picks[0].event.page
        for seed in range(40)
    ]

    assert firsts.count("failover") >= 38


def test_the_same_case_gives_the_same_answer() -> None:
    """The diagnosis is deterministic."""
    world = case(WORLD, storage_outage())

    assert diagnose(world, DEFAULT_WEIGHTS) == diagnose(world, DEFAULT_WEIGHTS)


def test_a_zone_less_clock_is_asked_for_once() -> None:
    """What only the operator knows is asked, with the reason."""
    world = case(WORLD, storage_outage())
    asked = case(WORLD, storage_outage())
    object.__setattr__(
        asked, "timeline", world.timeline.model_copy(update={"unresolved_zones": ("file:E3",)})
    )

    assert "file:E3" in diagnose(asked).missing_information[0].what.en


def test_a_claim_of_the_ticket_is_ruled_out_by_name_not_believed() -> None:
    """A ticket that blames Xid 95 makes it a suspicion to test, never evidence."""
    blamed = BAD_GPU.model_copy(update={"codes": ("Xid 95",)})
    world = [blamed if p.id == "bad-gpu" else p for p in WORLD]
    incident = Incident(text="all GPUs died with Xid 95", scope=Scope())
    found = diagnose(case(world, storage_outage(), incident=incident))

    assert found.root_causes[0].page == "failover"
    assert "bad-gpu" in {r.page for r in found.ruled_out}


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
    events = [*storage_outage(2), event("x", FAILED, 91, node="unnamed-e1")]
    ties = ties_of(2)
    for i in range(2):
        ties.node(f"n{i}")

    assert diagnose(case(WORLD, events, ties=ties)).impact.nodes == 2
