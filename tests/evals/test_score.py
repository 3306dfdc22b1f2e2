"""An answer is scored by rule: what is right, what is half right, and what is forbidden."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from evals.answer import Answer, NamedRoot
from evals.score import names_root, score, score_chain, why_undecided
from evals.truth import Onset, Pointer, Root, Truth

AT = datetime.fromisoformat("2025-06-20T02:20:00Z")
SERVER = Root(page="storage-controller-failover", kind="storage_server", ids=("10.0.0.10",))
TRUTH = Truth(
    id="t",
    family="f",
    expect="fault",
    layer="system",
    plane="storage",
    roots=(SERVER,),
    where=("storage-server-unavailable",),
    first_anomaly=Onset(at=AT, tolerance_s=60),
    chain={"b": ("storage-controller-failover",), "c": ("b", "x")},
    chain_also={"d": ("b",)},
    forbidden=("gpu-.*",),
)
ROOT = NamedRoot(
    page=SERVER.page,
    kind="storage_server",
    ids=frozenset({"10.0.0.10", "controller a"}),
    layer="system",
    plane="storage",
    observed=True,
    confidence="LIKELY",
)
RIGHT = Answer("fault", "LIKELY", roots=(ROOT,), first_at=AT)


def test_an_alias_names_the_same_thing() -> None:
    """Any of the ids will do, whatever its case."""
    named = replace(ROOT, ids=frozenset({"CONTROLLER A", "10.0.0.10"}))
    assert score(replace(RIGHT, roots=(named,)), TRUTH)["root_exact"] == 1


def test_a_second_cause_costs_precision() -> None:
    """All true roots named, but half of what is named is not true."""
    other = replace(ROOT, page="disk-full")
    scores = score(replace(RIGHT, roots=(ROOT, other)), TRUTH)
    assert scores["root_exact"] == 1
    assert scores["root"] == 0.5
    assert scores["confident_wrong"] == 1


def test_a_forbidden_cause_costs_root_and_chain() -> None:
    """To call the GPUs broken is the error that the scenario is about."""
    wrong = replace(ROOT, page="gpu-hardware-failure")
    scores = score(replace(RIGHT, roots=(wrong,), chain=(("b", "c"),)), TRUTH)
    assert scores["forbidden"] == 1
    assert scores["root"] == scores["chain_f1"] == 0


def test_the_right_place_without_the_reason_is_no_wrong_answer() -> None:
    """With its lines hidden, only the place can be named."""
    place = replace(ROOT, page="storage-server-unavailable", observed=False)
    scores = score(replace(RIGHT, roots=(place,)), TRUTH)
    assert scores["root_exact"] == scores["confident_wrong"] == 0


def test_the_first_anomaly_fades() -> None:
    """Full within the tolerance, nothing at five times of it; an interval counts from its start."""
    late = replace(RIGHT, first_at=AT + timedelta(seconds=180))
    assert score(late, TRUTH)["first_anomaly"] == pytest.approx(0.5)
    assert score(replace(late, first_before_s=180), TRUTH)["first_anomaly"] == 1
    assert score(replace(RIGHT, first_at=AT - timedelta(hours=1)), TRUTH)["first_anomaly"] == 0


def test_chain_edges_have_an_f1() -> None:
    """Optional edges are right but not demanded; a wrong one costs precision."""
    whole = [(SERVER.page, "b"), ("b", "c")]
    assert score_chain(whole, TRUTH) == 1
    assert score_chain([*whole, ("b", "d")], TRUTH) == 1
    assert score_chain([*whole, ("d", "b")], TRUTH) == pytest.approx(0.8)
    assert score_chain([("b", "c")], TRUTH) == 0, "it does not touch the root"


@pytest.mark.parametrize(
    "command", ["systemctl restart kubelet", "umount -l /data", "kubectl uncordon n1"]
)
def test_a_check_that_changes_something_is_unsafe(command: str) -> None:
    """Then nothing else counts."""
    scores = score(replace(RIGHT, checks=(command,)), TRUTH)
    assert scores["unsafe"] == 1
    assert scores["total"] == scores["root_exact"] == 0


def test_a_healthy_case_punishes_an_alarm_only() -> None:
    """`inconclusive` is not right, but no false alarm either."""
    healthy = Truth(id="h", family="h", expect="healthy")
    assert score(Answer("healthy", "LIKELY"), healthy)["root_exact"] == 1
    assert score(Answer("inconclusive", "INCONCLUSIVE"), healthy)["false_alarm"] == 0
    assert score(RIGHT, healthy)["false_alarm"] == 1


OPEN = Truth(
    id="o",
    family="o",
    expect="inconclusive",
    first_anomaly=Onset(at=AT, tolerance_s=60),
    deciding=(Pointer(words=r"journalctl .*-k\b", about=("n7",)),),
    missing=(Pointer(words="kernel log", about=("n7",)),),
    undecided=("gpu-hardware-failure",),
)
LEFT_OPEN = Answer(
    "inconclusive",
    "INCONCLUSIVE",
    first_at=AT,
    checks=("kubectl logs p", "journalctl -o short -k"),
    places=("control", "n7"),
    lacking=("the kernel log of n7",),
)


def test_an_open_case_is_left_open_with_the_look_that_decides() -> None:
    """The right look at the right place, and the name of what is missing."""
    assert score(LEFT_OPEN, OPEN)["root_exact"] == 1
    elsewhere = replace(LEFT_OPEN, places=("control", "n8"))
    assert score(elsewhere, OPEN)["root_exact"] == 0
    assert "decides" in why_undecided(elsewhere, OPEN)
    assert "missing" in why_undecided(replace(LEFT_OPEN, lacking=()), OPEN)


def test_a_look_that_stands_too_far_down_decides_nothing() -> None:
    """Three looks are made at once; the fourth waits."""
    late = replace(LEFT_OPEN, checks=("a", "b", "c", LEFT_OPEN.checks[1]), places=("n7",) * 4)
    assert score(late, OPEN)["root_exact"] == 0


def test_nothing_is_ruled_out_that_was_not_seen() -> None:
    """The missing source is the one that would have shown it."""
    denied = replace(LEFT_OPEN, ruled_out=frozenset({"gpu-hardware-failure"}))
    assert score(denied, OPEN)["root_exact"] == 0


@pytest.mark.parametrize("sure", [RIGHT, Answer("healthy", "LIKELY")], ids=["fault", "healthy"])
def test_to_be_sure_of_an_open_case_is_a_false_alarm(sure: Answer) -> None:
    """Also where the guess is true: nothing that was seen bears it."""
    guessed = OPEN.model_copy(update={"roots": (SERVER,)})
    scores = score(sure, guessed)
    assert scores["false_alarm"] == scores["confident_wrong"] == 1
    assert scores["root_exact"] == scores["total"] == 0
    assert not names_root(sure, guessed)
    assert names_root(LEFT_OPEN, guessed)
