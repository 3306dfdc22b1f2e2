"""Vectors freed from their language.

A multilingual model puts texts of one language near each other whatever they say, so that a
Chinese question prefers Chinese passages. Taking the mean of its language's passages from every
vector removes that (measured on this handbook: `evals/retrieval`). Short phrases and whole
paragraphs have means of their own for the same reason.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from knowledge.embedding import Vectors
from knowledge.search.passages import Language

Centres = Mapping[str, Vectors]
"""Group (a form of text in a language) → mean of its vectors."""

_CJK = re.compile(r"[\u3400-\u9fff]")


def language_of(text: str) -> Language:
    """Tell Chinese from English: one CJK sign decides."""
    return "zh" if _CJK.search(text) else "en"


def find_centres(vectors: Vectors, groups: Sequence[str]) -> Centres:
    """Return the mean vector of each group; `groups` names that of every row."""
    every = np.array(groups)
    return {group: vectors[every == group].mean(axis=0) for group in dict.fromkeys(groups)}


def centre(vectors: Vectors, groups: Sequence[str], centres: Centres) -> Vectors:
    """Take each row's centre off and bring it to length 1 again."""
    nothing = np.zeros(vectors.shape[1], np.float32)
    moved = vectors - np.stack([centres.get(group, nothing) for group in groups])
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    freed: Vectors = (moved / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return freed


def save_centres(path: Path, centres: Centres) -> None:
    """Write them as ``.npz``, an array a group."""
    with path.open("wb") as held:
        np.savez(held, allow_pickle=False, **dict(centres))


def read_centres(path: Path) -> Centres:
    """Read what `save_centres` wrote."""
    with np.load(path, allow_pickle=False) as held:
        return {group: held[group] for group in held.files}
