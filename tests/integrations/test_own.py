"""What an organisation added, wired: found by the search with its badge, as text and no markup."""

from dataclasses import replace
from pathlib import Path

import pytest

from integrations.bootstrap import Surroundings, has_own, load_settings, open_finder, open_handbook
from integrations.cli.kb_search import print_answer
from integrations.own import current_person, judge_own, open_collection, open_own
from integrations.wording.words import load_words
from knowledge.catalog import Catalog
from knowledge.own.shelf import put_over
from tests.kept_pages import cache_home
from tests.knowledge.own.test_page_file import own
from tests.knowledge.search.shelf import shelf
from tests.knowledge.search.test_documents import add


def surroundings(home: Path) -> Surroundings:
    """A home of its own, with validated pages from the run's cache."""
    return Surroundings({"XDG_CACHE_HOME": str(home / "cache")}, home)


def catalog() -> Catalog:
    """A few pages, one own that is approved and one that waits."""
    title = {"en": "Tape robot is stuck", "zh": "磁带机器人卡住"}
    badge = "own · gripper.md · 2025-01-02"
    works, waits = replace(own("gripper"), badge=badge), own("tape-robot", title=title)
    return put_over(shelf(), [works, waits], {works.digest})


def test_what_was_added_is_found_with_its_badge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the reader's language; escapes and tags of a document reach no terminal as such."""
    around = surroundings(tmp_path)
    settings = load_settings({}, around).settings
    add(open_collection(settings, around), "Cryo <b>\x1b[31m", "The quench valve sticks in winter.")
    finder = open_finder(settings, around, catalog()).finder
    document = finder.find("quench valve sticks in winter")
    waits = finder.find("tape robot is stuck")

    assert document.results[0].entry.kind == "document"
    assert {entry.id: entry.en for entry in finder.corpus.entries}["gripper"] == "A fault"
    for lang, badge, state in (("en", "own", "not approved"), ("zh", "自有", "未批准")):
        print_answer("q", document, load_words(lang), as_json=False)
        print_answer("q", waits, load_words(lang), as_json=False)
        out = capsys.readouterr().out
        assert f"[{badge} · https://wiki/Cryo <b>" in out
        assert state in out
        assert "\x1b" not in out
    if finder.meaning:
        finder.meaning.vectors.close()


def test_where_nothing_was_added_nothing_is_made(tmp_path: Path) -> None:
    """Neither a folder nor a database; the handbook is the shipped one."""
    around = Surroundings({"XDG_CACHE_HOME": str(cache_home())}, tmp_path)
    settings = load_settings({}, around).settings

    assert not has_own(settings, around)
    assert open_handbook(settings, around).pending == {}
    assert open_own(settings, around).pages == ()
    assert judge_own((), settings, around) == {}
    assert not (tmp_path / ".local").exists()


def test_without_its_decisions_no_own_page_has_effect(tmp_path: Path) -> None:
    """A database that cannot be read approves nothing, and that is said."""
    around = surroundings(tmp_path)
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "ours.md").write_text("---\nextends: xid-79\n---\n")
    data = tmp_path / ".local" / "share" / "firstfault"
    data.mkdir(parents=True)
    (data / "firstfault.db").write_bytes(b"no database" * 100)
    settings = load_settings({"handbook_dirs": (str(pages),)}, around).settings
    found = open_own(settings, around)

    assert (len(found.pages), found.approved) == (1, {})
    assert found.warnings[0].startswith("no own page has effect: Incidents cannot be kept")


def test_who_acts_is_known_by_the_operating_system() -> None:
    """Nothing in the surroundings has a say."""
    person = current_person()
    assert (person.known_by, bool(person.name), bool(person.place)) == ("os-user", True, True)
