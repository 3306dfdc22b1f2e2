"""Facts about what may be called healthy, and what may not."""

from dataclasses import replace

import pytest

from assistant.diagnosis.case import Case
from assistant.diagnosis.diagnose import diagnose
from assistant.event import Event
from assistant.incident import Incident
from assistant.sight import Stretch, build_sight
from knowledge.page import Page
from tests.assistant.diagnosis.outage import OLD_FAULT, PROGRESS, WORLD
from tests.assistant.diagnosis.world import at, case, event, page, watched
from tools.evidence import Evidence, Gap, Instant, Window


def _quiet(**more: object) -> Case:
    events = [
        event("work", PROGRESS, -600, end=3600, last=Instant(at(3600)), node="n1"),
        event("old", OLD_FAULT, -180000, end=-180000, node="n1"),
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


GONE = page("gone", "mechanism", damage=1, severity="critical", lasts_s=86400)
ODD = page("odd", severity="error")
BLINKS = page("blinks", severity="error", effects=[
    {"effect": "gone", "guard": {"field": "duration_s", "op": ">", "value": 5}},
])  # fmt: skip


def _working(*events: Event, asked: bool = False, **more: object) -> Case:
    work = event("work", PROGRESS, -600, end=3600, last=Instant(at(3600)), node="n1")
    window = Window(since=at(0), until=at(3600)) if asked else Window()
    return case(
        [*WORLD, GONE, ODD, BLINKS], [work, *events],
        sight=watched("n1", since=-90000), incident=Incident(window=window), **more,
    )  # type: ignore[arg-type]  # mixed keywords  # fmt: skip


@pytest.mark.parametrize("what", [GONE, ODD])
def test_an_alarm_of_the_last_day_that_nothing_undid_forbids_healthy(what: Page) -> None:
    """Other work may go on beside a GPU that is gone; nobody asked to leave the morning out."""
    passing = event("a", what, -20000, end=-20000)

    assert diagnose(_working(passing)).verdict != "healthy"


def test_what_was_seen_to_end_before_the_window_is_past() -> None:
    """A recovery that was read is one."""
    ended = event("a", ODD, -20000, end=-19000, last=Instant(at(-19500), 0.5))

    assert diagnose(_working(ended)).verdict == "healthy"


def test_a_passing_error_within_the_window_forbids_healthy() -> None:
    """That a line came once does not make it harmless."""
    found = diagnose(_working(event("a", ODD, 1800, end=1800), asked=True))

    assert found.verdict != "healthy"


@pytest.mark.parametrize(
    ("since", "until"),
    [pytest.param(-600, 1200, id="ends-early"), pytest.param(2000, 3600, id="begins-late")],
)
def test_work_must_go_on_through_the_whole_window(since: float, until: float) -> None:
    """Half a window of steps says nothing of the other half."""
    work = event("work", PROGRESS, since, end=until, last=Instant(at(until)), node="n1")

    assert diagnose(case(WORLD, [work], sight=watched("n1"))).verdict == "inconclusive"


def test_one_job_that_stalls_is_not_hidden_by_another_that_works() -> None:
    """Each job that was seen must advance."""
    pause = [
        event(f"b{n}", PROGRESS, begin, end=stop, last=Instant(at(stop)), anchors=[("job", "two")])
        for n, (begin, stop) in enumerate([(0, 600), (2400, 3600)])
    ]

    assert diagnose(_working(*pause)).verdict == "inconclusive"


def test_without_a_window_the_time_of_the_work_is_in_question() -> None:
    """A quiet day's logs begin and end within minutes of each other."""
    work = event("work", PROGRESS, 0, end=7200, last=Instant(at(7200)), node="n1")
    quiet = case(WORLD, [work], sight=watched("n1", since=300, until=7000))
    whole = replace(quiet, window=Window())

    assert diagnose(whole).verdict == "healthy"


def test_work_that_ends_before_the_logs_do_may_have_hung() -> None:
    """Without a window the logs' end is its end: five more hours without a step are no health."""
    work = event("work", PROGRESS, 0, end=3600, last=Instant(at(3600)), node="n1")
    hung = case(WORLD, [work], sight=watched("n1", since=0, until=6 * 3600))
    assert diagnose(replace(hung, window=Window())).verdict == "inconclusive"


def test_a_host_that_falls_silent_forbids_healthy() -> None:
    """Also one that no job is known to run on."""
    work = event("work", PROGRESS, 0, end=7200, last=Instant(at(7200)), node="n1")
    rows = [
        Stretch("kernel", node, "", at(0).timestamp(), at(until).timestamp(), "E1")
        for node, until in (("n1", 7200), ("n2", 1000))
    ]
    silent = case(WORLD, [work], sight=build_sight(rows))
    found = diagnose(replace(silent, window=Window()))
    assert found.verdict == "inconclusive"
    asked = next(row.what for row in found.missing_information if "others'" in row.what.en)
    assert "n2 (" in asked.en
    assert "n1" not in asked.en
    assert "n2 (" in asked.zh


def test_lost_kernel_messages_forbid_healthy() -> None:
    """What stood in them nobody knows."""
    work = event("work", PROGRESS, 0, end=7200, last=Instant(at(7200)), node="n1")
    sight = watched("n1", since=0, until=7200)
    gone = replace(sight, lost={("kernel", "n1"): (at(3000).timestamp(),)})
    verdicts = [
        diagnose(replace(case(WORLD, [work], sight=each), window=Window())).verdict
        for each in (sight, gone)
    ]
    assert verdicts == ["healthy", "inconclusive"]


@pytest.mark.parametrize("what", [BLINKS, ODD])
@pytest.mark.parametrize(
    ("times", "every_s", "verdict"),
    [(1, 60, "healthy"), (5, 60, "healthy"), (6, 60, "inconclusive"), (6, 900, "healthy")],
)
def test_what_comes_again_and_again_is_no_mere_blip(
    what: Page, times: int, every_s: int, verdict: str
) -> None:
    """However soon each time was over: six times an hour on one thing say that it is ill."""
    begins = [-300 + n * every_s for n in range(times)]
    blips = [
        event(f"b{at_s}", what, at_s, end=at_s + 1, last=Instant(at(at_s), 0.5)) for at_s in begins
    ]
    assert diagnose(_working(*blips)).verdict == verdict
