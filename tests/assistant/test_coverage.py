"""Facts about the ledger of what was and was not seen."""

import pytest

from assistant.coverage import shorten, write_ledger
from assistant.event import ClockCorrection
from tests.assistant.diagnosis.world import at, event, page
from tools.evidence import Citation, Evidence, Gap, Window

FAULT = page("fault")


def _read(name: str, target: str = "n1", **more: object) -> Evidence:
    return Evidence.model_validate(
        {"id": name, "source": "journal", "command": "journalctl", "target": target, **more}
    )


def test_a_source_is_abnormal_where_a_fault_cites_it_and_normal_elsewhere() -> None:
    """The state follows from citations, line by line."""
    rows = write_ledger([_read("E1"), _read("E2", "n2")], [], [event("f", FAULT, 0)])

    assert {(r.target, r.state) for r in rows} == {("n1", "abnormal"), ("n2", "normal")}


def test_an_abnormal_source_is_told_by_the_gravest_thing_it_shows() -> None:
    """What was printed first may be the least of it."""
    mild = event("m", page("mild", severity="warning"), 0, citations=(_quote(1, "corrected"),))
    grave = event("g", page("grave", severity="critical"), 9, citations=(_quote(5, "fatal"),))
    (row,) = write_ledger([_read("E1")], [], [mild, grave])

    assert row.why == "fatal"


def test_a_day_of_which_nothing_is_claimed_is_normal() -> None:
    """That a driver loaded is news and no fault; as a cause it is one of what it hurt."""
    loaded = event("l", page("loaded", "change", severity="info"), 0)
    assert [row.state for row in write_ledger([_read("E1")], [], [loaded])] == ["normal"]


def _quote(line: int, text: str) -> Citation:
    return Citation(evidence="E1", line=line, text=text)


def test_a_hung_command_is_the_first_line() -> None:
    """What hung is a finding of its own, before everything else."""
    hung = Evidence(id="E3", source="host", command="df -h", target="n1", outcome="hung")
    rows = write_ledger([_read("E1"), hung], [], [])

    assert (rows[0].source, rows[0].state) == ("host", "hung")


def test_a_hung_line_says_what_hung_and_how_long_it_was_waited_for() -> None:
    """In both languages, whether the capture wrote a sentence or a number; JSON has the English."""
    hangs = [
        Evidence(id=f"E{n}", source="host", command=command, target="n1", outcome="hung",
                 detail=detail)
        for n, (command, detail) in enumerate(
            [("df -h", "10"), ("ls /data", "given up after 10 s"), ("stat /data", "not run again")]
        )
    ]  # fmt: skip
    (row,) = write_ledger(hangs, [], [])

    assert row.why == (
        "gave up after 10 s: df -h; gave up after 10 s: ls /data; not run again: stat /data"
    )
    assert row.reason is not None
    assert row.reason.en == row.why
    assert "等待 10 秒后放弃：df -h" in row.reason.zh


def test_what_was_refused_or_absent_is_not_checked() -> None:
    """Denied, absent and failed captures say nothing, and are told apart from normal ones."""
    rows = write_ledger([_read("E1", outcome="denied", detail="no permission")], [], [])

    assert [(r.state, r.why) for r in rows] == [("not_checked", "no permission")]


def test_gaps_keep_their_state() -> None:
    """A tenant's invisible host layer stays invisible."""
    gap = Gap(source="provider", target="host layer", why="tenant VM", state="not_visible")

    assert write_ledger([], [gap], [])[0].state == "not_visible"


def test_captures_of_one_source_and_target_are_one_line() -> None:
    """The line spans the time of both captures and cites both."""
    first = _read("E1", window=Window(since=at(0), until=at(10)))
    second = _read("E2", window=Window(since=at(20), until=at(30)))
    (row,) = write_ledger([first, second], [], [])

    assert (row.since, row.until, row.evidence) == (at(0), at(30), ("E1", "E2"))


def test_chronic_and_benign_events_make_nothing_abnormal() -> None:
    """Known noise leaves its source normal."""
    noise = [event("a", FAULT, 0, chronic=True), event("b", FAULT, 0, benign="known")]

    assert write_ledger([_read("E1")], [], noise)[0].state == "normal"


def test_what_no_reader_could_read_is_not_normal() -> None:
    """Binary rubbish is a gap and nothing else; a log with a damaged end is both."""
    log = Window(since=at(0), until=at(60))
    items = [_read("E1"), _read("E2", "n2", window=log)]
    gaps = [
        Gap(source="file", target=f"n{n}", why="binary bytes", evidence=f"E{n}") for n in (1, 2)
    ]
    rows = write_ledger(items, gaps, [])

    assert {(r.target, r.state) for r in rows} == {
        ("n1", "not_checked"),
        ("n2", "not_checked"),
        ("n2", "normal"),
    }


def test_a_file_covers_the_time_that_its_stamps_mean() -> None:
    """Stamps without zone that were found to be eight hours ahead cover earlier hours."""
    log = Window(since=at(0), until=at(60))
    right = ClockCorrection(clock="file:E1", offset_s=-28800, kind="zone")
    items = [_read("E1", window=log), _read("E2", "n2", window=log)]
    rows = {row.target: row for row in write_ledger(items, [], [], [right])}

    assert rows["n1"].since == at(-28800)
    assert rows["n1"].until == at(60 - 28800)
    assert rows["n2"].since == at(0)


def test_no_line_ends_before_it_begins() -> None:
    """One capture has only a beginning, another only an end that lies before it."""
    late = _read("E1", window=Window(since=at(600)))
    early = _read("E2", window=Window(until=at(0)))
    (row,) = write_ledger([late, early], [], [])
    assert (row.since, row.until) == (at(0), at(600))


@pytest.mark.parametrize(
    ("changes", "understood", "state", "why"),
    [
        ({"size": 10}, ("E1",), "normal", ""),
        ({"size": 10}, (), "not_checked", "read, nothing recognised"),
        ({"size": 0}, ("E1",), "not_checked", "empty"),
        ({"outcome": "empty"}, ("E1",), "not_checked", "empty"),
    ],
)
def test_what_was_not_understood_is_not_normal(
    changes: dict[str, object], understood: tuple[str, ...], state: str, why: str
) -> None:
    """A file of unknown lines and an empty one show nothing, not even that all is well."""
    item = Evidence.model_validate(
        {"id": "E1", "source": "file", "command": "a.txt", "path": "a.txt", **changes}
    )

    (row,) = write_ledger([item], (), (), understood=understood)

    assert row.state == state
    assert row.why.startswith(why)
    assert (row.reason is not None) == bool(why)


def test_a_long_line_keeps_its_end() -> None:
    """The refusal of an image names its reason last, behind all that asked for it."""
    line = f"Failed to pull image {'x' * 300}: unexpected status code 401 Unauthorized"
    assert shorten(line).startswith("Failed to pull image xxx")
    assert shorten(line).endswith("unexpected status code 401 Unauthorized")
    assert len(shorten(line)) < 210
    assert shorten("short") == "short"
