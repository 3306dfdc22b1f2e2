"""One process of the soak: opens, searches and makes anew, and says what was not as it should be.

``python -m tests.knowledge.search.soak_worker ROOT EXPECTED SEED``: one line on stdout for each
round; where all was well it says how the index was found: there, absent or damaged.
"""

import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from knowledge.catalog import Catalog
from knowledge.search.corpus import corpus_of
from knowledge.search.opening import Opened, open_search
from tests.knowledge.pages import catalog, page
from tests.knowledge.search.shelf import WordModel, shelf

QUERIES = (
    "Xid 79",
    "nfs: server 10.0.0.10 not responding, still trying",
    "卷挂载失败",
    "card vanished, pulled the plug",
    "zebra crossing painted yellow",
)
THERE = "there"
_HARM = 0.1
"""Share of the rounds after which a folder loses its mark and has to be made anew."""
Results = Sequence[Sequence[str]]


def versions() -> Mapping[str, Catalog]:
    """Return two handbooks of which each makes the other's index old."""
    more = page("disk-full", title={"en": "Disk is full", "zh": "磁盘已满"})
    return {"short": shelf(), "long": catalog(*shelf().pages.values(), more)}


def open_version(root: Path, pages: Catalog) -> Opened:
    """Open its search, built anew where another version's took its place."""
    return open_search(pages, corpus_of(pages), root, WordModel())


def close(opened: Opened) -> None:
    """Let others remove its folder."""
    if opened.finder.meaning is not None:
        opened.finder.meaning.vectors.close()
    opened.held.release()


def ask(opened: Opened) -> Results:
    """Return what each query finds: ids with what found them, or what could not be asked."""
    answers = [opened.finder.find(query) for query in QUERIES]
    return [
        [answer.without, *(f"{each.entry.id} {'+'.join(each.why)}" for each in answer.results)]
        for answer in answers
    ]


def _rounds(root: Path, expected: Mapping[str, Results], seed: int) -> Iterator[str]:
    known = versions()
    rng = random.Random(seed)  # noqa: S311 -- no secret
    while True:
        name = rng.choice(sorted(known))
        opened = open_version(root, known[name])
        found = ask(opened)
        folder, how = opened.held.folder, opened.held.why or THERE
        close(opened)
        yield how if found == expected[name] else f"{name}, {how}: {found}"
        if rng.random() < _HARM:
            (folder / "complete.json").unlink(missing_ok=True)


def main(root: str, expected: str, seed: str) -> None:
    """Go on until somebody ends it."""
    for said in _rounds(Path(root), json.loads(expected), int(seed)):
        sys.stdout.write(f"{said}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
