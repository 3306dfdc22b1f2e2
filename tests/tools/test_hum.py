"""A steady hum is thinned without hiding a pause, a writer or a count."""

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from tools.bundle import Bundle
from tools.evidence import Record
from tools.hum import Stretch, thinned
from tools.request import Request

HUM_S = 120.0
START = datetime.fromisoformat("2025-06-20T01:00:00+00:00")


def _thin(seconds: list[float], lanes: list[bytes | None] | None = None) -> list[tuple[int, int]]:
    def lane_of(end: int) -> tuple[bytes, int] | None:
        lane = lanes[end] if lanes else b"one"
        return None if lane is None else (lane, end)

    look = Stretch(lane_of, lambda end: seconds[end])
    hits = [(0, number) for number in range(len(seconds))]
    return [(end, count) for _, end, count in thinned(hits, {0: HUM_S}, look)]


def test_ends_of_every_stretch_are_read() -> None:
    """Before and after each pause a line is read, and so are first and last."""
    seconds = [10.0 * n for n in range(100)] + [5000 + 10.0 * n for n in range(100)]
    kept = [end for end, _ in _thin(seconds)]
    assert {0, 99, 100, 199} <= set(kept)
    assert len(kept) < 40


def test_no_pause_is_hidden() -> None:
    """Where lines were left out, the two beside them lie close in time."""
    seconds = [n * 7.0 + (n // 37) * 400.0 for n in range(500)]
    kept = [end for end, _ in _thin(seconds)]
    for low, high in pairwise(kept):
        assert high - low == 1 or seconds[high] - seconds[low] <= HUM_S


def test_a_pace_that_quickens_is_followed() -> None:
    """However slowly the lines began to come, few of the many that follow are read."""
    seconds = [50.0 * n for n in range(20)] + [1000 + 0.1 * n for n in range(20_000)]
    assert len(_thin(seconds)) < 150


def test_all_lines_are_counted() -> None:
    """The lines that are read stand for all."""
    assert sum(count for _, count in _thin([float(n) for n in range(1000)])) == 1000


def test_clock_that_steps_back_hides_nothing() -> None:
    """Lines around a step are read."""
    seconds = [float(n) for n in range(50)] + [float(n) - 500 for n in range(50)]
    kept = [end for end, _ in _thin(seconds)]
    assert {0, 99} <= set(kept)
    assert sum(count for _, count in _thin(seconds)) == 100


def test_each_writer_keeps_its_own() -> None:
    """Lines of another writer are never left out for this one's."""
    lanes: list[bytes | None] = [b"a" if n % 50 else b"b" for n in range(200)]
    kept = {end for end, _ in _thin([float(n) for n in range(200)], lanes)}
    assert {0, 50, 100, 150} <= kept


def test_unknown_writer_is_read() -> None:
    """A line whose writer cannot be told is read."""
    assert len(_thin([0.0] * 30, [None] * 30)) == 30


def test_run_ends_at_any_other_known_line_of_its_writer() -> None:
    """The line that says "well again" right after a complaint is read, whatever came before."""
    seconds = [float(n) for n in range(60)]
    hits = [(1 if n == 30 else 0, n) for n in range(60)]
    look = Stretch(lambda end: (b"one", end), lambda end: seconds[end])
    kept = {end for _, end, _ in thinned(hits, {0: HUM_S}, look)}
    assert {0, 29, 30, 31, 59} <= kept
    assert len(kept) < 10


def test_lines_with_two_known_texts_are_timed_once() -> None:
    """Each line's time is found once, however many literals it carries."""
    asked: list[int] = []

    def moment_of(end: int) -> float:
        asked.append(end)
        return float(end // 10)

    look = Stretch(lambda end: (b"one", end // 10 * 10 + 9), moment_of)
    hits = [(end % 10 % 3, end) for end in range(600)]
    list(thinned(hits, dict.fromkeys(range(3), HUM_S), look))
    assert len(asked) == len(set(asked))


def test_literal_twice_on_a_line_counts_once() -> None:
    """A line that carries the literal several times is one line."""
    look = Stretch(lambda end: (b"one", end // 10 * 10 + 9), lambda end: float(end // 10))
    hits = [(0, end) for end in range(300)]
    assert sum(count for _, _, count in thinned(hits, {0: HUM_S}, look)) == 30


def test_hosts_of_one_syslog_are_told_apart(tmp_path: Path) -> None:
    """In a log of many hosts each host's lines keep their first and last."""
    lines = [
        f"{(START + timedelta(seconds=n)).isoformat()} n{n % 3} kernel: hum {n}" for n in range(90)
    ]
    log = tmp_path / "syslog"
    log.write_text("\n".join(lines) + "\n")
    asked = Request(literals=("hum",), hum={"hum": HUM_S})
    records = [item for item in Bundle.open([log]).read(asked) if isinstance(item, Record)]
    assert {record.host for record in records} == {"n0", "n1", "n2"}
    assert sum(record.stands_for for record in records) == 90
    assert len(records) < 30


def test_processes_of_one_tag_are_told_apart(tmp_path: Path) -> None:
    """A workload under syslog hums too; eight of one name on a host are eight, not one."""
    lines = [
        f"{(START + timedelta(seconds=n)).isoformat()} n1 trainer[{100 + n % 3}]: hum {n}"
        for n in range(90)
    ]
    log = tmp_path / "syslog"
    log.write_text("\n".join(lines) + "\n")
    asked = Request(literals=("hum",), hum={"hum": HUM_S})
    with Bundle.open([log]) as bundle:
        records = [item for item in bundle.read(asked) if isinstance(item, Record)]

    assert len(records) < 30
    for pid in ("100", "101", "102"):
        assert sum(r.stands_for for r in records if r.fields["pid"] == pid) == 30


def test_a_mark_beside_a_known_word_changes_nothing() -> None:
    """A known harmless line that also says "failed" is thinned as what it is."""
    hits = [hit for n in range(100) for hit in ((0, 10 * n + 5), (1, 10 * n + 8))]
    look = Stretch(lambda end: (b"one", end // 10 * 10 + 9), lambda end: end / 10)
    read = list(thinned(hits, {0: 3600.0, 1: 60.0}, look, 1))

    assert sum(count for literal, _, count in read if literal == 0) == 100
    assert len({end // 10 for _, end, _ in read}) < 5
