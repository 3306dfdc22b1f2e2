"""A small corpus to search, and a model whose vectors are plain: one dimension a word."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from knowledge.catalog import Catalog
from knowledge.embedding import Vectors
from knowledge.errors import EmbeddingError
from knowledge.search.corpus import corpus_of
from knowledge.search.opening import Opened, open_search
from knowledge.search.tokens import tokens_of
from tests.knowledge.pages import NFS, XID, catalog, page

DIMS = 256
DISPUTE = {
    "about": {"en": "Soft mounts", "zh": "软挂载"},
    "claims": [
        {"text": {"en": "never", "zh": "绝不"}, "source": {"text": "one", "trust": "vendor"}},
        {
            "text": {"en": "for reading", "zh": "只读可以"},
            "source": {"text": "other", "trust": "case"},
        },
    ],
}


class WordModel:
    """Counts words: texts are near each other as far as they share some."""

    def __init__(self, name: str = "words-1") -> None:
        self.name = name
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed and remember what was asked for."""
        self.embedded += texts
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Embed a question."""
        return self._vector(text)

    def _vector(self, text: str) -> Vectors:
        vector = np.full(DIMS, 0.01, np.float32)
        for token in tokens_of(text):
            vector[hashlib.sha256(token.encode()).digest()[0]] += 1
        return (vector / np.linalg.norm(vector)).astype(np.float32)


class DeadModel(WordModel):
    """A model whose endpoint is away."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Fail."""
        raise EmbeddingError("http://127.0.0.1:9", f"no answer for {len(texts)} texts")

    def embed_query(self, text: str) -> Vectors:
        """Fail."""
        raise EmbeddingError("http://127.0.0.1:9", f"no answer for {text!r}")


def shelf() -> Catalog:
    """Return four pages that tell enough from each other."""
    return catalog(
        page(
            "xid-79",
            codes=["Xid 79"],
            signatures=[XID],
            layer="hardware",
            plane="compute",
            title={"en": "GPU has fallen off the bus", "zh": "GPU 掉卡"},
            phrases={
                "en": ["card vanished until we pulled the plug"],
                "zh": ["显卡突然不见了"],
            },
        ),
        page(
            "nfs-server-down",
            signatures=[NFS],
            title={"en": "File server does not answer", "zh": "文件服务器无应答"},
            phrases={"en": ["ls on the share never comes back"], "zh": ["共享目录一 ls 就卡住"]},
        ),
        page(
            "gst-4001",
            codes=["GST-4001"],
            title={"en": "Volume mount failed", "zh": "存储卷挂载失败"},
            disputes=[DISPUTE],
        ),
        page("node-name", role="context", title={"en": "Name of a node", "zh": "节点名"}),
    )


def open_shelf(root: Path, model: WordModel | None = None, *, why: str = "") -> Opened:
    """Open the search over the shelf, its folder below `root`."""
    pages = shelf()
    return open_search(pages, corpus_of(pages), root, model, why=why)
