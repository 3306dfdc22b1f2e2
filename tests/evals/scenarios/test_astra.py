"""The Astra outage is physically right: every edge holds in the data."""

import re
from functools import cache

import pytest

from evals.model import Entry, Recording, open_stream
from evals.scenarios.astra_storage_failover import cluster, plan, spec
from evals.scenarios.astra_storage_failover.plan import Plan, make
from evals.scenarios.astra_storage_failover.pods import Pods
from evals.scenarios.nfs_outage import GRACE_S, MAJOR_TIMEOUT_S, write_wall
from tests.seeds import draw

SEEDS = [1, *draw(4)]


@pytest.fixture(params=SEEDS, scope="module")
def story(request: pytest.FixtureRequest) -> Plan:
    return make(request.param)


@cache
def recorded(seed: int) -> Recording:
    return spec.record(seed, 0.001)


def test_clients_wait_between_four_and_a_half_and_six_minutes(story: Plan) -> None:
    """Failover of about three minutes, then the grace of NFSv4, then TCP's back-off."""
    outage = story.outage
    assert 165 <= outage.takeover - outage.failover <= 195
    assert outage.grace_end - outage.takeover >= GRACE_S
    waits = [stall.end - stall.begin for stall in outage.stalls.values()]
    assert min(waits) >= 260
    assert max(waits) <= 365


def test_the_order_of_the_outage_holds_on_every_node(story: Plan) -> None:
    """Stall, failed check, second failed check, taint; NotReady by PLEG after three minutes."""
    for node in story.nodes.values():
        stall = story.outage.stalls[node.host.name]
        assert stall.begin < node.failed[0] <= stall.begin + node.check_period + plan.CHECK_LIMIT_S
        assert node.failed[1] < node.tainted < stall.end < node.untainted
        if node.pleg:
            assert node.pleg[0] >= stall.begin + plan.PLEG_LIMIT_S
            assert node.pleg[1] > stall.end


def test_the_kernel_speaks_only_after_its_major_timeout(story: Plan) -> None:
    """The first `not responding` comes 180 s after the stall; `OK` when it is over."""
    recording = recorded(story.seed)
    for name, stall in story.outage.stalls.items():
        said = _times(recording.journal[name], "not responding, still trying")
        assert stall.begin + MAJOR_TIMEOUT_S <= min(said) < stall.end
        assert max(said) <= _times(recording.journal[name], "nfs: server .* OK")[0]


def test_no_hardware_complains(story: Plan) -> None:
    """Neither an Xid nor an AER stands in any journal."""
    recording = recorded(story.seed)
    texts = (entry.text for entries in recording.journal.values() for entry in entries)
    assert not [text for text in texts if re.search(r"NVRM: Xid|AER:|Machine check", text)]


def test_pods_follow_their_nodes(story: Plan) -> None:
    """A pod is evicted after its node was tainted; a mount fails two minutes after it began."""
    pods = Pods(story, open_stream(plan.ID, story.seed, "test"))
    pods.play()
    tainted = [node.tainted for node in story.nodes.values()]
    evictions = [e for e in pods.events if e["reason"] == "TaintManagerEviction"]
    assert len(evictions) >= 20
    assert {e["reason"] for e in pods.events} >= {"FailedScheduling", "BackoffLimitExceeded"}
    firsts = [s for s in pods.stories if s.generation == 0]
    assert all((s.deleted or s.crashed or 0) > min(tainted) for s in firsts)


def test_everything_recovers(story: Plan) -> None:
    """At the end every node is ready and no taint is left."""
    assert all(cluster.read_ready(n, story.until).status == "True" for n in story.nodes.values())
    assert all(node.untainted < story.until - 600 for node in story.nodes.values())


def test_seed_one_keeps_the_moment_of_the_source() -> None:
    """The check of astra-gpu-07 first fails at 10:23:15 Beijing time."""
    story = make(1)
    assert write_wall(story.nodes["astra-gpu-07"].failed[0]) == "2025-06-20 10:23:15"


def test_the_full_size_is_that_of_a_real_incident() -> None:
    """Ten thousand journal entries a node; counted on the plan, not built."""
    assert spec.NOISE_PER_NODE >= 10_000
    assert plan.NODES == 30


def _times(entries: list[Entry], pattern: str) -> list[float]:
    return sorted(entry.at for entry in entries if re.search(pattern, entry.text))
