"""Who may decide on own pages, on what, and how often."""

from pathlib import Path

import pytest

from integrations.bootstrap import current_user
from knowledge.own.collection import Collection
from knowledge.own.document import page_digest
from tests.integrations.cli.conftest import Run, load
from tests.integrations.cli.test_kb_add import items
from tests.knowledge.own.test_gathering import add

PAGE = "---\nextends: nfs-server-not-responding\n---\nOurs.\n"
DIGEST = page_digest("ours", "own", PAGE)


@pytest.fixture(name="collection")
def _collection(home: Path) -> Collection:
    """A page that was added and waits."""
    collection = Collection(home / ".local" / "share" / "firstfault" / "own")
    add(collection, "ours", PAGE)
    return collection


@pytest.fixture(name="admin")
def _admin(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> Collection:
    """The OS user of this process is an admin."""
    monkeypatch.setenv("FIRSTFAULT_ADMINS", f"alice,{current_user()}")
    return collection


@pytest.mark.parametrize("command", [("approve",), ("reject", "--reason", "x")])
def test_without_admins_nobody_can_decide(
    run: Run, collection: Collection, command: tuple[str, ...]
) -> None:
    """Exit 4, with what to set; in both languages."""
    assert collection.exists()
    code, _, err = run(*command, DIGEST)
    assert (code, "No admins are configured" in err, "admins = " in err) == (4, True, True)
    assert "没有配置管理员" in run(*command, DIGEST, "--lang", "zh")[2]


def test_the_operating_system_says_who_it_is(
    run: Run, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No variable makes somebody an admin's namesake."""
    monkeypatch.setenv("FIRSTFAULT_ADMINS", "alice")
    for name in ("USER", "LOGNAME", "SUDO_USER"):
        monkeypatch.setenv(name, "alice")
    code, _, err = run("approve", DIGEST)

    assert (code, f"{current_user()} is no admin" in err, "alice" in err) == (4, True, True)
    assert collection.current()


def test_an_approval_is_given_once_and_taken_back_for_good(run: Run, admin: Collection) -> None:
    """Again is no second decision; what was rejected needs other content."""
    code, out, _ = run("approve", DIGEST, "-o", "json")
    told = load(out)
    assert (code, told["decision"], told["who"], told["unchanged"]) == (
        0, "approved", current_user(), False,
    )  # fmt: skip
    assert (told["digest"], told["page"], told["known_by"]) == (DIGEST, "ours", "os-user")
    assert load(run("approve", DIGEST[:16], "-o", "json")[1])["unchanged"] is True
    assert "had effect already" in run("approve", DIGEST)[1]

    assert "has no effect" in run("reject", DIGEST, "--reason", "it misleads")[1]
    assert "早已被拒绝" in run("reject", DIGEST, "--reason", "x", "--lang", "zh")[1]
    code, _, err = run("approve", DIGEST)
    assert (code, "it misleads" in err) == (7, True)
    code, out, _ = run("approve", DIGEST, "-o", "json")
    assert (code, "denied" in out) == (7, True)
    assert admin.current()


def test_a_version_that_was_replaced_cannot_be_approved(run: Run, admin: Collection) -> None:
    """Only what is there now can."""
    add(admin, "ours", PAGE + "More.\n")
    code, _, err = run("approve", DIGEST)
    assert (code, "superseded" in err) == (7, True)


@pytest.mark.parametrize(
    ("digest", "code"),
    [("0" * 64, 3), ("nonsense", 3), ("", 2), (DIGEST[:6], 2), ("../../etc", 3), ("é\x1b[2J", 3)],
)
@pytest.mark.usefixtures("admin")
def test_what_is_no_digest_is_said(run: Run, digest: str, code: int) -> None:
    """Unknown, too short to be sure, or no digest; nothing of it reaches the terminal raw."""
    found, _, err = run("approve", digest)
    assert found == code
    assert "\x1b" not in err


@pytest.mark.usefixtures("admin")
def test_a_rejection_needs_a_reason(run: Run) -> None:
    """Who reads it later must understand it."""
    assert run("reject", DIGEST)[0] == 2
    assert run("reject", DIGEST, "--reason", " ")[0] == 2


@pytest.mark.usefixtures("admin")
def test_who_approves_sees_what_it_changes(run: Run, home: Path) -> None:
    """Id and title, what it adds to or replaces, and each step with its risk and command."""
    page = home / "steps.md"
    page.write_text(
        "---\nextends: xid-79-fell-off-bus\nremedies: [{id: ask, title: {en: Ask, zh: 询问},"
        " stage: verify, risk: R2, command: [systemctl, restart, kubelet]}]\n---\nOurs.\n"
    )
    step = "+ remedy: R2 ask: Ask · $ systemctl restart kubelet"
    code, out, _ = run("kb", "add", str(page))
    assert (code, "adds to the page xid-79-fell-off-bus" in out, step in out) == (6, True, True)
    (added,) = items(run("kb", "add", str(page), "-o", "json")[1])
    assert "remedies" in str(added["effect"])

    code, out, _ = run("approve", str(added["digest"]), "--lang", "zh")
    assert (code, "补充页面 xid-79" in out, "R2 ask: 询问 · $ systemctl" in out) == (0, True, True)
    told = load(run("approve", str(added["digest"]), "-o", "json")[1])
    assert (told["title"], told["unchanged"]) == ("steps", True)
    assert step in run("approve", str(added["digest"]))[1]
