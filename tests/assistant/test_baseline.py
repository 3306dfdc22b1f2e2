"""What was there before is no news."""

from datetime import timedelta

from assistant.incident import Incident
from assistant.timeline import window_of
from tests.assistant.items import T0, kernel, line_up, said, series
from tools.evidence import Instant, Record, Series, Window

XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."
HOUR = Incident(window=Window(since=T0, until=T0 + timedelta(hours=1)))


def test_the_window_is_the_densest_stretch_not_the_first_line() -> None:
    """An old, lonely Xid days before stays outside and is kept."""
    old = kernel("n9", -3 * 86400, XID)
    now = [kernel(f"n{n}", 60 * n, XID) for n in range(4)]
    timeline = line_up([old, *now])
    window = window_of(timeline.events)
    assert (window.since, window.until) == (T0, T0 + timedelta(seconds=180))
    assert len(timeline.events) == 5


def test_warnings_make_a_window_only_where_nothing_graver_does() -> None:
    """A trickle of warnings does not draw the window out."""

    def hot(*moments: float) -> Series:
        points = [(m + s, v) for m in moments for s, v in ((-60, 60.0), (0, 90.0), (60, 60.0))]
        labels = {"UUID": "GPU-2a6f7a11-0000-4b7c-9d2e-0123456789ab"}
        return series("gpu_temperature", labels, *points)

    trickle = hot(*range(-9000, 0, 900))
    both = window_of(line_up([trickle, kernel("n1", 0, XID)]).events)
    assert both == Window(since=T0, until=T0)
    alone = window_of(line_up([trickle]).events)
    assert alone.since == T0 - timedelta(seconds=9000)


def test_no_disturbance_has_no_window() -> None:
    """Nothing found, nothing claimed."""
    assert window_of(line_up([]).events) == Window()


def test_a_condition_at_its_usual_rate_is_chronic() -> None:
    """Every two hours before, once inside: noise."""
    before = [kernel("n1", -7200 * n, XID) for n in range(1, 12)]
    inside = kernel("n1", 600, XID)
    (event,) = line_up([*before, inside], HOUR).events
    assert event.chronic
    assert event.count == 12
    assert event.baseline_rate > 0.4


def test_a_roll_out_that_reached_each_host_once_is_no_habit() -> None:
    """New libraries, one host after the other over an hour, hours before anything failed."""
    upgrade = "Upgrade: libnvidia-compute-550:amd64 (550.90.07, 550.127.05)"
    spread = [said("service", -3 * 3600 + 400 * n, upgrade, host=f"n{n}") for n in range(8)]
    events = line_up(spread, HOUR).events
    assert {event.page for event in events} == {"package-upgraded"}
    assert not any(event.chronic for event in events)


def test_a_fault_that_began_before_the_window_is_no_habit() -> None:
    """Asked about the hour from two o'clock: what broke at ten to two is not noise."""
    early = [kernel("n1", -600 + 10 * n, XID) for n in range(50)]
    events = line_up([*early, kernel("n1", 600, XID)], HOUR).events
    assert not any(event.chronic for event in events)


def test_a_condition_whose_rate_rises_is_news() -> None:
    """A hundred lines in the hour are not the two of the day before."""
    before = [kernel("n1", -7200 * n, XID) for n in (1, 2)]
    inside = [kernel("n1", 10 * n, XID) for n in range(100)]
    event = line_up([*before, *inside], HOUR).events[-1]
    assert event.count == 100
    assert not event.chronic


def test_a_host_set_aside_before_is_known() -> None:
    """Cordoned yesterday: all that happens there is known, and only there."""
    cordon = said("service", -3600, "cordoned", host="n1", clock="host:n1")
    events = line_up([cordon, kernel("n1", 60, XID), kernel("n2", 60, XID)], HOUR).events
    assert {e.entity.id: e.known for e in events if e.page.startswith("xid")} == {
        "n1/0000:9b:00": True, "n2/0000:9b:00": False,
    }  # fmt: skip


def test_noise_that_comes_more_and_more_often_is_a_precursor() -> None:
    """Each pause shorter than the last: one event from the first on, and no noise."""
    moments, at, pause = [], -3 * 86400.0, 4 * 3600.0
    while at < -700:
        moments.append(at)
        at += pause
        pause = max(1000.0, pause * 0.86)
    (event,) = line_up([kernel("n1", moment, XID) for moment in [*moments, 60]], HOUR).events
    assert not event.chronic
    assert (event.count, event.start.utc) == (len(moments) + 1, T0 - timedelta(days=3))


def test_an_old_fault_that_stopped_no_work_does_not_set_the_window() -> None:
    """Work went on for days after it: the question is the last hour of work."""
    timeline = line_up([kernel("n1", 0, XID)])
    old = timeline.events[0].model_copy(update={"damage": 1})
    work = old.model_copy(
        update={
            "id": "w",
            "page": "training-progress",
            "benign": "work",
            "damage": 0,
            "severity": "info",
            "last": Instant(T0 + timedelta(days=3)),
        }
    )
    window = window_of([old, work], {"training-progress"})

    assert window.since == T0 + timedelta(days=3, hours=-1)
    stopped = old.model_copy(update={"damage": 2})
    assert window_of([stopped, work], {"training-progress"}).since == T0


FAILOVER = "failover of 10.0.0.10"


def _hum(since: float, until: float, pause: float) -> list[Record]:
    moments = [since + pause * n for n in range(int((until - since) / pause))]
    return [said("device", moment, FAILOVER) for moment in moments]


def test_a_hum_that_goes_on_since_long_before_is_chronic() -> None:
    """Once a minute since yesterday without a pause, and no oftener now: one event, no news."""
    (event,) = line_up(_hum(-20 * 3600, 3600, 60), HOUR).events
    assert event.chronic
    assert event.count == 1260
    assert 55 < event.baseline_rate < 65


def test_a_hum_that_rose_is_news() -> None:
    """It began yesterday, and comes six times as often since the window began."""
    (event,) = line_up([*_hum(-20 * 3600, 0, 60), *_hum(0, 3600, 10)], HOUR).events
    assert not event.chronic
    assert event.start.utc == T0 - timedelta(hours=20)


def test_a_fault_of_this_morning_is_no_hum() -> None:
    """Two hours of one line a minute are a fault that goes on, asked about late."""
    (event,) = line_up(_hum(-2 * 3600, 3600, 60), HOUR).events
    assert not event.chronic


def test_what_stops_work_is_no_hum() -> None:
    """However long it goes on, nobody lives with it."""
    lines = [kernel("n1", 60.0 * n, XID) for n in range(-20 * 60, 60)]
    (event,) = line_up(lines, HOUR).events
    assert not event.chronic


def test_a_hum_does_not_draw_out_the_window() -> None:
    """What hums since yesterday says nothing of when things broke, unless there is nothing else."""
    hum = _hum(-20 * 3600, 3600, 60)
    timeline = line_up([*hum, kernel("n1", 0, XID)])
    assert window_of(timeline.events).since == T0
    assert [e.chronic for e in timeline.events if e.page.startswith("storage")] == [True]
    assert window_of(line_up(hum).events).since == T0 - timedelta(hours=20)
