from pathlib import Path

import numpy as np
import pytest

from knowledge.errors import IndexDamagedError
from knowledge.index import Batch, build_vectors, open_vectors


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
