"""The rules of decisions: an approval binds one digest, and the last decision on it counts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from assistant.errors import DecidedError
from assistant.people import KnownBy, Person, Role

Subject = Literal["page"]
"""What a digest is of."""
Decision = Literal["approved", "rejected"]
State = Literal["pending", "approved", "rejected", "expired"]


class Approval(BaseModel):
    """What one person decided of exactly one content, and how they were known.

    `number` counts the decisions on this digest from 1. Without `expires_at` it holds for good.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: Subject
    digest: str
    number: int
    decision: Decision
    who: str
    known_by: KnownBy
    role: Role
    place: str
    at: AwareDatetime
    expires_at: AwareDatetime | None = None
    reason: str = ""


def state_of(history: Sequence[Approval], now: datetime) -> State:
    """Tell how a digest stands after all decisions on it, given in their order."""
    if not history:
        return "pending"
    last = history[-1]
    if last.decision == "approved" and last.expires_at is not None and last.expires_at <= now:
        return "expired"
    return last.decision


def decide(
    history: Sequence[Approval],
    draft: Approval,
) -> Approval | None:
    """Return the decision to record after `history`; None where it is so already.

    Rejecting what was approved takes the approval back. What was rejected stays so: other content
    has another digest.

    Raises:
        DecidedError: it was rejected.
    """
    state = state_of(history, draft.at)
    if state == draft.decision:
        return None
    if state == "rejected":
        raise DecidedError(
            f"{draft.digest[:12]} was {tell(history[-1])}.",
            "Change the page and add it again: other content has another digest.",
        )
    return draft.model_copy(update={"number": len(history) + 1})


def make_draft(
    digest: str, decision: Decision, person: Person, *, role: Role, at: datetime, reason: str = ""
) -> Approval:
    """Write down a person's decision on a page; it counts once it is recorded."""
    return Approval(
        subject="page",
        digest=digest,
        number=1,
        decision=decision,
        who=person.name,
        known_by=person.known_by,
        role=role,
        place=person.place,
        at=at,
        reason=reason,
    )


def tell(approval: Approval) -> str:
    """Say who decided what and when."""
    when = f"{approval.at:%Y-%m-%d %H:%M} UTC"
    said = f"{approval.decision} by {approval.who} on {when}"
    return f"{said}: {approval.reason}" if approval.reason else said
