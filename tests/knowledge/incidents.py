"""Incidents of the past written for tests, and the pages that they name."""

from collections.abc import Mapping

from knowledge.page import Page
from knowledge.postmortem import Postmortem
from tests.knowledge.pages import page

BOTH = {"en": "As told.", "zh": "如所述。"}
FRONT: Mapping[str, object] = {
    "date": "2025-06-20",
    "title": {"en": "The share went away", "zh": "共享目录不可用"},
    "summary": {"en": "Every client hung on the share.", "zh": "所有客户端都卡在共享目录上。"},
    "phrases": {"en": ["ls never returns"], "zh": ["ls 卡住不动"]},
    "approved": {"by": "somebody", "when": "2025-07-01"},
    "root": "server-gone",
    "chain": [
        {"cause": "server-gone", "effect": "mount-hangs"},
        {"cause": "mount-hangs", "effect": "check-fails"},
        {"cause": "check-fails", "effect": "job-dies"},
    ],
    "misled": [{"text": BOTH}],
    "decided": {"text": BOTH, "page": "server-gone", "check": "look"},
    "lessons": [{"aim": "prevent", "text": BOTH}, {"aim": "contain", "text": BOTH}],
    "sources": [{"text": "a report", "trust": "postmortem"}],
}
NAME = "2025-06-20-share-away"


def incident(name: str = NAME, **changes: object) -> Postmortem:
    """A sound postmortem as a value, with changes."""
    return Postmortem.model_validate({**FRONT, **changes, "id": name})


def known() -> Mapping[str, Page]:
    """The pages of its chain: rare causes, and an end that many conditions come to."""
    pages = (
        page(
            "server-gone", causes=[_link("mount-hangs", 600)], distinguish=[_apart("network-gone")]
        ),
        page("network-gone", causes=[_link("mount-hangs", 600)]),
        page("mount-hangs", role="mechanism", causes=[_link("check-fails", 900)]),
        page("check-fails", role="mechanism", causes=[_link("job-dies", 900)]),
        page("job-dies", role="symptom"),
        *(page(f"other-{n}", causes=[_link("job-dies", 900)]) for n in range(8)),
    )
    return {each.id: each for each in pages}


def _link(effect: str, most_s: float) -> dict[str, object]:
    return {"effect": effect, "scope": "node", "strength": "often", "delay": {"max_s": most_s}}


def _apart(other: str) -> dict[str, object]:
    return {
        "other": other,
        "check": "look",
        "means": {"en": "Its log tells.", "zh": "日志会说明。"},
    }
