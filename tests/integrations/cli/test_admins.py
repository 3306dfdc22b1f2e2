"""Who are admins says the system's configuration, where it says so: nobody makes himself one."""

from pathlib import Path

import pytest

from integrations import bootstrap
from integrations.bootstrap import current_user
from knowledge.own.document import page_digest
from tests.integrations.cli.conftest import Run
from tests.integrations.cli.test_own_pages import listed, write

EMPTY = page_digest("ours", "own", "")


@pytest.fixture(name="system")
def _system(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's configuration, which this user cannot change."""
    path = home / "etc.toml"
    path.write_text('admins = ["alice"]\n')
    monkeypatch.setattr(bootstrap, "_SYSTEM_FILE", path)
    return path


@pytest.mark.parametrize("place", ["project", "user", "variable"])
def test_nobody_makes_himself_an_admin(
    run: Run, home: Path, system: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Whatever names others than the system does is an error that says so, in both languages."""
    if place == "variable":
        monkeypatch.setenv("FIRSTFAULT_ADMINS", current_user())
    else:
        names = {"project": "firstfault.toml", "user": ".config/firstfault/config.toml"}
        path = home / names[place]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'admins = ["{current_user()}"]\n')
    code, _, err = run("approve", EMPTY)

    assert (code, "only " in err, str(system) in err) == (1, True, True)
    assert "只" in run("approve", EMPTY, "--lang", "zh")[2]


def test_who_says_the_same_as_the_system_says_nothing_new(
    run: Run, system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order of the names is no difference; what holds is shown with its origin."""
    system.write_text('admins = ["alice", "bob"]\n')
    monkeypatch.setenv("FIRSTFAULT_ADMINS", "bob,alice")
    code, out, _ = run("config", "show", "--origin")

    line = next(line for line in out.splitlines() if line.startswith("admins"))
    assert (code, "alice, bob" in line, str(system) in line) == (0, True, True)


def test_a_system_that_names_no_admins_leaves_it_to_the_settings(
    run: Run, home: Path, system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one's own machine that is enough; whoever approves is told once what it rests on."""
    system.write_text('tz = "UTC"\n')
    monkeypatch.setenv("FIRSTFAULT_ADMINS", current_user())
    page = write(home, "house-rule", "node")
    assert run("kb", "add", str(page))[0] == 6
    digest = listed(run)["house-rule"][1]
    code, _, err = run("approve", digest)

    assert (code, err.count("environment FIRSTFAULT_ADMINS")) == (0, 1)
    assert "环境变量" in run("approve", digest, "--lang", "zh")[2]


def test_an_empty_list_of_the_system_means_nobody(run: Run, home: Path, system: Path) -> None:
    """It names them, and there are none."""
    page = write(home, "house-rule", "node")
    run("kb", "add", str(page))
    digest = listed(run)["house-rule"][1]
    system.write_text("admins = []\n")

    assert run("approve", digest)[0] == 4
    (home / "firstfault.toml").write_text(f'admins = ["{current_user()}"]\n')
    assert run("approve", digest)[0] == 1


def test_an_unknown_digest_is_said_before_anything_else(run: Run) -> None:
    """Also where no admins are."""
    assert run("approve", "deadbeef" * 8)[0] == 3
    assert run("approve", "deadbeef")[0] == 3
