import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from knowledge.search.folder import DAMAGED, find_fault, hold, remove_others


def _write(folder: Path) -> None:
    (folder / "words").write_text("a")


def test_it_is_built_once_and_found_again(tmp_path: Path) -> None:
    """The second reader finds it whole."""
    first = hold(tmp_path, "one", _write)
    second = hold(tmp_path, "one", _fail)

    assert (first.why, second.why) == ("absent", "")
    assert (second.folder / "words").read_text() == "a"


@pytest.mark.parametrize("harm", ["change", "lose", "add", "unmark"])
def test_a_damaged_folder_is_built_anew(tmp_path: Path, harm: str) -> None:
    """Whatever was done to it: a byte, a file too few, one too many, no mark."""
    folder = hold(tmp_path, "one", _write).folder
    match harm:
        case "change":
            (folder / "words").write_text("b")
        case "lose":
            (folder / "words").unlink()
        case "add":
            (folder / "foreign").write_text("x")
        case _:
            (folder / "complete.json").unlink()

    assert find_fault(folder) == DAMAGED
    assert hold(tmp_path, "one", _write).why == DAMAGED
    assert find_fault(folder) == ""


def test_a_build_that_dies_leaves_nothing_half(tmp_path: Path) -> None:
    """The next one begins anew over what the dead one left aside."""
    with pytest.raises(RuntimeError):
        hold(tmp_path, "one", _die)
    assert not (tmp_path / "one").exists()

    assert (hold(tmp_path, "one", _write).folder / "words").read_text() == "a"
    assert not (tmp_path / "one.building").exists()


def test_only_what_nobody_reads_is_removed(tmp_path: Path) -> None:
    """A folder stays while its reader lives, and goes with its lock afterwards."""
    old = hold(tmp_path, "old", _write)
    hold(tmp_path, "new", _write)
    remove_others(tmp_path, "new")
    assert (tmp_path / "old").exists()

    old.release()
    remove_others(tmp_path, "new")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new", "new.lock", "new.turn"]


def test_two_processes_build_it_once(tmp_path: Path) -> None:
    """The second waits for the first and uses what it made."""
    code = f"""
        import time
        from pathlib import Path
        from knowledge.search.folder import hold
        def build(folder):
            time.sleep(0.3)
            (folder / "by").write_text("x")
            print("built")
        hold(Path({str(tmp_path)!r}), "one", build)
    """
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = [run.communicate(timeout=30)[0] for run in runs]

    assert sorted(said) == ["", "built\n"]


def test_a_lock_whose_file_was_removed_meanwhile_is_taken_again(tmp_path: Path) -> None:
    """Who waited on the removed file locks the new one."""
    old = hold(tmp_path, "one", _write)
    Path(tmp_path / "one.lock").unlink()
    again = hold(tmp_path, "one", _fail)

    assert os.fstat(again.lock).st_ino == (tmp_path / "one.lock").stat().st_ino
    assert os.fstat(old.lock).st_ino != os.fstat(again.lock).st_ino


def _fail(folder: Path) -> None:
    raise AssertionError(folder)


def _die(folder: Path) -> None:
    (folder / "half").write_text("x")
    raise RuntimeError
