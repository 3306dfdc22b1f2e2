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


def _investigate(folder: Path, ticket: str, log: str = "job.log", steps: int = 61) -> Investigation:
    """Diagnose an hour of quiet kernel lines and steady steps beside a ticket."""
    stamps = [(n, (T + timedelta(minutes=n)).isoformat()) for n in range(61)]
    quiet = 'kernel: audit: type=1400 audit(1.0:1): apparmor="STATUS"'
    (folder / "gpu-1.log").write_text("".join(f"{at} gpu-1 {quiet}\n" for _, at in stamps))
    host = "gpu-1 " if log == "job.log" else ""
    lines = [f"{at} {host}step {n} loss 2.8\n" for n, at in stamps[:steps]]
    (folder / log).write_text("".join(lines))
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


@pytest.mark.parametrize(
    ("ticket", "steps", "verdict"),
    [
        ("Ticket 99: our job 771 hangs since 00:20 UTC, please help.\n", 61, "healthy"),
        ("用户反馈：作业 771 从 00:20 起卡住\n", 61, "healthy"),
        ("Hi team, our training is stuck since this morning.\n", 61, "healthy"),
        ("Ticket 99: our job 771 hangs since 00:20 UTC, please help.\n", 30, "inconclusive"),
        ("Ticket 99: our job 772 hangs since 00:20 UTC, please help.\n", 61, "inconclusive"),
        ("Hi team, our job llama is stuck since this morning.\n", 61, "inconclusive"),
        ("Our job 771 makes no progress on rank 3.\n", 61, "inconclusive"),
        ("Hi team, our training on gpu-1 is stuck.\n", 61, "inconclusive"),
        ("Hi team, our training is stuck.\nIts id is 772.\n", 61, "inconclusive"),
        ("Case INC-42: the customer's training job hangs.\n", 61, "healthy"),
        ("用户反馈：我们的训练卡住\n", 61, "healthy"),
        ("Issue node17: our training hangs.\n", 61, "inconclusive"),
        ("In case gpu-7 our training hangs.\n", 61, "inconclusive"),
        ("Issue GPU-7: our training hangs.\n", 61, "inconclusive"),
        ("Our llama run hangs.\n", 61, "inconclusive"),
        ("The training of Alice hangs.\n", 61, "inconclusive"),
        ("The customer says Alice's training hangs.\n", 61, "inconclusive"),
        ("用户反馈：小王的训练卡住\n", 61, "inconclusive"),
    ],
)
def test_a_complaint_is_answered_by_the_work_of_the_very_thing_it_names(
    tmp_path: Path, ticket: str, steps: int, verdict: str
) -> None:
    """That all through the window; it stays listed. Whatever else it names keeps it open."""
    found = _investigate(tmp_path, ticket, "slurm-771.out", steps)
    assert found.diagnosis is not None
    assert found.diagnosis.verdict == verdict
    assert [one.text for one in found.timeline.unread] == [ticket.splitlines()[0]]
    assert found.diagnosis.unread == (found.timeline.unread[0].id,)
