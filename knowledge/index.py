"""The only door to Chroma: passages by the meaning of their text.

Chroma runs inside this process, over files that nobody else writes; its server is never started,
and its own embedding function, which would download a model, never called: every vector is given.
Opening writes a few bytes into its SQLite file, so opens of one folder take turns; after that any
number of processes read.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from knowledge.embedding import Vectors
from knowledge.errors import IndexDamagedError

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection
    from chromadb.api.types import Where

_FOLDER = "chroma"
_COLLECTION = "passages"
_BATCH = 2000
_TURN = "opening.lock"


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An open collection. Its vectors have length 1; nearness is their cosine, −1 to 1."""

    client: "Client"
    collection: "Collection"

    def nearest(
        self, vector: Vectors, most: int, where: Mapping[str, Sequence[str]] | None = None
    ) -> list[tuple[str, float]]:
        """Return the ids of the nearest passages with their cosine, nearest first.

        `where` maps a field of the passage to the values that it may have; empty lets all through.

        Raises:
            IndexDamagedError: Chroma cannot read its files.
        """
        from chromadb.errors import ChromaError  # noqa: PLC0415 -- see `_open_client`

        try:
            found = self.collection.query(
                query_embeddings=cast("list[Sequence[float]]", [vector.tolist()]),
                n_results=most,
                where=_where(where or {}),
                include=["distances"],
            )
        except ChromaError as error:
            raise IndexDamagedError(str(error)) from error
        distances = (found["distances"] or [[]])[0]
        return [(key, 1 - away) for key, away in zip(found["ids"][0], distances, strict=True)]

    def close(self) -> None:
        """Let go of its files."""
        self.client.close()


def build_vectors(
    folder: Path, ids: Sequence[str], vectors: Vectors, fields: Sequence[Mapping[str, str]]
) -> None:
    """Write a collection of passages below `folder`: an id, a vector and fields to filter by."""
    with _client(folder / _FOLDER) as client:
        held = client.create_collection(
            _COLLECTION,
            embedding_function=None,
            configuration={"hnsw": {"space": "ip", "ef_search": 200, "ef_construction": 200}},
        )
        for at in range(0, len(ids), _BATCH):
            span = slice(at, at + _BATCH)
            held.add(
                ids=list(ids[span]),
                embeddings=vectors[span],
                metadatas=[dict(each) for each in fields[span]],
            )


def open_vectors(folder: Path, expected: int) -> VectorIndex:
    """Open what `build_vectors` wrote; `expected` is its number of passages.

    Raises:
        IndexDamagedError: Chroma cannot open it, or it holds another number.
    """
    from chromadb.errors import ChromaError  # noqa: PLC0415 -- see `_open_client`

    with _turn(folder / _TURN):
        try:
            client = _open_client(folder / _FOLDER)
            held = client.get_collection(_COLLECTION, embedding_function=None)
            count = held.count()
        except (ChromaError, ValueError, OSError) as error:
            raise IndexDamagedError(str(error)) from error
    if count != expected:
        raise IndexDamagedError(f"{count} vectors for {expected} passages")
    return VectorIndex(client, held)


def _where(fields: Mapping[str, Sequence[str]]) -> "Where | None":
    tests = [{name: {"$in": list(values)}} for name, values in fields.items() if values]
    if not tests:
        return None
    return cast("Where", tests[0] if len(tests) == 1 else {"$and": tests})


@contextmanager
def _client(folder: Path) -> "Iterator[Client]":
    client = _open_client(folder)
    try:
        yield client
    finally:
        client.close()


def _open_client(folder: Path) -> "Client":
    import chromadb  # noqa: PLC0415 -- half a second, for those who search
    from chromadb.config import Settings  # noqa: PLC0415 -- as above

    opened = chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False))
    return cast("Client", opened)


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
