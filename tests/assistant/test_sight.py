"""Facts about what would have been seen."""

from datetime import UTC, datetime

import pytest

from assistant.event import Anchor
from assistant.ledger import Seen, Spanned
from assistant.sight import Stretch, build_sight, find_lost, read_stretches
from assistant.topology import Ties
from knowledge.page import Page
from tests.assistant.diagnosis.world import at, event, kernel, page
from tools.evidence import Evidence, Instant

N1 = Anchor(kind="node", id="n1")
N2 = Anchor(kind="node", id="n2")
KERNEL_PAGE = page("oom", signatures=[kernel("oom")])
METRIC_PAGE = page(
    "hot",
    signatures=[
        {
            "id": "m",
            "source": "metric",
            "query": "temperature",
            "expr": "t",
            "op": ">",
            "value": 90,
            "examples": [{"value": 91}],
        }
    ],
)


def _state_page(*, persists: bool) -> Page:
    signature = {
        "id": "o",
        "source": "object",
        "kind": "Node",
        "where": [{"field": "x", "op": "exists"}],
        "examples": [{"x": 1}],
    }
    return page("tainted", persists=persists, signatures=[signature])


def _stretch(channel: str, host: str, since: float, until: float) -> Stretch:
    return Stretch(channel, host, "", since, until, "E1")


def test_a_log_covers_the_time_between_its_first_and_last_stamp() -> None:
    """A log that starts after the onset does not cover it."""
    sight = build_sight([_stretch("kernel", "n1", 5000, 9000)])

    assert sight.covers("kernel", "n1", 6000, 8000) == "yes"
    assert sight.covers("kernel", "n1", 1000, 8000) == "partly"
    assert sight.covers("kernel", "n1", 1000, 2000) == "no"
    assert sight.covers("kernel", "n2", 6000, 8000) == "no"


def test_a_quiet_quarter_of_an_hour_is_no_hole() -> None:
    """Two captures of one log join across a pause of the writer, not across an hour."""
    near = build_sight([_stretch("kernel", "n1", 0, 1000), _stretch("kernel", "n1", 1800, 3000)])
    far = build_sight([_stretch("kernel", "n1", 0, 1000), _stretch("kernel", "n1", 5000, 9000)])

    assert near.covers("kernel", "n1", 0, 3000) == "yes"
    assert far.covers("kernel", "n1", 0, 9000) == "partly"


def test_a_log_that_begins_minutes_after_a_moment_was_not_kept_then() -> None:
    """Nothing before shows that its writer was merely quiet; where something does, it was."""
    rotated = build_sight([_stretch("kernel", "n1", 300, 3000)])
    quiet = build_sight([_stretch("kernel", "n1", -900, -200), _stretch("kernel", "n1", 300, 3000)])

    assert rotated.covers("kernel", "n1", 0, 2000) == "partly"
    assert rotated.covers("kernel", "n1", 240, 2000) == "yes"
    assert quiet.covers("kernel", "n1", 0, 2000) == "yes"


def test_every_place_concerned_must_be_covered() -> None:
    """One node without its log leaves a condition on both partly seen."""
    sight = build_sight([_stretch("kernel", "n1", 0, 9000)])

    assert sight.would_show(KERNEL_PAGE, [N1], 100, 200) == "yes"
    assert sight.would_show(KERNEL_PAGE, [N1, N2], 100, 200) == "partly"
    assert sight.would_show(KERNEL_PAGE, [N2], 100, 200) == "no"


def test_events_of_the_cluster_are_covered_up_to_their_capture() -> None:
    """The list of events speaks for the time until it was read, whoever reported them."""
    span = Spanned("E1", "n1", "event", "kubelet", _at(0), _at(100), 5)
    capture = Evidence(
        id="E1",
        source="kubernetes",
        command="kubectl get events -A",
        observed_at=datetime.fromtimestamp(5000, UTC),
    )
    sight = build_sight(read_stretches([span], [], [capture], Ties().settle()))

    assert sight.covers("event", "anything", 50, 4900) == "yes"


