"""Compiled triggers are kept between runs, and nothing that is wrong with them matters."""

from pathlib import Path

import hyperscan
import pytest

from tools.masking import Masker
from tools.secret_triggers import open_triggers

EXPRESSIONS = (r"(?i)password[:=]", r"^token ")
TEXT = b"PassWord=x\ntoken y\n"


def hits(database: hyperscan.Database) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []

    def note(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
        found.append((number, end))

    scratch = hyperscan.Scratch(database)
    database.scan(TEXT, match_event_handler=note, scratch=scratch)
    return found


def kept(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_kept_triggers_find_the_same(tmp_path: Path) -> None:
    """The second run compiles nothing: the file is read and stays as it is."""
    first = hits(open_triggers(EXPRESSIONS, tmp_path / "cache"))
    before = kept(tmp_path / "cache").stat()
    again = hits(open_triggers(EXPRESSIONS, tmp_path / "cache"))
    assert first == again == [(0, 9), (1, 17)]
    assert kept(tmp_path / "cache").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("damage", [b"", b"rubbish", None], ids=["empty", "other", "one byte"])
def test_damaged_triggers_are_compiled_again(tmp_path: Path, damage: bytes | None) -> None:
    """A cache that is broken costs time only, and is mended."""
    open_triggers(EXPRESSIONS, tmp_path)
    sound = kept(tmp_path).read_bytes()
    broken = bytes([*sound[:40], sound[40] ^ 1, *sound[41:]])
    kept(tmp_path).write_bytes(broken if damage is None else damage)
    assert hits(open_triggers(EXPRESSIONS, tmp_path)) == [(0, 9), (1, 17)]
    assert kept(tmp_path).read_bytes() == sound


def test_other_triggers_are_kept_apart(tmp_path: Path) -> None:
    """A change of the rules is never answered by what was compiled from the old ones."""
    open_triggers(EXPRESSIONS, tmp_path)
    assert hits(open_triggers(EXPRESSIONS[1:], tmp_path)) == [(0, 17)]
    assert len(list(tmp_path.iterdir())) == 2


def test_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """Masking must not fail for want of a cache."""
    (tmp_path / "file").write_text("")
    assert Masker(cache=tmp_path / "file").mask_text("password=hunter22") == "password=<masked>"
