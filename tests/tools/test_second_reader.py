"""A second process reads what this one has not begun, and nothing depends on it."""

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from tools import second_reader
from tools.bundle import Bundle
from tools.capture_reading import CaptureReading
from tools.evidence import Evidence, Gap, Item, ObjectState, Record
from tools.reading_order import Turn
from tools.request import Request
from tools.second_reader import SecondReader, Share, second_share
from tools.source import Known, Source

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
    return [CaptureReading(f"E{n}", m, ASKED, Known().apart()) for n, m in enumerate(members, 1)]


def begun(readings: Sequence[CaptureReading], share: Share | None = None) -> SecondReader:
    """Start one that may take all, from the first on."""
    chosen = Share(0, len(readings)) if share is None else share
    second = SecondReader(readings, chosen)
    second.start()
    return second


def settled(second: SecondReader, place: int) -> None:
    """Wait until the other process has read a capture."""
    for _ in range(1000):
        if second.has_read(place):
            return
        time.sleep(0.01)
    raise AssertionError(f"capture {place} was not read")


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
        settled(second, 3)
        beside = [_take(second, reading) for reading in _readings(paths)]
    with begun(_readings(paths), Share()) as nobody:
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


class _Waiting(CaptureReading):
    """Is not read to its end in the other process."""

    def items(self) -> Iterator[Item]:
        if self.id == "E1" and os.getpid() != HERE:
            time.sleep(60)
        yield from super().items()


def _waiting(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[CaptureReading]:
    """Return readings of which the other process never ends the first."""
    global HERE  # noqa: PLW0603  # xdist forks workers after import
    HERE = os.getpid()
    monkeypatch.setattr(second_reader, "STALL_S", 0.5)
    members = Bundle.open(_write(folder)).members
    return [_Waiting(f"E{n}", m, ASKED, Known().apart()) for n, m in enumerate(members, 1)]


def test_neither_waits_for_what_the_other_has_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process takes what is free; it waits for what was begun, and not for ever."""
    slow = _waiting(tmp_path, monkeypatch)
    with begun(slow) as second:
        begin = time.monotonic()
        _take(second, slow[2])
        assert time.monotonic() - begin < 0.5
        assert [_take(second, slow[place])[1].id for place in (0, 1, 3)] == ["E1", "E2", "E4"]
        assert second.pid == 0


def test_this_process_reads_ahead_while_it_waits_and_holds_only_so_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the last on; what is held in memory has a bound."""
    monkeypatch.setattr(second_reader, "MOST_ITEMS", 20)
    slow = _waiting(tmp_path, monkeypatch)
    with begun(slow) as second:
        _take(second, slow[0])
        assert list(second.held) == ["E4"]
        assert [_take(second, reading)[1].id for reading in slow[1:]] == ["E2", "E3", "E4"]
        assert not second.held


class _Closed(CaptureReading):
    """Says what no other process can be sent."""

    def items(self) -> Iterator[Item]:
        if self.id == "E3":
            yield ObjectState(self.id, "Pod", "ml", "a", "", {}, locate=lambda _: len(self.id))
        yield from super().items()


def test_what_cannot_be_sent_is_read_here_and_the_rest_there(tmp_path: Path) -> None:
    """An object that holds a function keeps nothing else from being read."""
    members = Bundle.open(_write(tmp_path)).members
    readings = [_Closed(f"E{n}", m, ASKED, Known().apart()) for n, m in enumerate(members, 1)]
    with begun(readings) as second:
        settled(second, 3)
        assert [second.has_read(place) for place in range(4)] == [True, True, False, True]
        found = [_take(second, reading)[0] for reading in readings]
    assert [len([i for i in items if isinstance(i, Record)]) for items in found] == [20] * 4
    assert isinstance(found[2][0], ObjectState)


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


def test_a_damaged_journal_is_the_same_wherever_it_is_read(tmp_path: Path) -> None:
    """As plain text it is read with what the objects told, and nothing else."""
    paths = _write(tmp_path)

    def damaged() -> list[CaptureReading]:
        readings = _readings(paths)
        readings[0].known.readers.append(_Refusing())
        return readings

    with begun(damaged()) as second:
        settled(second, 0)
        there = _take(second, damaged()[0])
    with begun(damaged(), Share()) as nobody:
        assert _take(nobody, damaged()[0]) == there
    assert any(isinstance(item, Gap) for item in there[0])


def test_what_may_be_given_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything between the objects and the boot clocks; an only file; and nothing small.

    Beside objects that are too large to be held, only journals.
    """
    paths = _write(tmp_path)
    several = len(os.sched_getaffinity(0)) > 1
    members = Bundle.open(paths).members
    turns = [Turn.OBJECTS, Turn.OTHERS, Turn.JOURNALS, Turn.BOOT_CLOCKS]
    assert second_share(members, turns, least=1) == (Share(1, 3, 1) if several else Share())
    assert second_share(members, turns) == Share()
    assert second_share(members[:1], turns[:1], least=1) == (Share(0, 1) if several else Share())
    assert second_share(members[:2], [turns[0], turns[3]], least=1) == Share()
    monkeypatch.setattr(second_reader, "MOST_HELD", 1)
    assert second_share(members, turns, least=1) == (Share(2, 3) if several else Share())


POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml"}}


def _write_bundle(folder: Path) -> None:
    """Pods tell the log its node; the kernel's log tells the ring, which has no wall time, when."""
    _write(folder, padding=2000)
    pods = {"apiVersion": "v1", "kind": "List", "items": [{**POD, "spec": {"nodeName": "n7"}}]}
    (folder / "pods.json").write_text(json.dumps(pods))
    logs = folder / "k8s" / "logs" / "ml" / "train-0"
    logs.mkdir(parents=True)
    (logs / "main.log").write_text("2025-06-20T02:00:00Z ERROR NVRM: Xid in words\n" * 100)
    stamp = "2025-06-20T02:00:00.000000+00:00 n7 kernel: [ 100.000000]"
    (folder / "kern.log").write_text(f"{stamp} {XID}\n")
    ring = [f"[ {100 + n}.000000] {XID if n % 5 == 0 else 'quiet'}" for n in range(50)]
    (folder / "ring.txt").write_text("\n".join(ring) + "\n")


def test_a_large_bundle_is_read_alike_with_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All items and all Evidence are equal: hosts from objects, boot clocks from others' stamps."""
    _write_bundle(tmp_path)
    alone = list(Bundle.open([tmp_path]).read(ASKED))
    monkeypatch.setattr("tools.bundle.second_share", partial(second_share, least=1 << 20))
    for most, pause_s in ((1 << 20, 0.0), (1 << 20, 1.0), (0, 0.0), (0, 1.0)):
        # The other process gets little of it, or all that it may take.
        monkeypatch.setattr(second_reader, "MOST_HELD", most)
        items = Bundle.open([tmp_path]).read(ASKED)
        found = [next(items)]
        time.sleep(pause_s)
        assert [*found, *items] == alone
    records = [item for item in alone if isinstance(item, Record)]
    assert {r.host for r in records if "in words" in r.text} == {"n7"}
    assert {r.time.utc.year for r in records if r.time} == {2025}
