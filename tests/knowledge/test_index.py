from pathlib import Path

import numpy as np
import pytest

from knowledge.errors import IndexDamagedError
from knowledge.index import Batch, VectorIndexes, build_vectors, open_vectors


def _build(folder: Path) -> None:
    vectors = np.eye(3, 8, dtype=np.float32)
    fields = [{"plane": "compute"}, {"plane": "storage"}, {"plane": "storage"}]
    build_vectors(folder, {"text": Batch(["a", "b", "c"], vectors, fields)})


def test_the_nearest_come_first_with_their_cosine(tmp_path: Path) -> None:
    """All of them, or those that a filter lets through."""
    _build(tmp_path)
    held = open_vectors(tmp_path, {"text": 3})
    vector = np.array([0.8, 0.6, 0, 0, 0, 0, 0, 0], np.float32)

    assert held.nearest("text", vector, 2, {}) == [
        ("a", pytest.approx(0.8, abs=1e-5)),
        ("b", pytest.approx(0.6, abs=1e-5)),
    ]
    stored = held.nearest("text", vector, 3, {"plane": ("storage",), "kind": ()})
    assert [key for key, _ in stored] == ["b", "c"]
    held.close()


@pytest.mark.parametrize("harm", ["lost", "another", "nonsense"])
def test_a_folder_that_is_not_what_was_built_is_refused(tmp_path: Path, harm: str) -> None:
    """No collection, another number of vectors, or no database."""
    if harm == "another":
        _build(tmp_path)
    if harm == "nonsense":
        (tmp_path / "chroma").mkdir()
        (tmp_path / "chroma" / "chroma.sqlite3").write_bytes(b"nonsense" * 500)

    with pytest.raises(IndexDamagedError, match="the search index is damaged"):
        open_vectors(tmp_path, {"text": 4})


def test_several_indexes_answer_as_one(tmp_path: Path) -> None:
    """The nearest of all come first; an empty one has nothing to say."""
    vectors = np.eye(4, 8, dtype=np.float32)
    parts = {"one": ([0, 1], "ab"), "two": ([2, 3], "cd"), "none": ([], "")}
    opened = []
    for name, (rows, ids) in parts.items():
        (tmp_path / name).mkdir()
        batch = Batch(list(ids), vectors[rows], [{"plane": "x"}] * len(rows))
        build_vectors(tmp_path / name, {"text": batch})
        opened.append(open_vectors(tmp_path / name, {"text": len(rows)}))
    held = VectorIndexes(tuple(opened))

    found = held.nearest("text", np.array([0.6, 0, 0.8, 0, 0, 0, 0, 0], np.float32), 3, {})
    assert [key for key, _ in found[:2]] == ["c", "a"]
    assert len(found) == 3
    held.close()
