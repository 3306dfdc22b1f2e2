"""Incidents are kept, found again by their input and changed by people."""

import sqlite3
import threading
from pathlib import Path

import pytest

from assistant.errors import MergeRefusedError, NoSuchIncidentError, StoreError
from assistant.incident import Incident, Scope
from assistant.investigation import Investigation
from assistant.store import Store, open_store, open_url
from tests.integrations.sample import build_investigation


@pytest.fixture(name="store")
def _store() -> Store:
    return open_url("sqlite://")


def _unnamed(**changes: object) -> Investigation:
    sample = build_investigation()
    unnamed = sample.incident.model_copy(update={"id": ""})
    return sample.model_copy(update={"incident": unnamed, **changes})


def test_the_id_holds_the_utc_day_of_the_windows_start(store: Store) -> None:
    """A window that starts at 02:00Z on 20 June gives I-20250620-1."""
    saved = store.save(_unnamed())

    assert saved.incident.id == "I-20250620-1"


def test_the_same_input_again_updates_the_same_incident(store: Store) -> None:
    """Neither another order of files nor other names make another incident."""
    first = store.save(_unnamed())
    shuffled = tuple(
        item.model_copy(update={"path": f"other/{item.id}"})
        for item in reversed(build_investigation().evidence)
    )

    again = store.save(_unnamed(evidence=shuffled))

    assert again.incident.id == first.incident.id
    assert len(store.list()) == 1


def test_other_input_of_the_same_day_gets_the_next_number(store: Store) -> None:
    """Numbers count up within a day."""
    store.save(_unnamed())

    other = store.save(_unnamed(evidence=build_investigation().evidence[:3]))

    assert other.incident.id == "I-20250620-2"


def test_what_was_kept_is_known_again() -> None:
    """By its input, whatever the look at it found."""
    store = open_url("sqlite://")
    sample = _unnamed()

    assert not store.holds(sample)
    store.save(sample)
    assert store.holds(sample)


def test_a_step_before_the_window_is_known_is_kept_and_named_later(store: Store) -> None:
    """The id waits for the start of the window; the earlier step moves under it."""
    early = _unnamed(step="gathered", window=build_investigation().window.model_copy(
        update={"since": None},
    ))  # fmt: skip

    assert store.save(early).incident.id == ""
    named = store.save(_unnamed())

    assert store.steps(named.incident.id) == ["gathered", "diagnosed"]


def test_nothing_is_kept_before_anything_was_read(store: Store) -> None:
    """An opened investigation comes back as it went in."""
    opened = _unnamed(step="opened")

    assert store.save(opened) == opened
    assert store.list() == []


def test_the_furthest_step_comes_back_whole(store: Store) -> None:
    """What is loaded equals what was saved, to the last citation."""
    store.save(_unnamed(step="ordered", diagnosis=None))
    saved = store.save(_unnamed())

    assert store.load("I-20250620-1") == saved


@pytest.mark.parametrize(
    "name",
    ["I-20250620-9", "I-20250620-0", "x", "", "I-2025-1", "I-20250620-\N{FULLWIDTH DIGIT ONE}"],
)
def test_an_unknown_incident_is_named_in_the_error(store: Store, name: str) -> None:
    """Whatever is asked for, the error repeats it and says what to do."""
    with pytest.raises(NoSuchIncidentError, match="There is no incident") as caught:
        store.load(name)

    assert "incident list" in caught.value.hint


def test_a_file_name_that_is_not_utf8_does_not_stop_saving(store: Store) -> None:
    """What cannot be written is replaced in the copy that is kept."""
    evidence = build_investigation().evidence[0].model_copy(update={"command": "caf\udce9.log"})

    saved = store.save(_unnamed(evidence=(evidence,)))

    assert store.load(saved.incident.id).evidence[0].command == "caf?.log"


def test_people_note_assign_close_and_reopen(store: Store) -> None:
    """Each change leaves a note with its author."""
    name = store.save(_unnamed()).incident.id

    store.note(name, "storage team called", author="ana")
    store.assign(name, "bo", author="ana")
    store.close_incident(name, author="bo")
    assert (store.describe(name).status, store.describe(name).assignee) == ("closed", "bo")
    store.reopen(name, author="ana")

    assert store.describe(name).status == "open"
    written = [(note.author, note.text) for note in store.notes(name)]
    assert written == [
        ("ana", "storage team called"),
        ("ana", "assigned to bo"),
        ("bo", "closed"),
        ("ana", "reopened"),
    ]


