"""The headline never hides what was found."""

import pytest

from integrations.rendering.answer import build_answer
from integrations.rendering.terminal import LIMITS
from integrations.rendering.view import View
from integrations.wording.words import Language, load_words


def _inconclusive(view: View, **timeline: object) -> View:
    found = view.investigation
    assert found.diagnosis is not None
    changes = {
        "verdict": "inconclusive", "confidence": "INCONCLUSIVE", "hypotheses": (),
        "root_causes": (), "chain": (), "amplifiers": (), "contain_now": (),
    }  # fmt: skip
    diagnosis = found.diagnosis.model_copy(update=changes)
    timeline_now = found.timeline.model_copy(update=timeline)
    now = found.model_copy(update={"diagnosis": diagnosis, "timeline": timeline_now})
    return View(now, view.pages, view.words)


@pytest.mark.parametrize(
    ("lang", "start"),
    [
        ("en", "No cause seen yet: Training job failed on job train/llm-70b, ×3"),
        ("zh", "尚未看到原因：任务 train/llm-70b 上的“训练任务失败”, ×3"),
    ],
)
def test_the_worst_damage_is_the_headline(view: View, lang: Language, start: str) -> None:
    """Where no cause is known, what hurts most is named, and nobody says that all is contained."""
    found = _inconclusive(view)
    found = View(found.investigation, found.pages, load_words(lang))
    assert found.headline() == start
    told = str(build_answer(found, LIMITS))
    assert found.words("report.nothing_to_contain") not in told
    assert found.words("report.contain_unknown") in told


def test_without_an_alarm_nothing_was_recognised(view: View) -> None:
    """And nothing needs to be contained."""
    found = _inconclusive(view, events=())
    assert found.headline().startswith("Nothing alarming was recognised")
    assert found.words("report.nothing_to_contain") in str(build_answer(found, LIMITS))


def test_inconclusive_is_said_once(view: View) -> None:
    """The verdict and the confidence are one word there."""
    recap = _inconclusive(view).recap()
    assert recap.upper().count("INCONCLUSIVE") == 1
    assert view.recap().startswith("Fault found · LIKELY · ")
