from pathlib import Path

import numpy as np
import pytest

from knowledge.search.vectors import (
    join,
    key_of,
    pack,
    read_vectors,
    vectors_of,
    write_vectors,
)
from tests.knowledge.search.shelf import WordModel


def test_a_vector_keeps_its_direction() -> None:
    """Eight bits a component change a cosine by less than a hundredth, even of a spiky vector."""
    model = WordModel()
    raw = model.embed_passages(["one card fell off the bus", "nfs"])
    held = pack([key_of("m", "a"), key_of("m", "b")], raw)

    assert (held.take([1, 0])[::-1] * raw).sum(axis=1) == pytest.approx([1, 1], abs=1e-2)


def test_only_what_is_new_is_embedded(tmp_path: Path) -> None:
    """A changed text is embedded alone; another model's vectors are of no use."""
    cache = tmp_path / "cache.npz"
    first, second, other = WordModel(), WordModel(), WordModel("words-2")
    vectors_of({"a": "one", "b": "two"}, first, cache)
    again = vectors_of({"b": "two", "c": "three"}, second, cache)
    vectors_of({"a": "one"}, other, cache)

    assert (first.embedded, second.embedded, other.embedded) == (["one", "two"], ["three"], ["one"])
    assert np.allclose(again[0], WordModel().embed_query("two"), atol=0.01)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nonsense", b"\x00" * 500])
def test_a_damaged_file_costs_only_time(tmp_path: Path, damage: bytes) -> None:
    """It is empty then, and written anew."""
    cache = tmp_path / "cache.npz"
    cache.write_bytes(damage)
    model = WordModel()

    assert vectors_of({"a": "one"}, model, cache).shape == (1, 256)
    assert model.embedded == ["one"]
    assert len(read_vectors(cache).keys) == 1


def test_files_of_other_dimensions_are_not_joined(tmp_path: Path) -> None:
    """The newer stays; a place where nothing can be written is passed over."""
    small = pack([key_of("m", "a")], np.ones((1, 3), np.float32))
    large = pack([key_of("m", "b")], np.ones((1, 4), np.float32))
    (tmp_path / "file").write_text("in the way")
    write_vectors(tmp_path / "file" / "cache.npz", small)

    assert join(small, large) is large
    assert len(join(small, small).keys) == 2


def test_a_writer_that_died_leaves_nothing_that_grows(tmp_path: Path) -> None:
    """What it left aside is written over; nothing else lies there afterwards."""
    (tmp_path / "cache.new").write_bytes(b"half")
    for _ in range(2):
        write_vectors(tmp_path / "cache.npz", pack([key_of("m", "a")], np.ones((1, 3), np.float32)))

    assert [each.name for each in tmp_path.iterdir()] == ["cache.npz"]
    assert len(read_vectors(tmp_path / "cache.npz").keys) == 1