def test_a_query_covers_the_things_it_returned() -> None:
    """A metric condition would have shown on a node whose series was read over the time."""
    look = Seen("metric", "temperature", ("node", "n1"), _moment(0), _moment(9000), "E1")
    sight = build_sight(read_stretches([], [look], [], Ties().settle()))

    assert sight.would_show(METRIC_PAGE, [N1], 100, 200) == "yes"
    assert sight.would_show(METRIC_PAGE, [N2], 100, 200) == "no"


def test_a_snapshot_shows_only_what_lasts() -> None:
    """A state read later proves the absence of a lasting condition, not of a passing one."""
    look = Seen("object", "Node", ("node", "n1"), _moment(900), _moment(900), "E1")
    sight = build_sight(read_stretches([], [look], [], Ties().settle()))

    assert sight.would_show(_state_page(persists=True), [N1], 100, 200) == "yes"
    assert sight.would_show(_state_page(persists=False), [N1], 100, 200) == "no"


def test_a_journal_covers_each_of_its_writers_over_all_of_its_time() -> None:
    """A kernel that printed once early in a journal of an hour was silent later, not unseen."""
    spans = [
        Spanned("E1", "n1", "kernel", "", _at(0), _at(10), 3),
        Spanned("E1", "n1", "service", "", _at(0), _at(3600), 900),
        Spanned("E2", "n2", "service", "", _at(0), _at(3600), 900),
    ]
    sight = build_sight(read_stretches(spans, [], [], Ties().settle()))

    assert sight.covers("kernel", "n1", 3000, 3500) == "yes"
    assert sight.covers("kernel", "n2", 3000, 3500) == "no"


@pytest.mark.parametrize(
    ("lines", "until", "command", "truncated", "gapless"),
    [
        pytest.param(400, 9000, "n1.log", False, True, id="a log"),
        pytest.param(4, 9000, "n1.log", False, False, id="a few lines"),
        pytest.param(400, 28 * 86400, "n1.log", False, False, id="lines of weeks"),
        pytest.param(400, 9000, "n1.log", True, False, id="cut off"),
        pytest.param(4, 9000, "journalctl -k", False, True, id="all that a command printed"),
    ],
)
def test_lines_that_somebody_chose_are_no_gapless_log(
    lines: int, until: float, command: str, *, truncated: bool, gapless: bool
) -> None:
    """An excerpt shows what it shows; its silence clears nothing, nor proves any health."""
    span = Spanned("E1", "n1", "kernel", "", _at(0), _at(until), lines)
    item = Evidence(id="E1", source="file", command=command, path="n1.log", truncated=truncated)
    sight = build_sight(read_stretches([span], [], [item], Ties().settle()))

    assert sight.covers("kernel", "n1", 1000, 2000) == "yes"
    assert sight.is_gapless("kernel", "n1", 1000, 2000) is gapless
    assert sight.clears("kernel", "n1", 1000, 2000) is gapless


def test_a_host_s_other_spelling_is_the_same_host() -> None:
    """Coverage follows the topology's one name for a host."""
    ties = Ties()
    ties.equate("node", "n1", "n1.cluster.local")
    span = Spanned("E1", "n1.cluster.local", "kernel", "", _at(0), _at(900), 5)
    sight = build_sight(read_stretches([span], [], [], ties.settle()))

    assert sight.covers("kernel", "n1", 100, 200) == "yes"


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _at(seconds: float) -> Instant:
    return Instant(_moment(seconds))


def test_lines_that_were_lost_shortly_before_clear_nothing() -> None:
    """The host itself says that its log has a hole; another host's log is as good as before."""
    hole = event("hole", page("hole", hides=["kernel"]), 0, node="n1")
    lost = find_lost([hole], {"hole": page("hole", hides=["kernel"])})
    begin = at(0).timestamp()
    rows = [_stretch("kernel", host, begin - 7200, begin + 7200) for host in ("n1", "n2")]
    sight = build_sight(rows, lost)
    assert sight.clears("kernel", "n2", begin + 60, begin + 600)
    assert not sight.clears("kernel", "n1", begin + 60, begin + 600)
    assert sight.clears("kernel", "n1", begin + 3600, begin + 4000)
