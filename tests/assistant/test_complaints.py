"""What somebody complains of, in a text among the evidence."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

T = datetime(2025, 10, 11, tzinfo=UTC)
TICKET = "Customer ticket 99: our job 771 on gpu-1 hangs since 00:20 UTC, please help.\n"


def _investigate(folder: Path, ticket: str) -> Investigation:
    """Diagnose an hour of quiet kernel lines and steady steps beside a ticket."""
    stamps = [(n, (T + timedelta(minutes=n)).isoformat()) for n in range(61)]
    quiet = 'kernel: audit: type=1400 audit(1.0:1): apparmor="STATUS"'
    (folder / "gpu-1.log").write_text("".join(f"{at} gpu-1 {quiet}\n" for _, at in stamps))
    (folder / "job.log").write_text("".join(f"{at} gpu-1 step {n} loss 2.8\n" for n, at in stamps))
    (folder / "ticket.txt").write_text(ticket)
    return investigate([folder], Incident(), shipped(), now=T + timedelta(days=1))


@pytest.mark.parametrize(
    "ticket",
    [
        TICKET,
        "Hi team, our training on gpu-1 is stuck since this morning.\n",
        "用户反馈：gpu-1 上的作业 771 从 00:20 起卡住\n",
    ],
)
def test_a_complaint_forbids_healthy_until_what_it_names_was_shown_to_work(
    tmp_path: Path, ticket: str
) -> None:
    """The steps beside it may be another job's; the complaint is quoted and is no event."""
    found = _investigate(tmp_path, ticket)
    assert found.diagnosis is not None
    assert found.diagnosis.verdict == "inconclusive"
    assert [one.text for one in found.timeline.unread] == [ticket.strip()]
    assert {event.page for event in found.timeline.events} == {"training-progress"}


def test_a_text_that_complains_of_nothing_forbids_nothing(tmp_path: Path) -> None:
    """A routine question is none."""
    found = _investigate(tmp_path, "Hi team, our job 771 on gpu-1 runs; please look it over.\n")
    assert found.diagnosis is not None
    assert found.diagnosis.verdict == "healthy"
