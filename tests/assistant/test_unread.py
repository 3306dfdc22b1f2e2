"""What a program calls an error and no page knows stands against health, and nothing else."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped
from tools.evidence import Window

START = datetime(2025, 6, 20, tzinfo=UTC)
Diagnose = Callable[..., Investigation]
FATAL = "acmefs[77]: FATAL: quorum lost, volume /scratch is offline"


def _line(minute: float, text: str, host: str = "n1") -> str:
    return f"{(START + timedelta(minutes=minute)).isoformat()} {host} {text}"


def _quiet(hours: int = 1) -> Iterator[str]:
    """A host that works: its kernel says little, its job steps on."""
    for minute in range(60 * hours + 1):
        yield _line(minute, f"train[42]: step {minute * 10} loss 2.31 lr 0.0003")
        yield _line(minute, f"systemd[1]: Started Session {minute} of user ops.")
        yield _line(minute, "kernel: EXT4-fs (nvme0n1p2): re-mounted. Quota mode: none.")


@pytest.fixture(name="diagnose")
def _diagnose(tmp_path: Path) -> Diagnose:
    """Write lines in their order and diagnose them, the last hour asked for or no time at all."""

    def do(*more: str, hours: int = 1, asked: bool = False) -> Investigation:
        path = tmp_path / "syslog"
        path.write_text("\n".join(sorted([*_quiet(hours), *more])) + "\n")
        end = START + timedelta(hours=hours)
        window = Window(since=end - timedelta(hours=1), until=end) if asked else Window()
        return investigate([path], Incident(window=window), shipped(), now=end)

    return do


def _told(found: Investigation) -> tuple[str, list[str]]:
    assert found.diagnosis is not None
    ids = found.diagnosis.unread
    return found.diagnosis.verdict, [e.text for e in found.timeline.unread if e.id in ids]


def test_such_a_host_is_healthy_without_it(diagnose: Diagnose) -> None:
    """Every kind of line is known or calls itself no error."""
    assert _told(diagnose()) == ("healthy", [])


@pytest.mark.parametrize("asked", [False, True])
def test_an_unknown_fatal_line_forbids_healthy(diagnose: Diagnose, *, asked: bool) -> None:
    """The line is named with its writer, asked about, and accused of nothing."""
    found = diagnose(_line(30, FATAL), asked=asked)
    assert found.diagnosis is not None
    assert _told(found) == ("inconclusive", [FATAL.partition(": ")[2]])
    (event,) = found.timeline.unread
    assert event.entity.id == "n1/acmefs"
    assert not found.diagnosis.root_causes
    assert event.page not in {known.page for known in found.timeline.events}
    assert any("no page knows" in row.what.en for row in found.diagnosis.missing_information)
    assert found.diagnosis.next_checks[0].command.startswith("journalctl -p err")
    assert found.priority is not None
    assert "no page knows" in found.priority.rule.en


def test_what_a_writer_prints_all_day_is_no_news(diagnose: Diagnose) -> None:
    """Refusals at the rate of the hours before leave the host as healthy as it was."""
    usual = [_line(n, "acmed[9]: error: client refused") for n in range(3, 480, 7)]
    assert _told(diagnose(*usual, hours=8, asked=True)) == ("healthy", [])
    assert _told(diagnose(*usual, hours=8)) == ("healthy", [])


def test_another_writers_error_is_news_beside_the_usual_ones(diagnose: Diagnose) -> None:
    """Noise by one program is no habit of another."""
    usual = [_line(n, "acmed[9]: error: client refused") for n in range(3, 480, 7)]
    found = diagnose(*usual, _line(450, FATAL), hours=8, asked=True)
    assert _told(found) == ("inconclusive", [FATAL.partition(": ")[2]])


def test_what_was_over_before_the_time_asked_for_is_no_news(diagnose: Diagnose) -> None:
    """An error of six hours before is not one of the last hour."""
    assert _told(diagnose(_line(60, FATAL), hours=8, asked=True)) == ("healthy", [])


def test_it_changes_no_cause(diagnose: Diagnose) -> None:
    """Beside a fault that is known it is listed, and the cause stays the same."""
    xid = "kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=0, GPU has fallen off the bus."
    alone, beside = diagnose(_line(40, xid)), diagnose(_line(40, xid), _line(30, FATAL))
    assert alone.diagnosis is not None
    assert beside.diagnosis is not None
    assert beside.diagnosis.first_anomaly == alone.diagnosis.first_anomaly
    assert [one.page for one in beside.diagnosis.hypotheses] == [
        one.page for one in alone.diagnosis.hypotheses
    ]
    assert _told(beside)[1] == [FATAL.partition(": ")[2]]


def test_an_applications_word_is_listed_by_its_pod(tmp_path: Path) -> None:
    """In a pod's log pod and container are named, for no host is known."""
    log = tmp_path / "k8s" / "logs" / "train" / "llm-0" / "trainer.log"
    log.parent.mkdir(parents=True)
    log.write_text("2025-06-20T00:10:11.000000000Z ERROR acme.loader: shard 17 is unreadable\n")
    found = investigate([tmp_path], Incident(), shipped())
    assert [event.entity.key for event in found.timeline.unread] == ["service:train/llm-0/trainer"]
