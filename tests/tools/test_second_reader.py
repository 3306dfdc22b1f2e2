"""A second process reads journals, and nothing depends on it."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tools import second_reader
from tools.bundle import Bundle
from tools.capture_reading import CaptureReading
from tools.evidence import Evidence, Item, Record
from tools.request import Request
from tools.second_reader import SecondReader, second_share
from tools.source import Source

HOSTS = ("n1", "n2", "n3", "n4")
XID = "NVRM: Xid (PCI:0000:9a:00): 79, pid=4711, name=python3, GPU has fallen off the bus."
ASKED = Request(literals=("NVRM: Xid",))


def _write(folder: Path, padding: int = 40) -> list[Path]:
    paths = []
    for host in HOSTS:
        entries = [
            f"__CURSOR=s={n}\n__REALTIME_TIMESTAMP={1750384800000000 + n * 1000000}\n"
            f"_HOSTNAME={host}\n_TRANSPORT=kernel\nPRIORITY=3\n"
            f"MESSAGE={XID if n % 10 == 0 else 'x' * padding}\n"
            for n in range(200)
        ]
        path = folder / f"{host}.export"
        path.write_text("\n".join(entries) + "\n")
        paths.append(path)
    return paths


def _readings(paths: list[Path]) -> list[CaptureReading]:
    members = Bundle.open(paths).members
    return [CaptureReading(f"E{n}", m, ASKED) for n, m in enumerate(members, 1)]


def begun(readings: Sequence[CaptureReading]) -> SecondReader:
    second = SecondReader(readings)
    second.start()
    return second


def _take(second: SecondReader, reading: CaptureReading) -> tuple[list[Item], Evidence]:
    items: list[Item] = []
    found = second.read(reading)
    try:
        while True:
            items.append(next(found))
    except StopIteration as end:
        return items, end.value


def test_both_processes_find_the_same(tmp_path: Path) -> None:
    """What comes back is what this process would have read, in the same order."""
    paths = _write(tmp_path)
    with begun(_readings(paths)) as second:
        beside = [_take(second, reading) for reading in _readings(paths)]
    with begun(()) as nobody:
        here = [_take(nobody, reading) for reading in _readings(paths)]
    assert beside == here
    assert sum(isinstance(item, Record) for items, _ in beside for item in items) == 80


def test_what_a_killed_process_leaves_is_read_here(tmp_path: Path) -> None:
    """Each capture comes once, whoever reads it."""
    paths = _write(tmp_path)
    with begun(_readings(paths)) as second:
        first = _take(second, _readings(paths)[0])
        os.kill(second.pid, signal.SIGKILL)
        rest = [_take(second, reading) for reading in _readings(paths)[1:]]
    assert [evidence.path for _, evidence in (first, *rest)] == [str(path) for path in paths]
    assert all(
        len([i for i in items if isinstance(i, Record)]) == 20 for items, _ in (first, *rest)
    )


class _Stuck(CaptureReading):
    def items(self) -> Iterator[Item]:
        if os.getpid() != HERE:
            time.sleep(60)
        yield from super().items()


HERE = os.getpid()


def test_a_process_that_stalls_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its captures are read here, and it does not go on."""
    global HERE  # noqa: PLW0603  # xdist forks workers after import
    HERE = os.getpid()
    monkeypatch.setattr(second_reader, "STALL_S", 0.2)
    members = Bundle.open(_write(tmp_path)).members
    stuck = [_Stuck(f"E{n}", m, ASKED) for n, m in enumerate(members, 1)]
    with begun(stuck) as second:
        pid = second.pid
        items, evidence = _take(second, stuck[0])
    assert evidence.id == "E1"
    assert items
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


class _Refusing:
    """A reader that is sure of everything and can read nothing."""

    name, source = "refusing", "journal"

    def score(self, head: bytes, hint: str) -> float:
        return float(bool(head) and not hint.startswith("?"))

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        if request.literals:
            raise ValueError(f"{source.name} is damaged")
        yield from ()


def test_a_journal_that_is_damaged_is_left_to_this_process(tmp_path: Path) -> None:
    """As plain text it is read with what other captures have told meanwhile."""
    paths = _write(tmp_path)
    readings = _readings(paths)
    readings[0].known.readers.append(_Refusing())
    with begun(readings) as second:
        _, evidence = _take(second, _readings(paths)[0])
        assert second.pid == 0
    assert evidence.id == "E1"


def test_about_half_of_the_bytes_are_given_away(tmp_path: Path) -> None:
    """Only journals, only from the end, and none where there is little to read."""
    paths = _write(tmp_path)
    (tmp_path / "pod.log").write_text("y" * 2 * paths[0].stat().st_size)
    members = [m for m in Bundle.open([tmp_path]).members if m.name.endswith(".export")]
    text = next(m for m in Bundle.open([tmp_path]).members if m.name.endswith(".log"))
    ordered = [text, *members]
    several = len(os.sched_getaffinity(0)) > 1
    assert second_share(ordered, least=1) == (range(2, 5) if several else range(0))
    assert not second_share(ordered)
    assert second_share([text], least=1) == range(1 if several else 0)


def test_a_large_bundle_is_read_alike_with_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All items and all Evidence are equal, digests too."""
    _write(tmp_path, padding=2000)
    (tmp_path / "app.log").write_text("2025-06-20T02:00:00Z INFO NVRM: Xid in words\n" * 100)
    alone = list(Bundle.open([tmp_path]).read(ASKED))
    monkeypatch.setattr("tools.second_reader.LEAST", 1 << 20)
    monkeypatch.setattr("tools.bundle.second_share", lambda files: second_share(files, 1 << 20))
    assert list(Bundle.open([tmp_path]).read(ASKED)) == alone
