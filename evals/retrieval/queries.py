"""The labelled queries: what people ask, and which pages truly answer.

Written before any search over the handbook existed; the short ones later, before it was asked them.
Half of the families may be used for tuning; the other half only judges.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import TypeAdapter

Kind = Literal["description", "paraphrase", "log_line", "code", "short"]
Half = Literal["tuned", "locked"]
KINDS: tuple[Kind, ...] = ("description", "paraphrase", "log_line", "code", "short")
HALVES: tuple[Half, ...] = ("tuned", "locked")
NO_ANSWER = "no_answer"
SHORT_NO_ANSWER = "short_no_answer"
UNANSWERED: tuple[str, ...] = (NO_ANSWER, SHORT_NO_ANSWER)
_LABELS = TypeAdapter(list[dict[str, str | list[str]]])
_SPLIT = TypeAdapter(dict[Half, list[str]])


@dataclass(frozen=True, slots=True)
class Query:
    """One question.

    `pages` is empty where nothing answers; `pair` joins its two languages, and `lang` is empty for
    a line of a log, which is of none.
    """

    kind: str
    half: Half
    pair: str
    lang: str
    text: str
    pages: tuple[str, ...]


def load_queries(families: Mapping[str, str]) -> Sequence[Query]:
    """Return all queries; `families` gives the family of every page by id."""
    return tuple(_queries(families))


def _queries(families: Mapping[str, str]) -> Iterator[Query]:
    halves = _SPLIT.validate_python(_read("halves"))
    of_family = {family: half for half, names in halves.items() for family in names}
    for kind in KINDS:
        for number, label in enumerate(_LABELS.validate_python(_read(kind))):
            pages = tuple(label["pages"])
            yield from _both(kind, of_family[families[pages[0]]], number, label, pages)
    for unanswered in UNANSWERED:
        for number, label in enumerate(_LABELS.validate_python(_read(unanswered))):
            yield from _both(unanswered, HALVES[number % 2], number, label, ())


def _both(
    kind: str, half: Half, number: int, label: Mapping[str, str | list[str]], pages: tuple[str, ...]
) -> Iterator[Query]:
    pair = f"{kind}-{number}"
    if "line" in label:
        yield Query(kind, half, pair, "", str(label["line"]), pages)
        return
    for lang in ("en", "zh"):
        yield Query(kind, half, pair, lang, str(label[lang]), pages)


@cache
def _read(name: str) -> object:
    return yaml.safe_load(files("evals.retrieval").joinpath(f"{name}.yaml").read_text("utf-8"))
