"""An approval binds one digest; the last decision on it counts."""

from datetime import UTC, datetime, timedelta

import pytest

from assistant.approval import Approval, Decision, decide, make_draft, state_of, tell
from assistant.errors import DecidedError
from assistant.people import Person

NOW = datetime(2025, 6, 20, 10, 0, tzinfo=UTC)
ALICE = Person("alice", "os-user", "desk-1")


def draft(decision: Decision = "approved", reason: str = "") -> Approval:
    """Alice's decision on one digest."""
    return make_draft("d" * 64, decision, ALICE, role="admin", at=NOW, reason=reason)


def test_what_nobody_decided_waits() -> None:
    """And the first decision makes it what it says."""
    assert state_of([], NOW) == "pending"
    made = decide([], draft())
    assert made == draft()
    assert state_of([draft()], NOW) == "approved"


def test_the_same_again_is_no_decision() -> None:
    """Nothing is recorded twice."""
    assert decide([draft()], draft()) is None
    assert decide([draft("rejected")], draft("rejected")) is None


def test_an_approval_can_be_taken_back() -> None:
    """By rejecting it; that is the second decision."""
    made = decide([draft()], draft("rejected", "it misleads"))

    assert made is not None
    assert (made.number, made.decision) == (2, "rejected")
    assert state_of([draft(), made], NOW) == "rejected"


def test_what_was_rejected_stays_so() -> None:
    """The error says who did it and why, and what to do."""
    with pytest.raises(
        DecidedError, match="rejected by alice on 2025-06-20 10:00 UTC: no"
    ) as caught:
        decide([draft("rejected", "no")], draft())
    assert "another digest" in caught.value.hint


def test_an_approval_that_ran_out_is_none() -> None:
    """It can be given again."""
    old = draft().model_copy(update={"expires_at": NOW - timedelta(seconds=1)})

    assert state_of([old], NOW) == "expired"
    again = decide([old], draft())
    assert again is not None
    assert again.number == 2


def test_a_decision_says_who_how_known_where_and_when() -> None:
    """All that design asks of it."""
    assert draft().model_dump(mode="json") == {
        "subject": "page", "digest": "d" * 64, "number": 1, "decision": "approved", "who": "alice",
        "known_by": "os-user", "role": "admin", "place": "desk-1", "at": "2025-06-20T10:00:00Z",
        "expires_at": None, "reason": "",
    }  # fmt: skip
    assert tell(draft()) == "approved by alice on 2025-06-20 10:00 UTC"
