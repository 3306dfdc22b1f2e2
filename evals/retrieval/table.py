"""The figures of a search as a table for people."""

from collections.abc import Iterator, Mapping

from evals.retrieval.measure import Figures
from evals.retrieval.run import Document

_COLUMNS = ("queries", "recall_at_1", "recall_at_5", "mrr")


def write_table(document: Document) -> str:
    """Write a row for each half and arm, and below it one for each class and language."""
    return "\n".join(_lines(document))


def _lines(document: Document) -> Iterator[str]:
    yield f"{'':24}" + "".join(f"{name:>14}" for name in (*_COLUMNS, "rejected"))
    for group, members in document.items():
        for name, block in members.items():
            yield _line(f"{group}.{name}", block) + f"{block['no_answer_rejected']:>14}"
            yield from _parts(block)


def _parts(block: Figures) -> Iterator[str]:
    for part in ("by_class", "by_language"):
        held = block[part]
        if isinstance(held, Mapping):
            yield from (_line(f"  {key}", row) for key, row in held.items())
    unanswered = block["unanswered"]
    if isinstance(unanswered, Mapping):
        for key, row in unanswered.items():
            yield f"  {key:78}{row['no_answer_rejected']:>14}"


def _line(name: str, block: Mapping[str, object]) -> str:
    return f"{name:24}" + "".join(f"{block[column]!s:>14}" for column in _COLUMNS)
