"""The sample in both languages, and one whose every untrusted word is hostile."""

import pytest

from assistant.event import Event
from assistant.investigation import Investigation
from integrations.rendering.view import View
from integrations.wording.words import load_words
from tests.integrations.hostile import LINES
from tests.integrations.sample import build_investigation
from tests.integrations.sample_world import build_pages


@pytest.fixture(name="view")
def _view() -> View:
    return View(build_investigation(), build_pages(), load_words("en"))


@pytest.fixture(name="chinese")
def _chinese() -> View:
    return View(build_investigation(), build_pages(), load_words("zh"))


@pytest.fixture(name="hostile", params=LINES)
def _hostile(request: pytest.FixtureRequest) -> tuple[str, View]:
    line: str = request.param
    return line, View(poison(build_investigation(), line), build_pages(), load_words("en"))


def poison(sample: Investigation, line: str) -> Investigation:
    """Put `line` wherever evidence can put words: quotes, names, commands, reasons."""

    def in_event(event: Event) -> Event:
        quotes = tuple(q.model_copy(update={"text": line}) for q in event.citations)
        entity = event.entity.model_copy(update={"id": line, "names": (line,)})
        return event.model_copy(update={"citations": quotes, "entity": entity, "text": line})

    events = tuple(in_event(event) for event in sample.timeline.events)
    spoilt = {"command": line, "target": line, "detail": line}
    return sample.model_copy(
        update={
            "timeline": sample.timeline.model_copy(update={"events": events}),
            "evidence": tuple(item.model_copy(update=spoilt) for item in sample.evidence),
            "coverage": tuple(
                one.model_copy(update={"target": line, "why": line}) for one in sample.coverage
            ),
            "gaps": tuple(
                gap.model_copy(update={"target": line, "why": line}) for gap in sample.gaps
            ),
            "incident": sample.incident.model_copy(update={"title": line}),
        },
    )
