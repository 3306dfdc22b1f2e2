"""Makes the vectors that travel with the product: ``python -m knowledge.search.shipping``.

Run it after pages changed (`make vectors`); only what changed is embedded.
"""

import sys
from importlib.resources import as_file, files

from knowledge.catalog import load_catalog
from knowledge.embedding import Embedder, LocalEmbedder
from knowledge.search.corpus import Corpus
from knowledge.search.incidents import shipped_corpus
from knowledge.search.vectors import SHIPPED, key_of, pack, read_shipped, vectors_of, write_vectors


def missing(corpus: Corpus, embedder: str) -> list[str]:
    """Return the ids of the passages without a shipped vector."""
    known = read_shipped().rows
    return [p.id for p in corpus.passages if p.embedded and key_of(embedder, p.digest) not in known]


def ship(corpus: Corpus, embedder: Embedder) -> int:
    """Write the vectors of exactly these passages; return how many there are."""
    texts = {each.digest: each.text for each in corpus.passages if each.embedded}
    vectors = vectors_of(texts, embedder)
    with as_file(files("knowledge.search").joinpath(SHIPPED)) as path:
        write_vectors(path, pack([key_of(embedder.name, digest) for digest in texts], vectors))
    return len(texts)


def main() -> None:
    """Embed what changed and write the file."""
    count = ship(shipped_corpus(load_catalog()), LocalEmbedder())
    sys.stdout.write(f"{count} vectors\n")


if __name__ == "__main__":
    main()
