"""Opens the search over a corpus: finds or builds its folder, with vectors if there is a model."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.catalog import Catalog
from knowledge.embedding import Embedder, Vectors
from knowledge.errors import EmbeddingError, IndexDamagedError
from knowledge.index import Batch, VectorIndexes, build_vectors, open_vectors
from knowledge.search.centring import centre, find_centres, read_centres, save_centres
from knowledge.search.corpus import Corpus
from knowledge.search.exact import ExactFinder
from knowledge.search.finder import Finder, Meaning
from knowledge.search.folder import DAMAGED, Held, hold, remove_others
from knowledge.search.glossary import load_glossary
from knowledge.search.lexical import LexicalIndex
from knowledge.search.passages import FORMS, Form, Passage
from knowledge.search.vectors import vectors_of

_WHOLE = "whole"
_PARTS = "parts"
_CENTRES = "centres.npz"
_FORM = 2
"""Rises when what a folder holds is made in another way."""


@dataclass(frozen=True)
class Opened:
    """A finder and the folder that it reads; `said` is what the user should hear, if anything.

    `base` is the folder of what travels with the product, the same one where nothing was added.
    """

    finder: Finder
    held: Held
    said: str = ""
    base: Held | None = None


def open_search(
    catalog: Catalog, corpus: Corpus, root: Path, embedder: Embedder | None, *, why: str = ""
) -> Opened:
    """Open the folders under `root` that hold this corpus, or build them; others are removed.

    What an organisation added has a folder of its own, so that an addition leaves the vectors of
    what travels with the product as they are.

    Without an embedder, or where it fails, words alone are searched; `why` says so then.

    Raises:
        OSError: nothing can be written there.
    """
    try:
        return _open(catalog, corpus, root, embedder, without="" if embedder else why)
    except (EmbeddingError, IndexDamagedError) as error:
        return _open(catalog, corpus, root, None, without=str(error))


def folder_name(corpus: Corpus, embedder: Embedder | None) -> str:
    """Name the folder by everything that its content depends on."""
    told = f"{_FORM}\0{corpus.digest}\0{embedder.name if embedder else ''}"
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _open(
    catalog: Catalog, corpus: Corpus, root: Path, embedder: Embedder | None, *, without: str
) -> Opened:
    shipped, own = corpus.split()
    name = folder_name(shipped, embedder)
    base = hold(root, name, lambda folder: _build(folder, shipped, embedder, root))
    held, names = base, [name]
    if own.entries:
        names += [folder_name(corpus, embedder)]
        centres = base.folder / _CENTRES
        held = hold(
            root, names[1], lambda folder: _build_own(folder, corpus, embedder, root, centres)
        )
    remove_others(root, *names)
    said = "the search index was damaged and is built anew"
    glossary = load_glossary()
    whole = LexicalIndex.open(held.folder / _WHOLE, glossary)
    finder = Finder(
        corpus,
        ExactFinder(catalog, whole.spread),
        whole,
        LexicalIndex.open(held.folder / _PARTS, glossary),
        _open_meaning(base.folder, held.folder, corpus, embedder) if embedder else None,
        without,
    )
    return Opened(finder, held, said if DAMAGED in {base.why, held.why} else "", base)


def _open_meaning(base: Path, folder: Path, corpus: Corpus, embedder: Embedder) -> Meaning:
    shipped, own = corpus.split()
    parts = [open_vectors(base, _count(shipped))]
    parts += [open_vectors(folder, _count(own))] if own.entries else []
    return Meaning(VectorIndexes(tuple(parts)), read_centres(base / _CENTRES), embedder)


def _count(corpus: Corpus) -> Mapping[str, int]:
    held = Counter(each.form for each in _embedded(corpus))
    return {form: held[form] for form in FORMS}


def _build(folder: Path, corpus: Corpus, embedder: Embedder | None, root: Path) -> None:
    """Build all that is searched of what travels with the product."""
    _build_words(folder, corpus)
    if embedder is None:
        return
    passages = _embedded(corpus)
    vectors = _vectors_of(passages, embedder, root)
    groups = [each.group for each in passages]
    ours = [row for row, each in enumerate(passages) if _is_page(corpus, each)]
    centres = find_centres(vectors[ours], [groups[row] for row in ours])
    save_centres(folder / _CENTRES, centres)
    freed = centre(vectors, groups, centres)
    build_vectors(folder, {form: _batch(corpus, passages, freed, form) for form in FORMS})


def _build_own(
    folder: Path, corpus: Corpus, embedder: Embedder | None, root: Path, centres: Path
) -> None:
    """Build the words of everything, and the vectors of what an organisation added alone."""
    _build_words(folder, corpus)
    if embedder is None:
        return
    passages = _embedded(corpus.split()[1])
    vectors = _vectors_of(passages, embedder, root)
    freed = centre(vectors, [each.group for each in passages], read_centres(centres))
    build_vectors(folder, {form: _batch(corpus, passages, freed, form) for form in FORMS})


def _build_words(folder: Path, corpus: Corpus) -> None:
    glossary = load_glossary()
    LexicalIndex.build(_whole_texts(corpus), glossary).save(folder / _WHOLE)
    LexicalIndex.build([each.text for each in corpus.passages], glossary).save(folder / _PARTS)


def _vectors_of(passages: Sequence[Passage], embedder: Embedder, root: Path) -> Vectors:
    texts = {each.digest: each.text for each in passages}
    place = {digest: row for row, digest in enumerate(texts)}
    raw = vectors_of(texts, embedder, root / f"{_safe(embedder.name)}.npz")
    vectors: Vectors = raw[[place[each.digest] for each in passages]]
    return vectors


def _batch(corpus: Corpus, passages: Sequence[Passage], vectors: Vectors, form: Form) -> Batch:
    rows = [row for row, each in enumerate(passages) if each.form == form]
    entries = [corpus.entries[corpus.place[passages[row].page]] for row in rows]
    return Batch([passages[row].id for row in rows], vectors[rows], [e.fields for e in entries])


def _is_page(corpus: Corpus, passage: Passage) -> bool:
    """Tell a page's passage: what was added beside the pages moves no centre."""
    return corpus.entries[corpus.place[passage.page]].kind == "page"


def _embedded(corpus: Corpus) -> Sequence[Passage]:
    return [each for each in corpus.passages if each.embedded]


def _whole_texts(corpus: Corpus) -> Sequence[str]:
    texts: dict[str, list[str]] = {entry.id: [] for entry in corpus.entries}
    for passage in corpus.passages:
        texts[passage.page].append(passage.text)
    return ["\n".join(each) for each in texts.values()]


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)
