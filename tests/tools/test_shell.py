"""A hung child cannot hang us."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.commands import Command
from tools.context import state_file
from tools.hangs import Hangs
from tools.shell import Shell

Program = Callable[[str, str], Path]
DF = Command(("df", "-h", "/data"))


def test_an_answer_carries_what_was_said_and_when(program: Program) -> None:
    program("df", "#!/bin/sh\necho out; echo err >&2\n")
    answer = Shell().run(DF)

    assert (answer.outcome, answer.stdout, answer.stderr, answer.code) == (
        "ok",
        b"out\n",
        b"err\n",
        0,
    )
    assert answer.command == "df -h /data"
    assert answer.started <= answer.ended


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("exit 0", "empty"),
        ("echo 'Error: nodes is forbidden: User cannot list' >&2; exit 1", "denied"),
        ("echo 'df: /data: No such file or directory' >&2; exit 1", "absent"),
        ("echo boom >&2; exit 3", "failed"),
    ],
)
def test_outcomes_are_told_apart(program: Program, text: str, outcome: str) -> None:
    program("df", f"#!/bin/sh\n{text}\n")

    assert Shell().run(DF).outcome == outcome


def test_a_missing_program_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = Shell().run(DF)

    assert answer.outcome == "absent"
    assert "not installed" in answer.detail


def test_output_beyond_the_cap_is_cut_and_said_so(program: Program) -> None:
    program("df", "#!/bin/sh\nexec yes\n")
    answer = Shell().run(DF, max_bytes=1000)

    assert answer.truncated
    assert len(answer.stdout) == 1000


def test_a_hang_is_given_up_in_time_and_leaves_no_one_waiting(
    program: Program, hanging: str
) -> None:
    """The program never comes back by itself: to return at all is to have given it up."""
    program("df", hanging)
    shell = Shell()
    answer = shell.run(DF, limit_s=0.5, resource="n1/df/data")

    assert answer.outcome == "hung"
    assert "given up after" in answer.detail


def test_after_a_hang_it_is_not_run_again_until_something_changed(
    program: Program, hanging: str
) -> None:
    program("df", hanging)
    shell = Shell()
    shell.run(DF, limit_s=0.5, resource="n1/df/data")
    before = shell.abandoned
    again = [shell.run(DF, limit_s=0.5, resource="n1/df/data") for _ in range(5)]

    assert {answer.outcome for answer in again} == {"hung"}
    assert all("not run again" in answer.detail for answer in again)
    assert shell.abandoned == before, "no process more than the first"


def test_it_is_run_again_after_the_mounts_changed(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "mountinfo").write_text("one")
    hangs = Hangs(proc=tmp_path)
    hangs.remember("n1/df/data", 4242)

    assert "nothing changed" in hangs.still("n1/df/data")
    (tmp_path / "self" / "mountinfo").write_text("two")
    assert hangs.still("n1/df/data") == ""


def test_it_is_run_again_after_the_stuck_process_died_and_a_rest(tmp_path: Path) -> None:
    now = [1000.0]
    hangs = Hangs(proc=tmp_path, clock=lambda: now[0])
    hangs.remember("n1/df/data", 4242)

    assert hangs.still("n1/df/data")
    now[0] += 61
    assert hangs.still("n1/df/data") == ""


def test_what_hung_is_remembered_by_the_next_process(tmp_path: Path) -> None:
    file = tmp_path / "state" / "hung.json"
    Hangs(file).remember("n1/df/data", os.getpid())

    assert "has been stuck" in Hangs(file).still("n1/df/data")
    file.write_text("{torn")
    assert Hangs(file).still("n1/df/data") == ""


def test_what_hung_is_kept_where_only_the_user_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    file = state_file()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "missing"))

    assert file == tmp_path / f"firstfault-{os.getuid()}" / "hung.json"
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert state_file() is None


def test_a_place_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    hangs = Hangs(tmp_path / "file" / "hung.json")
    hangs.remember("n1/df/data", os.getpid())

    assert hangs.still("n1/df/data")


def test_a_program_that_cannot_start_is_a_failure(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other of that name is found, for this host may have the real one."""
    path = program("nfsstat", "\x00\x01 neither a script nor a binary")
    monkeypatch.setenv("PATH", str(path.parent))

    assert Shell().run(Command(("nfsstat", "-m")), limit_s=1).outcome == "failed"


def test_on_a_frozen_mount_the_child_survives_its_kill(
    program: Program, hanging: str, frozen: Path | None
) -> None:
    if frozen is None:
        pytest.skip("no mount can be frozen here (needs root, losetup, fsfreeze)")
    program("df", hanging)
    shell = Shell()
    shell.run(DF, limit_s=0.3, resource="n1/df/data")

    (stuck,) = shell.abandoned
    assert Path(f"/proc/{stuck}/stat").read_text().rpartition(")")[2].split()[0] == "D"
