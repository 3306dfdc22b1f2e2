"""List, show, search, lint and diagnosis say the same of what was added."""

from pathlib import Path

import pytest

from integrations.bootstrap import current_user, load_settings, read_surroundings
from integrations.own import whole_handbook
from tests.integrations.cli.conftest import Run
from tests.integrations.cli.test_kb_add import items
from tests.integrations.cli.test_own_pages import LINE, write
from tests.knowledge.search.shelf import shelf


@pytest.fixture(name="page")
def _page(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that was added and approved."""
    monkeypatch.setenv("FIRSTFAULT_ADMINS", current_user())
    (home / "house.log").write_text(LINE)
    page = write(home, "house-rule", "node")
    run("kb", "add", str(page))
    assert run("approve", digest_of(run))[0] == 0
    return page


def rows(run: Run) -> list[tuple[object, object, object]]:
    """Return digest, state and effect of every version."""
    listed = items(run("kb", "list", "--own", "-o", "json")[1])
    return [(each["digest"], each["state"], each["in_effect"]) for each in listed]


def digest_of(run: Run) -> str:
    """Return the digest that was added last."""
    return str(rows(run)[-1][0])


def test_what_was_changed_by_hand_is_called_so_everywhere(run: Run, home: Path, page: Path) -> None:
    """It is not what was approved; the same file added again restores it, approval and all."""
    digest = digest_of(run)
    file = home / ".local/share/firstfault/own/content" / digest
    file.write_text(file.read_text().replace("R2", "R0"))

    assert rows(run) == [(digest, "damaged", False)]
    assert "changed or lost" in run("kb", "list", "--own")[1]
    code, _, err = run("kb", "show", "house-rule")
    assert (code, "page skipped: house-rule" in err) == (3, True)
    around = read_surroundings()
    linted = whole_handbook(shelf(), load_settings({}, around).settings, around)
    assert linted.warnings[0].startswith("page skipped: house-rule")
    assert "House rule" not in run("diagnose", str(home / "house.log"))[1]

    code, out, _ = run("kb", "add", str(page), "-o", "json")
    assert (code, items(out)[0]["status"]) == (0, "restored")
    assert rows(run) == [(digest, "approved", True)]


def test_a_document_that_was_changed_by_hand_is_named(run: Run, home: Path) -> None:
    """It does not vanish without a word: whatever opens the handbook says so."""
    (home / "ring.md").write_text("# Ring\n\nThe quench valve sticks.\n")
    run("kb", "add", str(home / "ring.md"))
    file = home / ".local/share/firstfault/own/content" / digest_of(run)
    file.write_text(file.read_text().replace("quench", "drain"))

    err = run("kb", "list")[2]
    assert err.count("its content was lost or changed") == 1
    assert rows(run)[0][1:] == ("damaged", False)
    assert "没有" not in err
    assert "丢失或改动" in run("kb", "list", "--lang", "zh")[2]


def test_what_was_rejected_is_called_rejected(run: Run, page: Path) -> None:
    """Not merely not approved; and nobody is reminded of it at every start."""
    assert page.exists()
    run("reject", digest_of(run), "--reason", "it misleads")
    code, out, err = run("kb", "show", "house-rule")

    assert (code, "· rejected]" in out, "without approval" in err) == (0, True, False)
    assert "已拒绝" in run("kb", "show", "house-rule", "--lang", "zh")[1]
    assert rows(run)[0][1:] == ("rejected", False)


def test_an_approved_version_works_until_a_newer_one_is_approved(
    run: Run, home: Path, page: Path
) -> None:
    """Whoever may add a page must not take an approved one away."""
    first = digest_of(run)
    page.write_text(page.read_text().replace("R2", "R3"))
    code, out, _ = run("kb", "add", str(page))
    second = digest_of(run)
    assert (code, "approved before stays in effect" in out) == (6, True)
    assert rows(run) == [(first, "approved", True), (second, "pending", False)]
    assert "in effect until" in run("kb", "list", "--own")[1]
    _, out, err = run("diagnose", str(home / "house.log"))
    assert ("R2 Obey [own]" in out, "house-rule (newer version);" in err) == (True, True)

    assert run("approve", second)[0] == 0
    assert rows(run) == [(first, "approved", False), (second, "approved", True)]
    assert "R3 Obey [own]" in run("diagnose", str(home / "house.log"))[1]
    assert run("approve", first)[0] == 7


def test_an_approved_version_can_be_rejected_while_a_newer_one_waits(
    run: Run, home: Path, page: Path
) -> None:
    """It has effect, so it can be taken back."""
    first = digest_of(run)
    page.write_text(page.read_text().replace("R2", "R3"))
    run("kb", "add", str(page))

    assert run("reject", first, "--reason", "wrong")[0] == 0
    assert "Obey" not in run("diagnose", str(home / "house.log"))[1]
    assert [each[2] for each in rows(run)] == [False, False]
