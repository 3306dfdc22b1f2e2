"""Decisions are kept for good, and two at once cannot both decide."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.approval import decide, make_draft
from assistant.database import FILE, open_address, open_folder
from assistant.decisions import Decisions
from assistant.errors import DecidedError, StoreError
from assistant.people import Person
from tests.assistant.test_approval import NOW, draft


@pytest.fixture(name="decisions")
def _decisions(tmp_path: Path) -> Decisions:
    return Decisions(open_folder(tmp_path))


def test_what_was_decided_is_read_as_it_was(decisions: Decisions, tmp_path: Path) -> None:
    """By another opening of the database too."""
    expiring = draft().model_copy(update={"digest": "e" * 64, "expires_at": NOW})
    decisions.record(draft("rejected", "no\nreason"))
    decisions.record(expiring)
    again = Decisions(open_folder(tmp_path))

    assert again.history("d" * 64) == [draft("rejected", "no\nreason")]
    assert again.history("e" * 64) == [expiring]
    assert again.history("f" * 64) == ()


def test_two_at_once_do_not_both_decide(decisions: Decisions) -> None:
    """All saw that nothing was decided; one is first, the others are told."""

    def attempt(number: int) -> str:
        person = Person(f"admin-{number}", "os-user", "desk")
        made = decide([], make_draft("d" * 64, "approved", person, role="admin", at=NOW))
        assert made is not None
        try:
            decisions.record(made)
        except DecidedError as error:
            return str(error)
        return person.name

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(attempt, range(8)))
    (kept,) = decisions.history("d" * 64)

    assert said.count(kept.who) == 1
    assert said.count("Somebody else decided on dddddddddddd meanwhile.") == 7


def test_no_decision_is_ever_changed_or_removed(decisions: Decisions, tmp_path: Path) -> None:
    """The database itself refuses."""
    decisions.record(draft())
    with sqlite3.connect(tmp_path / FILE) as connection:
        for change in ("UPDATE approvals SET who = 'bob'", "DELETE FROM approvals"):
            with pytest.raises(sqlite3.IntegrityError, match="what was decided stays"):
                connection.execute(change)
    connection.close()

    assert decisions.history("d" * 64) == [draft()]


def test_a_database_that_cannot_be_used_is_said() -> None:
    """As the store of the incidents says it."""
    engine = open_address("sqlite://")
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE approvals")
    for attempt in (Decisions(engine).every, lambda: Decisions(engine).record(draft())):
        with pytest.raises(StoreError, match="no such table"):
            attempt()
