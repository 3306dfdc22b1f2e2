"""Progress says each phase once, and the best that is known as soon as it is."""

from datetime import timedelta

import pytest

from integrations.cli.progress import Progress
from integrations.wording.words import load_words
from tests.integrations.sample import build_investigation
from tests.integrations.sample_world import START, build_pages
from tools.evidence import Instant, Window


def _progress() -> Progress:
    return Progress(load_words("en"), build_pages(), colour=None)


def test_without_a_terminal_each_phase_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """First the earliest alarming event, then the verdict; nothing twice."""
    sample = build_investigation()
    with _progress() as progress:
        progress.step(sample.model_copy(update={"step": "ordered", "diagnosis": None}))
        progress.step(sample)
        progress.step(sample)

    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Events in order: 12"
    assert lines[1].startswith("So far: earliest alarming event: Storage controller failover")
    assert lines[2] == "Diagnosed"
    assert "Storage controller failover" in lines[3]
    assert lines[4:] == ["Diagnosed"]
    assert progress.latest == sample


def test_last_months_error_is_no_first_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Only what lies in the window counts."""
    sample = build_investigation()
    old = sample.timeline.events[1].model_copy(
        update={"start": Instant(START - timedelta(days=31))},
    )
    timeline = sample.timeline.model_copy(update={"events": (old,)})
    with _progress() as progress:
        progress.step(
            sample.model_copy(
                update={
                    "timeline": timeline,
                    "diagnosis": None,
                    "step": "ordered",
                    "window": Window(since=START, until=START + timedelta(hours=1)),
                },
            ),
        )

    assert capsys.readouterr().err.splitlines() == ["Events in order: 1"]


def test_hostile_text_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings and names are shown with their escapes spelt out."""
    with _progress() as progress:
        progress.say("\x1b[2Jgone\nnext")

    assert capsys.readouterr().err == "\\x1b[2Jgone next\n"
