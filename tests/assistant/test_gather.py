"""What is looked for, and where; live looks and bundles take one path."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from assistant.gather import Live, build_request, gather_live, gather_paths
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.pages import HANDBOOK
from tools.capture import Capture
from tools.context import ProbeContext
from tools.evidence import Evidence, Record, Window
from tools.request import Request
from tools.transport.port import Look, Transport
from tools.workspace import Workspace

NOW = datetime(2025, 6, 20, 3, tzinfo=UTC)
XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."


@dataclass
class Canned:
    """A way to two hosts: one answers at once, the other when it is let."""

    let: Event = field(default_factory=Event)
    name: str = "canned"

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give a kernel log of each host."""
        yield Look("journal", "journal", "n1", 0, self._run(context, "n1"))
        yield Look("journal", "journal", "n2", 1, self._run(context, "n2", self.let))
        self.window = request.window

    def _run(self, context: ProbeContext, host: str, let: Event | None = None):  # type: ignore[no-untyped-def]  # noqa: ANN202  # a port of the tests
        def run() -> Iterator[Capture]:
            if let:
                let.wait(10)
            line = f"2025-06-20T02:10:00+00:00 {host} kernel: {XID}\n"
            yield context.store(
                line.encode(), source="journal", path=f"journal/{host}.log", target=host,
                command=f"journalctl -k --host {host}",
            )  # fmt: skip

        return run


def live(root: Path, *, first_s: float = 5.0, way: Transport | None = None) -> Live:
    context = ProbeContext(Workspace(root / "bundle"), clock=lambda: NOW)
    if way is None:
        way = Canned()
        way.let.set()
    return Live(context, deadline_s=10, first_answer_s=first_s, transports=(way,))


def pages(found: Investigation) -> list[str]:
    return [event.entity.id for event in found.timeline.events]


def test_a_slow_host_does_not_hold_up_the_first_answer(tmp_path: Path) -> None:
    """What was collected by then is diagnosed and shown; the whole follows."""
    steps: list[Investigation] = []
    canned = Canned()

    def follow(step: Investigation) -> None:
        steps.append(step)
        if step.step == "diagnosed":
            canned.let.set()

    look = live(tmp_path, first_s=1.0, way=canned)
    found = investigate(look, Incident(), HANDBOOK, on_step=follow, now=NOW)
    answers = [step for step in steps if step.step == "diagnosed"]
    assert [pages(answer) for answer in answers] == [
        ["n1/0000:9b:00"],
        ["n1/0000:9b:00", "n2/0000:9b:00"],
    ]
    assert found == answers[-1]


def test_a_live_look_and_its_bundle_agree(tmp_path: Path) -> None:
    """The same captures, read again from disk, give the same events."""
    look = live(tmp_path)
    first = investigate(look, Incident(), HANDBOOK, now=NOW)
    again = investigate([tmp_path / "bundle"], Incident(), HANDBOOK, now=NOW)
    assert first.timeline == again.timeline
    assert first.diagnosis == again.diagnosis
    assert pages(first) == ["n1/0000:9b:00", "n2/0000:9b:00"]


def test_a_live_look_without_window_goes_back_some_hours(tmp_path: Path) -> None:
    """Nobody reads a year of journal for want of a start."""
    look = live(tmp_path)
    request = build_request(HANDBOOK, Incident(), now=NOW)
    stream = list(gather_live(request, look))
    assert look.transports is not None
    window = look.transports[0].window  # type: ignore[attr-defined]  # a part of ours, looked into
    assert window.since == NOW - timedelta(hours=6)
    assert sum(isinstance(item, Record) for item in stream) == 2


class Installed:
    """A way to a host that has nothing to tell but what was once installed on it."""

    name = "installed"

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give the package manager's log, which nothing bounds."""
        del request
        yield Look("host-packages", "host", "n1", 9, lambda: self._run(context))

    def _run(self, context: ProbeContext) -> Iterator[Capture]:
        lines = (
            "2024-06-24 14:36:25 startup archives unpack\n"
            "2025-06-20 02:50:11 status installed libc-bin:amd64 2.36-9+deb12u10\n"
        )
        yield context.store(
            lines.encode(), source="host", path="host/n1/dpkg.log.txt", target="n1",
            command="cat /var/log/dpkg.log",
        )  # fmt: skip


def test_a_live_look_that_found_nothing_speaks_of_the_last_hours(tmp_path: Path) -> None:
    """A log that goes back to the installation is no window: the incident would be a year old."""
    look = live(tmp_path, way=Installed())
    found = investigate(look, Incident(), HANDBOOK, now=NOW)
    again = investigate([tmp_path / "bundle"], Incident(), HANDBOOK, now=NOW)
    assert found.evidence[0].window.since == datetime(2024, 6, 24, 14, 36, 25, tzinfo=UTC)
    assert found.window.since == NOW - timedelta(hours=6)
    assert again.window == found.window


def test_a_failure_of_the_collection_is_not_swallowed(tmp_path: Path) -> None:
    """What breaks in the collecting thread surfaces in the caller's."""

    class Broken:
        name = "broken"

        def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
            raise OSError(f"no way out of {context.host} within {request.window}")

    look = live(tmp_path, way=Broken())
    with pytest.raises(OSError, match="no way out"):
        investigate(look, Incident(), HANDBOOK, now=NOW)


def test_a_collection_that_never_ends_holds_nobody(tmp_path: Path) -> None:
    """Past its time it is left alone, and what is there is read."""
    ended = Event()

    class Stuck:
        name = "stuck"

        def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
            del request, context
            ended.wait(30)
            yield from ()

    look = live(tmp_path, first_s=0.1, way=Stuck())
    look.deadline_s = 0.1
    began = time.monotonic()
    found = investigate(look, Incident(), HANDBOOK, now=NOW)
    ended.set()

    assert time.monotonic() - began < 10
    assert found.timeline.events == ()


def test_a_request_asks_for_all_that_the_handbook_judges() -> None:
    """Literals, kernel literals, queries, scope, and a day before the window."""
    window = Window(since=NOW, until=NOW)
    request = build_request(HANDBOOK, Incident(window=window, zone="+08:00"), now=NOW)
    assert "NVRM: Xid" in request.literals
    assert "NVRM: Xid" in request.kernel_literals
    assert "gpu_temperature" in {query.name for query in request.queries}
    assert request.window == Window(since=NOW - timedelta(days=1), until=NOW + timedelta(hours=1))
    assert request.zone == "+08:00"


def test_gathering_yields_items_and_their_evidence(tmp_path: Path) -> None:
    """One stream, each capture's evidence after its items."""
    (tmp_path / "n1.log").write_text(f"2025-06-20T02:10:00+00:00 n1 kernel: {XID}\n")
    items = list(gather_paths([tmp_path / "n1.log"], build_request(HANDBOOK, Incident())))
    assert any(isinstance(item, Record) for item in items)
    assert isinstance(items[-1], Evidence)
