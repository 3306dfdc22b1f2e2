"""Figures of a search over labelled queries, with their intervals."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evals.retrieval.queries import KINDS, UNANSWERED, Query

Rank = Callable[[Query], int]
"""Place of the first page that truly answers, from 1; 0 where none was shown."""
Figures = Mapping[str, object]
_Z = 1.959964
_TOP = 5
_LANGUAGES = 2


@dataclass(frozen=True, slots=True)
class Judged:
    """A query and the rank that an arm gave it; `shown` tells whether it gave any result."""

    query: Query
    rank: int
    shown: bool


def figures(judged: Sequence[Judged]) -> Figures:
    """Return the block ``M`` of the contract, with a 95 % interval (Wilson) beside each rate."""
    asked = [each for each in judged if each.query.kind not in UNANSWERED]
    unanswered = [each for each in judged if each.query.kind in UNANSWERED]
    by_class = {kind: [each for each in asked if each.query.kind == kind] for kind in KINDS}
    by_language = {lang: [e for e in asked if e.query.lang == lang] for lang in ("en", "zh")}
    return {
        **_ranks(asked),
        **_rejected(unanswered),
        "unanswered": {
            kind: _rejected([each for each in unanswered if each.query.kind == kind])
            for kind in UNANSWERED
        },
        "by_class": {kind: _ranks(some) for kind, some in by_class.items()},
        "by_language": {lang: _ranks(some) for lang, some in by_language.items()},
        "language_difference": _compare(asked),
    }


def interval(hits: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a rate."""
    if not count:
        return 0.0, 1.0
    rate, square = hits / count, _Z**2 / count
    middle = (rate + square / 2) / (1 + square)
    reach = _Z * math.sqrt(rate * (1 - rate) / count + square / (4 * count)) / (1 + square)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided p of so uneven a split of pairs that differ (exact binomial)."""
    count, fewer = wins + losses, min(wins, losses)
    tail = sum(math.comb(count, k) for k in range(fewer + 1)) / 2**count
    return min(1.0, 2.0 * float(tail))


def _ranks(judged: Sequence[Judged]) -> dict[str, object]:
    ranks = [each.rank for each in judged]
    return {
        "queries": len(ranks),
        **_rate("recall_at_1", [rank == 1 for rank in ranks]),
        **_rate("recall_at_5", [1 <= rank <= _TOP for rank in ranks]),
        "mrr": _rounded(sum(1 / rank for rank in ranks if rank) / max(1, len(ranks))),
    }


def _rejected(unanswered: Sequence[Judged]) -> dict[str, object]:
    return _rate("no_answer_rejected", [not each.shown for each in unanswered])


def _rate(name: str, hits: Sequence[bool]) -> dict[str, object]:
    low, high = interval(sum(hits), len(hits))
    rate = sum(hits) / max(1, len(hits))
    return {name: _rounded(rate), f"{name}_interval": [_rounded(low), _rounded(high)]}


def _compare(judged: Iterable[Judged]) -> dict[str, object]:
    """Compare the two languages pair by pair, by Recall@1."""
    pairs: dict[str, dict[str, bool]] = {}
    for each in judged:
        if each.query.lang:
            pairs.setdefault(each.query.pair, {})[each.query.lang] = each.rank == 1
    pairs = {name: pair for name, pair in pairs.items() if len(pair) == _LANGUAGES}
    english = sum(pair["en"] and not pair["zh"] for pair in pairs.values())
    chinese = sum(pair["zh"] and not pair["en"] for pair in pairs.values())
    return {
        "pairs": len(pairs),
        "only_en": english,
        "only_zh": chinese,
        "p": _rounded(sign_test(english, chinese)),
    }


def _rounded(value: float) -> float:
    return round(value, 4)
