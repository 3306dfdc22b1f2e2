"""Vectors by the digest of what they were made of: shipped ones, and those computed since.

A file is one ``.npz``: ``keys`` (n × 16, uint8), ``scales`` (n, float32) and ``values`` (n × dims,
int8). A component is its int8 times the vector's scale, half a percent off its largest at most.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from knowledge.embedding import Embedder, Vectors

SHIPPED = "vectors.npz"
_KEY_BYTES = 16
_STEPS = 127


@dataclass(frozen=True)
class VectorFile:
    """Vectors as they are stored."""

    keys: NDArray[np.uint8]
    scales: NDArray[np.float32]
    values: NDArray[np.int8]

    @cached_property
    def rows(self) -> Mapping[bytes, int]:
        """Where the vector of a key lies."""
        return {key.tobytes(): row for row, key in enumerate(self.keys)}

    def take(self, rows: Sequence[int]) -> Vectors:
        """Return the vectors of these rows."""
        at = list(rows)
        vectors: Vectors = self.values[at].astype(np.float32) * self.scales[at, None]
        return vectors


def key_of(embedder: str, digest: str) -> bytes:
    """Name the vector that one model gives to one text."""
    return hashlib.sha256(f"{embedder}\0{digest}".encode()).digest()[:_KEY_BYTES]


def vectors_of(texts: Mapping[str, str], embedder: Embedder, cache: Path | None = None) -> Vectors:
    """Return a vector a text, in the order of `texts` (digest → text).

    What neither the shipped file nor `cache` has is embedded, and kept in `cache`.

    Raises:
        EmbeddingError: some had to be embedded and could not.
    """
    model = embedder.name
    keys = [key_of(model, digest) for digest in texts]
    known = [read_shipped(), *([read_vectors(cache)] if cache else [])]
    every = list(texts.values())
    missing = [n for n, key in enumerate(keys) if not any(key in each.rows for each in known)]
    if missing:
        fresh = pack(
            [keys[n] for n in missing], embedder.embed_passages([every[n] for n in missing])
        )
        if cache:
            write_vectors(cache, join(known[-1], fresh))
        known.append(fresh)
    return _gather(keys, known)


def pack(keys: Sequence[bytes], vectors: Vectors) -> VectorFile:
    """Store vectors as they are kept."""
    scales = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float32) / _STEPS
    values = np.rint(vectors / np.where(scales == 0, 1, scales)[:, None]).astype(np.int8)
    flat = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), _KEY_BYTES)
    return VectorFile(flat, scales, values)


def join(first: VectorFile, second: VectorFile) -> VectorFile:
    """Put two files together; of different dimensions (another model), the second alone stays."""
    if not len(first.keys) or first.values.shape[1] != second.values.shape[1]:
        return second
    return VectorFile(
        np.concatenate((first.keys, second.keys)),
        np.concatenate((first.scales, second.scales)),
        np.concatenate((first.values, second.values)),
    )


def read_shipped() -> VectorFile:
    """Read what travels with the product."""
    with as_file(files("knowledge.search").joinpath(SHIPPED)) as path:
        return read_vectors(path)


def read_vectors(path: Path) -> VectorFile:
    """Read a file; a missing or damaged one only costs the time to embed anew."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as held:
            found = VectorFile(held["keys"], held["scales"], held["values"])
    except (OSError, KeyError, ValueError, EOFError, BadZipFile):
        return _empty()
    sound = len(found.keys) == len(found.scales) == len(found.values)
    return found if sound and found.keys.shape[1:] == (_KEY_BYTES,) else _empty()


def write_vectors(path: Path, held: VectorFile) -> None:
    """Write a file aside and rename it into place; what cannot be written is embedded again.

    Writers take turns, so that there is one place aside: who dies there leaves it to the next.
    """
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _turn(path.parent):
            aside = path.with_suffix(".new")
            with aside.open("wb") as raw:
                np.savez(raw, keys=held.keys, scales=held.scales, values=held.values)
            aside.replace(path)


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _empty() -> VectorFile:
    return VectorFile(
        np.zeros((0, _KEY_BYTES), np.uint8), np.zeros(0, np.float32), np.zeros((0, 0), np.int8)
    )


def _gather(keys: Sequence[bytes], known: Sequence[VectorFile]) -> Vectors:
    """Take each vector from the first file that has it; files of no use may be of other sizes."""
    places = [next(n for n, each in enumerate(known) if key in each.rows) for key in keys]
    vectors = np.zeros((len(keys), known[places[0]].values.shape[1]), np.float32)
    for number in set(places):
        at = [row for row, place in enumerate(places) if place == number]
        vectors[at] = known[number].take([known[number].rows[keys[row]] for row in at])
    return vectors
