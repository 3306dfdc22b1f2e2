import numpy as np
import pytest

from evals.retrieval.fit import fit
from evals.retrieval.measure import Judged, figures, interval, sign_test
from evals.retrieval.queries import Query


def _judged(kind: str, lang: str, pair: str, rank: int, *, shown: bool = True) -> Judged:
    return Judged(Query(kind, "tuned", pair, lang, "?", ("p",) if rank else ()), rank, shown)


def test_the_figures_count_ranks_and_refusals() -> None:
    """Recall at one and five, the mean reciprocal rank, and what was rightly not answered."""
    block = figures([
        _judged("code", "en", "a", 1),
        _judged("code", "zh", "a", 6),
        _judged("description", "en", "b", 2),
        _judged("no_answer", "en", "c", 0, shown=False),
        _judged("no_answer", "zh", "c", 0),
    ])  # fmt: skip

    assert (block["recall_at_1"], block["recall_at_5"]) == (0.3333, 0.6667)
    assert block["mrr"] == pytest.approx((1 + 1 / 6 + 1 / 2) / 3, abs=1e-4)
    assert block["no_answer_rejected"] == 0.5
    assert block["language_difference"] == {"pairs": 1, "only_en": 1, "only_zh": 0, "p": 1.0}
    assert block["by_class"]["code"]["queries"] == 2  # type: ignore[index]  # a block


def test_intervals_are_wilsons() -> None:
    """The textbook's values; nothing counted is anything."""
    assert interval(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert interval(0, 0) == (0.0, 1.0)
    assert sign_test(8, 0) == pytest.approx(2 / 256)
    assert sign_test(0, 0) == 1.0


def test_the_fit_separates_what_can_be_separated() -> None:
    """The column that tells gets the weight, in its own units."""
    rng = np.random.default_rng(7)
    rows = np.c_[np.r_[rng.normal(0, 1, 200), rng.normal(50, 1, 200)], rng.normal(0, 1, 400)]
    weights = fit(rows, np.r_[np.zeros(200, bool), np.ones(200, bool)])

    assert weights[0] * 25 + weights[2] == pytest.approx(0, abs=1)
    assert weights[0] > 0.05 > abs(weights[1]) / 10
