"""Facts about what may be called healthy, and what may not."""

import pytest

from assistant.diagnosis.case import Case
from assistant.diagnosis.diagnose import diagnose
from tests.assistant.diagnosis.outage import OLD_FAULT, PROGRESS, WORLD
from tests.assistant.diagnosis.world import at, case, event, watched
from tools.evidence import Evidence, Gap, Instant


def _quiet(**more: object) -> Case:
    events = [
        event("work", PROGRESS, -600, end=3600, last=Instant(at(3600)), node="n1"),
        event("old", OLD_FAULT, -180000, last=Instant(at(-180000)), node="n1"),
    ]
    return case(WORLD, events, **more)  # type: ignore[arg-type]  # mixed keywords


def test_healthy_needs_coverage_progress_and_no_alarm_in_the_window() -> None:
    """Work went on, the logs cover the window, the one alarming line is two days old."""
    found = diagnose(_quiet())

    assert (found.verdict, found.root_causes) == ("healthy", ())
    assert not found.decided_by_unseen


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"sight": watched("n1", since=1000)}, id="uncovered"),
        pytest.param(
            {"gaps": [Gap(source="host", target="n1", why="df", state="hung")]}, id="hung"
        ),
        pytest.param(
            {"gaps": [Gap(source="journal", target="n1", why="permission denied")]}, id="denied"
        ),
        pytest.param(
            {"evidence": [Evidence(id="E9", source="host", command="df -h", outcome="hung")]},
            id="hung-command",
        ),
    ],
)
def test_what_was_not_seen_forbids_healthy(more: dict[str, object]) -> None:
    """A hung, refused or too short source turns health into an open question."""
    found = diagnose(_quiet(**more))

    assert found.verdict == "inconclusive"
    assert found.decided_by_unseen


def test_absence_of_damage_is_not_health() -> None:
    """Without visible progress nothing is called healthy."""
    found = diagnose(case(WORLD, [event("old", OLD_FAULT, -90000)]))

    assert found.verdict == "inconclusive"


def test_an_open_question_says_what_would_close_it() -> None:
    """Where nothing is found and health cannot be shown, the answer names what is missing."""
    found = diagnose(case(WORLD, [event("old", OLD_FAULT, -90000)]))

    assert any("steps" in row.what.en for row in found.missing_information)
