"""Healthy components' own lines raise no alarm, however their logs are kept."""

import platform
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from assistant.event import Event
from assistant.incident import Incident
from assistant.investigate import investigate
from evals.benign import corpus, drawn, sample
from evals.benign.carriers import CARRIERS, carry
from evals.benign.component import Component
from evals.benign.everything import COMPONENTS
from evals.benign.room import Room, find_program
from evals.errors import ReplayError
from knowledge.catalog import Catalog
from tests.assistant.handbook import shipped as handbook

SAMPLE = Path(__file__).parent / "benign_sample"
FEWER_THAN = 5
REAL_SHARE = 0.8
PLANTED = "[ 9999.000001] NVRM: Xid (PCI:0000:3b:00): 79, pid=0, GPU has fallen off the bus.\n"


@pytest.fixture(scope="module", name="catalog")
def _catalog() -> Catalog:
    return handbook()


@pytest.fixture(scope="module", name="shipped")
def _shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped sample, unpacked."""
    folder = tmp_path_factory.mktemp("benign")
    sample.unpack(SAMPLE, folder)
    return folder


def _find(folder: Path, catalog: Catalog) -> tuple[Event, ...]:
    return tuple(investigate([folder], Incident(), catalog).timeline.events)


def _assert_quiet(events: tuple[Event, ...]) -> None:
    told = [f"{event.severity} {event.page}: {event.text}" for event in events]
    assert not [event for event in events if event.severity in {"critical", "error"}], told
    assert len(events) < FEWER_THAN, told


def test_sample_is_quiet(shipped: Path, catalog: Catalog) -> None:
    """Lines that some twenty components really wrote raise no error and fewer than 5 events."""
    _assert_quiet(_find(shipped, catalog))


@pytest.mark.parametrize("carrier", CARRIERS)
def test_carried_sample_is_quiet(
    carrier: str, shipped: Path, catalog: Catalog, tmp_path: Path
) -> None:
    """The same lines are as quiet in syslog, in a journal export and as a pod's log."""
    carry(shipped, tmp_path, carrier)
    _assert_quiet(_find(tmp_path, catalog))


@pytest.mark.parametrize("carrier", ["", "syslog", "journal"])
def test_planted_fault_is_seen(
    carrier: str, shipped: Path, catalog: Catalog, tmp_path: Path
) -> None:
    """A real fault among them is found, so that the quiet is no blindness."""
    kernel = tmp_path / "in" / "kernel"
    kernel.mkdir(parents=True)
    text = (shipped / "kernel" / "kernel-console.log").read_text()
    (kernel / "kernel-console.log").write_text(text + PLANTED)
    if carrier:
        carry(tmp_path / "in", tmp_path / "out", carrier)
    events = _find(tmp_path / ("out" if carrier else "in"), catalog)
    assert "xid-79-fell-off-bus" in {event.page for event in events}


def test_sample_is_varied(shipped: Path) -> None:
    """No shape of line makes up the sample, and many components wrote it."""
    logs = [log.read_text().splitlines() for log in shipped.glob("*/*.log")]
    lines = Counter(line for log in logs for line in log)
    assert lines.total() > 5000
    assert len(lines) > 0.8 * lines.total()
    assert len(list(shipped.iterdir())) >= 15


def test_one_shape_is_kept_thrice() -> None:
    """Numbers do not make lines different; a fourth of the same shape is left out."""
    assert sample.choose("step 1\nstep 2\nstep 3\nstep 4\nend\n") == [
        "step 1",
        "step 2",
        "step 3",
        "end",
    ]


def test_shipped_lines_name_no_machine() -> None:
    """Host, folders, mounts and kernel of the machine that wrote them are made neutral."""
    line = f"{socket.gethostname()} {platform.release()} /tmp/firstfault-benign-ab1/x on /mnt/own/a"
    assert sample.neutral(line) == "gpu-n01 6.1.0-18-amd64 /srv/rig/x on /mnt/data"


def _work(room: Room) -> None:
    room.run("said.log", "seq", "1", "3")


def _fail(room: Room) -> None:
    room.run("said.log", "seq", "1", "3")
    raise ReplayError("it broke")


def test_failed_component_counts_nothing(tmp_path: Path) -> None:
    """What a component wrote that failed is no healthy system's log."""
    good = Component("good", ("seq",), "coreutils", _work)
    bad = Component("bad", ("seq",), "coreutils", _fail)
    absent = Component("absent", ("no-such-program",), "nothing", _work)
    *real, last = corpus.build([good, bad, absent], tmp_path, lines=100)
    assert [written.lines for written in real] == [3, 0, 0]
    assert real[1].why == "it broke"
    assert "no-such-program" in real[2].why
    assert last.lines <= 3 / 4, "at most one line in five is drawn"


def test_drawn_lines_are_quiet(catalog: Catalog, tmp_path: Path) -> None:
    """The lines that fill the corpus up raise nothing either."""
    assert drawn.draw(4000, tmp_path) == 4000
    _assert_quiet(_find(tmp_path, catalog))


_LEAVER = """
import os, sys, time
from pathlib import Path
from evals.benign.room import Room
room = Room(Path(sys.argv[1]))
pid = room.start("said.log", "sleep", "60").pid
while Path(f"/proc/{pid}/comm").read_text().strip() != "sleep":
    time.sleep(0.01)  # before that it does not know yet whose death to follow
print(pid, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(not find_program("setpriv"), reason="needs setpriv: apt-get install util-linux")
def test_server_ends_with_a_killed_run(tmp_path: Path) -> None:
    """No server is left over when the run that started it is killed."""
    argv = [sys.executable, "-c", _LEAVER, str(tmp_path)]
    said = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    state = Path(f"/proc/{int(said.stdout)}/stat")
    deadline = time.monotonic() + 10
    while _lives(state) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(state)


def _lives(state: Path) -> bool:
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_whole_corpus_is_quiet(catalog: Catalog, tmp_path: Path) -> None:
    """200,000 lines, four fifths of them written by components run here, raise no error."""
    written = list(corpus.build(COMPONENTS, tmp_path / "corpus"))
    failed = [f"{each.component}: {each.why}" for each in written if each.why]
    total = sum(each.distinct for each in written)
    if total < corpus.LINES and any("needs" in why for why in failed):
        pytest.skip(f"too few components are installed: {'; '.join(failed)}")
    assert total >= corpus.LINES, failed
    assert sum(each.distinct for each in written if each.component != "drawn") >= REAL_SHARE * total
    _assert_quiet(_find(tmp_path / "corpus", catalog))
    for carrier in CARRIERS:
        carry(tmp_path / "corpus", tmp_path / carrier, carrier)
        _assert_quiet(_find(tmp_path / carrier, catalog))
