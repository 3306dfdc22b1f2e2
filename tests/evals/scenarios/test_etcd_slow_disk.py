"""The night of the slow disks is physically right: every consequence follows its cause."""

import pytest

from evals.model import Recording, read_epoch
from evals.scenarios.etcd_slow_disk import plan, spec
from evals.scenarios.etcd_slow_disk.plan import Plan
from tests.seeds import draw

SEEDS = [1, *draw(4)]


@pytest.fixture(params=SEEDS, scope="module")
def story(request: pytest.FixtureRequest) -> Recording:
    return spec.record(request.param, 0.001)


@pytest.fixture(params=SEEDS, scope="module")
def night(request: pytest.FixtureRequest) -> Plan:
    return spec.draw_night(request.param)[1]


def test_a_disk_is_slow_only_while_its_neighbour_writes(night: Plan) -> None:
    """Every slow write lies inside the backup of its own host."""
    for member in night.members:
        assert len(member.syncs) > 5
        assert all(member.busy[0] < s.begin and s.end <= member.busy[1] for s in member.syncs)
        assert all(s.took > 1 for s in member.syncs)


def test_a_leader_is_replaced_while_its_disk_is_stuck(night: Plan) -> None:
    """Within the election timeout of one of its own slow writes, and never by itself."""
    assert night.elections
    terms = [election.term for election in night.elections]
    assert terms == sorted(set(terms))
    for before, after in zip(night.elections, night.elections[1:], strict=False):
        assert before.won == after.lost
    for election in night.elections:
        syncs = night.members[election.lost].syncs
        waits = [election.at - s.begin for s in syncs if s.begin <= election.at < s.end]
        assert election.won != election.lost
        assert any(plan.ELECTION_S[0] <= wait <= plan.ELECTION_S[1] for wait in waits)


def test_the_controller_gives_up_after_its_deadline(night: Plan) -> None:
    """Ten seconds after its lease could not be renewed, never sooner."""
    assert night.lost_lease - night.elections[0].at >= plan.RENEW_DEADLINE_S


def test_a_node_is_called_unknown_after_its_grace_and_only_then(night: Plan) -> None:
    """Some nodes, not most; each was silent for the whole grace, after the new controller began."""
    marked = [silence for silence in night.silences if silence.marked]
    assert len(marked) < len(night.silences) / 2
    for silence in marked:
        assert silence.since + plan.GRACE_S <= silence.marked < silence.until
        assert silence.marked - plan.GRACE_S > night.lost_lease


def test_no_peer_was_out_of_reach_and_every_pod_ran_on(story: Recording) -> None:
    """The network between members lost nothing, and training never paused."""
    lost = [m for m in story.metrics if m.name == "etcd_network_peer_sent_failures_total"]
    assert lost
    assert {value for metric in lost for _, value in metric.samples} == {0.0}
    steps = next(log for log in story.pod_logs if "iteration" in log.lines[-1][1])
    assert steps.lines[-1][0] > story.until - 60


def test_the_first_anomaly_is_the_first_slow_write(story: Recording) -> None:
    """Before the first election, and inside the report's window."""
    first = read_epoch(story.facts["first_anomaly"])
    assert story.reported[0] < first
    elected = [at for log in story.pod_logs for at, text in log.lines if "lost leader" in text]
    assert first < min(elected)
