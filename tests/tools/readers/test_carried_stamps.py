"""Stamps that somebody put before each line of a program, those of its tracebacks included."""

from pathlib import Path

from tests.tools.readers.conftest import read_paths

CARRIED = """\
2026-11-30T02:28:05Z [rank2] step=8828 loss=2.1
2026-11-30T02:29:40Z [rank2] Traceback (most recent call last):
2026-11-30T02:29:40Z [rank2]   File "/workspace/data.py", line 88, in __next__
2026-11-30T02:29:40Z [rank2] RuntimeError: shard_004417
2026-11-30T02:29:41Z [rank2] RuntimeError: told again
"""


def test_a_traceback_under_a_carriers_stamps_is_one_message(tmp_path: Path) -> None:
    """No program stamps within a traceback; so the stamp is none of the text of any line."""
    path = tmp_path / "rank2.log"
    path.write_text(CARRIED)
    whole, after = read_paths(path).records

    assert whole.line == 2
    assert whole.text.splitlines() == [
        "[rank2] Traceback (most recent call last):",
        '[rank2]   File "/workspace/data.py", line 88, in __next__',
        "[rank2] RuntimeError: shard_004417",
    ]
    assert whole.time is not None
    assert whole.time.original == "2026-11-30T02:29:40Z"
    assert whole.fields["rank"] == "2"
    assert after.text == "[rank2] RuntimeError: told again"


def test_a_programs_own_stamp_stays_in_its_text(tmp_path: Path) -> None:
    """Where only the head of a traceback is stamped the program wrote the stamp itself."""
    path = tmp_path / "train.log"
    path.write_text(
        "2026-11-30 02:29:40,120 ERROR Traceback (most recent call last):\n"
        '  File "/workspace/data.py", line 88, in __next__\n'
        "RuntimeError: shard_004417\n"
        "2026-11-30 02:29:41,007 ERROR RuntimeError: told again\n"
    )
    first, after = read_paths(path).records

    assert first.text.startswith("2026-11-30 02:29:40,120 ERROR Traceback")
    assert first.text.endswith("RuntimeError: shard_004417")
    assert after.text == "2026-11-30 02:29:41,007 ERROR RuntimeError: told again"


def test_a_traceback_at_the_end_of_a_text_is_read(tmp_path: Path) -> None:
    """Nothing follows the heading; there is nothing to tell by."""
    path = tmp_path / "cut.log"
    path.write_text("2026-11-30T02:29:40Z RuntimeError in Traceback (most recent call last):")
    (only,) = read_paths(path).records
    assert only.text.startswith("2026-11-30T02:29:40Z ")
