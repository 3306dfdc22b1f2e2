"""One answer on how everything that was added stands."""

from datetime import UTC, date, datetime, timedelta

import pytest

from assistant.approval import Approval, Decision
from assistant.standing import choose_version, find_standings
from knowledge.own.document import Kept, Kind
from tests.assistant.test_approval import draft

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def kept(digest: str, *, by: str = "", key: str = "page", kind: Kind = "page") -> Kept:
    """A version, perhaps replaced by another."""
    return Kept(
        id=key, key=key, kind=kind, digest=digest, title=key, source="/a.md", date=date(2025, 1, 2),
        dated="file", format="page", added_at=NOW, superseded_by=by,
    )  # fmt: skip


def decided(*words: str) -> list[Approval]:
    """Decisions in their order."""
    made: list[Approval] = []
    for number, word in enumerate(words, 1):
        decision: Decision = "rejected" if word == "rejected" else "approved"
        ends = NOW - timedelta(days=1) if word == "expired" else None
        told = {"number": number, "decision": decision, "expires_at": ends, "who": f"w{number}"}
        made.append(draft().model_copy(update=told))
    return made


@pytest.mark.each_counts
@pytest.mark.parametrize(
    ("one", "two", "works"),
    [
        ([], [], None),
        (["approved"], [], "1"),
        (["approved"], ["rejected"], "1"),
        (["approved"], ["approved"], "2"),
        (["approved"], ["approved", "rejected"], None),
        (["approved"], ["expired"], None),
        (["approved", "rejected"], [], None),
        ([], ["approved"], "2"),
    ],
)
def test_the_approved_version_works_until_a_newer_one_is_approved(
    one: list[str], two: list[str], works: str | None
) -> None:
    """What an approved one took the place of never comes back by itself."""
    told = {"1": decided(*one), "2": decided(*two)}
    assert choose_version(["1", "2"], told, NOW) == works
    found = find_standings([kept("1", by="2"), kept("2")], told, NOW)
    assert [digest for digest, each in found.items() if each.in_effect] == [works] * bool(works)


def test_what_was_removed_brings_no_earlier_version_back() -> None:
    """Without a current version nothing of the page works."""
    found = find_standings([kept("1", by="2")], {"1": decided("approved")}, NOW)
    assert not found["1"].in_effect


def test_content_that_is_not_what_was_kept_has_no_effect() -> None:
    """Approved or not, page or document; and it is called so."""
    every = [kept("1"), kept("2", key="doc", kind="document")]
    whole = find_standings(every, {"1": decided("approved")}, NOW)
    assert [(each.state, each.in_effect) for each in whole.values()] == [
        ("approved", True), ("", True),
    ]  # fmt: skip
    lost = find_standings(every, {"1": decided("approved")}, NOW, is_whole=lambda _: False)
    assert {(each.state, each.in_effect) for each in lost.values()} == {("damaged", False)}


@pytest.mark.parametrize(
    ("words", "badge", "who"),
    [((), "not approved", ""), (("rejected",), "rejected", "w1"), (("expired",), "expired", "w1")],
)
def test_a_page_without_effect_says_why(words: tuple[str, ...], badge: str, who: str) -> None:
    """Nobody approved it, somebody rejected it, or time passed."""
    standing = find_standings([kept("1")], {"1": decided(*words)}, NOW)["1"]
    assert (standing.badge, standing.who) == (badge, who)