def test_what_people_set_survives_another_diagnosis(store: Store) -> None:
    """The assignee and the status are theirs, not the pipeline's."""
    name = store.save(_unnamed()).incident.id
    store.assign(name, "bo", author="ana")
    store.close_incident(name, author="bo")

    again = store.save(_unnamed())

    assert (again.incident.assignee, again.incident.status) == ("bo", "closed")


def test_merging_keeps_both_and_points_to_the_whole(store: Store) -> None:
    """The merged part stays readable."""
    whole = store.save(_unnamed()).incident.id
    part = store.save(_unnamed(evidence=build_investigation().evidence[:3])).incident.id

    store.merge(whole, part, author="ana")

    assert store.describe(part).merged_into == whole
    assert store.load(part).diagnosis is not None
    with pytest.raises(StoreError, match="itself"):
        store.merge(whole, whole, author="ana")


def test_what_is_merged_takes_nothing_in_and_is_merged_once(store: Store) -> None:
    """A circle would leave no incident open; whoever reopens the part may turn it round."""
    evidence = build_investigation().evidence
    first, second, third = (
        store.save(_unnamed(evidence=evidence[:n])).incident.id for n in (2, 3, 4)
    )
    store.merge(first, second, author="ana")

    for into, other in ((second, first), (second, third), (third, second), (first, second)):
        with pytest.raises(MergeRefusedError, match=f"{second} is merged into {first}") as caught:
            store.merge(into, other, author="ana")
        assert f"incident reopen {second}" in caught.value.hint
    assert [kept.status for kept in store.list()] == ["open", "merged", "open"]

    store.reopen(second, author="ana")
    store.merge(second, first, author="ana")
    assert store.describe(first).merged_into == second


def test_splitting_opens_a_new_incident_without_a_conclusion(store: Store) -> None:
    """The part has its own id, scope and no diagnosis."""
    whole = store.save(_unnamed()).incident.id

    incident = Incident(title="node 12 alone", scope=Scope(nodes=("astra-gpu-12",)))
    part = store.split(whole, incident, author="ana")

    assert part.incident.id == "I-20250620-2"
    assert store.load(part.incident.id).diagnosis is None
    assert store.describe(part.incident.id).split_from == whole


def test_a_network_file_system_is_refused(tmp_path: Path) -> None:
    """SQLite's shared memory does not work there; the message names the mount and its type."""
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nsrv:/home {tmp_path}/home nfs4 rw 0 0\n")

    with pytest.raises(StoreError, match="nfs4"):
        open_store(tmp_path / "home" / "data", mounts=mounts)
    assert not (tmp_path / "home").exists()


def test_an_unwritable_folder_is_a_clear_error(tmp_path: Path) -> None:
    """A file where the folder should be is said so."""
    (tmp_path / "data").write_text("")

    with pytest.raises(StoreError, match="cannot be kept"):
        open_store(tmp_path / "data")


def test_another_database_is_refused_by_name() -> None:
    """The URL, which may hold a password, is not repeated."""
    with pytest.raises(StoreError, match="SQLite only") as caught:
        open_url("postgresql://u:hunter2@db/x")

    assert "hunter2" not in str(caught.value)


def test_the_database_is_in_wal_mode_and_survives(tmp_path: Path) -> None:
    """Another process sees what the first wrote."""
    first = open_store(tmp_path)
    name = first.save(_unnamed()).incident.id
    first.close()

    second = open_store(tmp_path)
    assert second.load(name).incident.id == name
    second.close()
    with sqlite3.connect(tmp_path / "firstfault.db") as connection:
        mode = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    assert mode == ("wal",)


def test_two_writers_at_once_get_two_numbers(tmp_path: Path) -> None:
    """The write lock is taken before the last number is read."""
    store = open_store(tmp_path)
    names: list[str] = []

    def save(count: int) -> None:
        evidence = build_investigation().evidence[:count]
        names.append(store.save(_unnamed(evidence=evidence)).incident.id)

    writers = [threading.Thread(target=save, args=(count,)) for count in range(1, 5)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    store.close()

    assert sorted(names) == [f"I-20250620-{n}" for n in range(1, 5)]
