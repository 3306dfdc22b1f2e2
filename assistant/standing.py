"""How all that an organisation added stands: one answer for whoever lists, shows or uses it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from assistant.approval import Approval, state_of
from knowledge.own.document import Kept

State = Literal["", "pending", "approved", "rejected", "expired", "damaged"]
"""Of a document empty; damaged: the content is no more what was kept."""
Decided = Mapping[str, Sequence[Approval]]
NEVER_DECIDED = {"pending": "not approved"}


@dataclass(frozen=True, slots=True)
class Standing:
    """How one version stands; `who` decided last on it."""

    state: State
    in_effect: bool
    who: str = ""

    @property
    def badge(self) -> str:
        """Say how a page stands that has no effect."""
        return NEVER_DECIDED.get(self.state, self.state)


def find_standings(
    every: Sequence[Kept],
    decided: Decided,
    now: datetime,
    *,
    is_whole: Callable[[Kept], bool] = lambda _: True,
) -> Mapping[str, Standing]:
    """Tell by digest how all versions stand, given in the order in which they were added.

    A page's approved version stays in effect while a newer one waits or was rejected.
    """
    pages = [kept for kept in every if kept.kind == "page"]
    chosen = {choose_version(_versions(pages, kept), decided, now) for kept in _current(pages)}
    found: dict[str, Standing] = {}
    for kept in every:
        told = decided.get(kept.digest, ())
        state: State = state_of(told, now) if kept.kind == "page" else ""
        works = kept.digest in chosen if kept.kind == "page" else not kept.superseded_by
        whole = is_whole(kept)
        who = told[-1].who if told else ""
        found[kept.digest] = Standing(state if whole else "damaged", works and whole, who)
    return found


def choose_version(versions: Sequence[str], decided: Decided, now: datetime) -> str | None:
    """Return the digest that has effect, of the versions of one page in their order.

    It is the latest approved. What an approved version took the place of never comes back by
    itself, also where that approval was taken back.
    """
    for digest in reversed(versions):
        told = decided.get(digest, ())
        if state_of(told, now) == "approved":
            return digest
        if any(each.decision == "approved" for each in told):
            return None
    return None


def _current(pages: Iterable[Kept]) -> Iterable[Kept]:
    return (kept for kept in pages if not kept.superseded_by)


def _versions(pages: Iterable[Kept], current: Kept) -> list[str]:
    """Return the digests of a page's versions up to the current one."""
    return [kept.digest for kept in pages if kept.key == current.key and _is_before(kept, current)]


def _is_before(kept: Kept, current: Kept) -> bool:
    return bool(kept.superseded_by) or kept.digest == current.digest
