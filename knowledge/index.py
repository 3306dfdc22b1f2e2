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
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection
    from chromadb.api.types import Where

_FOLDER = "chroma"
_BATCH = 2000
_SEARCHED = 200
"""How many candidates a search keeps: as many as are asked for, so that none is missed."""
_AT_ONCE: "CreateHNSWConfiguration" = {"sync_threshold": 3, "batch_size": 2}
"""Vectors go into their files while they are added. By default up to a thousand stay in the log,
and every reader writes them out anew, into a folder that others read."""
_TURN = "opening.lock"


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Open collections by name. Vectors have length 1; nearness is their cosine, −1 to 1."""

    client: "Client"
    collections: "Mapping[str, Collection]"

    def nearest(
        self, name: str, vector: Vectors, most: int, where: Mapping[str, Sequence[str]]
    ) -> list[tuple[str, float]]:
        """Return the ids of a collection's nearest passages with their cosine, nearest first.

        `where` maps a field of the passage to the values that it may have; empty lets all through.

        Raises:
            IndexDamagedError: Chroma cannot read its files.
        """
        from chromadb.errors import ChromaError  # noqa: PLC0415 -- see `_open_client`

        try:
            found = self.collections[name].query(
                query_embeddings=cast("list[Sequence[float]]", [vector.tolist()]),
                n_results=most,
                where=_where(where),
                include=["distances"],
            )
        except ChromaError as error:
            raise IndexDamagedError(str(error)) from error
        distances = (found["distances"] or [[]])[0]
        return [(key, 1 - away) for key, away in zip(found["ids"][0], distances, strict=True)]

    def close(self) -> None:
        """Let go of its files."""
        self.client.close()


@dataclass(frozen=True, slots=True)
class VectorIndexes:
    """Several indexes, asked as one."""

    parts: tuple[VectorIndex, ...]

    def nearest(
        self, name: str, vector: Vectors, most: int, where: Mapping[str, Sequence[str]]
    ) -> list[tuple[str, float]]:
        """Return the nearest passages of all, as each of them would.

        Raises:
            IndexDamagedError: Chroma cannot read the files of one.
        """
        found = [hit for part in self.parts for hit in part.nearest(name, vector, most, where)]
        return sorted(found, key=lambda hit: -hit[1])[:most]

    def close(self) -> None:
        """Let go of all files."""
        for part in self.parts:
            part.close()


@dataclass(frozen=True, slots=True)
class Batch:
    """What goes into one collection: ids, a row of `vectors` each, and fields to filter by."""

    ids: Sequence[str]
    vectors: Vectors
    fields: Sequence[Mapping[str, str]]


def build_vectors(folder: Path, collections: Mapping[str, Batch]) -> None:
    """Write collections of passages below `folder`."""
    with _client(folder / _FOLDER) as client:
        for name, batch in collections.items():
            held = client.create_collection(
                name,
                embedding_function=None,
                configuration={"hnsw": {"space": "ip", "ef_search": _SEARCHED, **_AT_ONCE}},
            )
            for at in range(0, len(batch.ids), _BATCH):
                span = slice(at, at + _BATCH)
                held.add(
                    ids=list(batch.ids[span]),
                    embeddings=batch.vectors[span],
                    metadatas=[dict(each) for each in batch.fields[span]],
                )


def open_vectors(folder: Path, expected: Mapping[str, int]) -> VectorIndex:
    """Open what `build_vectors` wrote; `expected` is how many passages each collection holds.

    Raises:
        IndexDamagedError: Chroma cannot open it, or it holds another number.
    """
    from chromadb.errors import ChromaError  # noqa: PLC0415 -- see `_open_client`

    with _turn(folder / _TURN):
        try:
            client = _open_client(folder / _FOLDER)
            held = {name: client.get_collection(name, embedding_function=None) for name in expected}
            counts = {name: each.count() for name, each in held.items()}
        except (ChromaError, ValueError, OSError) as error:
            raise IndexDamagedError(str(error)) from error
    if counts != expected:
        raise IndexDamagedError(f"{counts} vectors for {dict(expected)} passages")
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
