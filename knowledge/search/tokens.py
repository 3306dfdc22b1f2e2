"""Text as search compares it: stemmed words, identifiers whole and in parts, pairs of CJK signs."""

import re
from collections.abc import Iterator
from functools import lru_cache

_PIECE = re.compile(r"[A-Za-z0-9]+(?:[_.:/@-]+[A-Za-z0-9]+)*|[\u3400-\u9fff]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ENDINGS = ("ingly", "edly", "ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s")
_LEAST_STEM = 4
_LONGEST = 64
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
        a an and any are as at be been but by can could did do does for from had has have how i if
        in into is it its me my no not of on or our out so than that the their them then there
        these they this to up us was we were what when where which who why will with would you your
        after before while
        """,
    )
)


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a text in its order; a compound gives its whole and its parts."""
    return [token for piece in _PIECE.findall(text) for token in _tokens_once(piece)]


def stem(word: str) -> str:
    """Take one ending of an English word off, if enough of the word remains."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word[:-1] if word.endswith("e") and len(word) > _LEAST_STEM else word


@lru_cache(maxsize=1 << 15)
def _tokens_once(piece: str) -> tuple[str, ...]:
    """Keep the tokens of words: the texts of an index have few that are not met again."""
    return tuple(_tokens(piece))


def _tokens(piece: str) -> Iterator[str]:
    if not piece.isascii():
        yield from _pairs(piece)
        return
    parts = [part.lower() for part in _PART.findall(piece)]
    if len(parts) > 1 and len(piece) <= _LONGEST:
        yield "".join(parts)
    for part in parts:
        if part not in _STOP and (len(part) > 1 or part.isdigit()):
            yield stem(part)


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for at in range(len(run) - 1):
        yield run[at : at + 2]
