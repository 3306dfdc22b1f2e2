"""The journal through the real journalctl, on journals that systemd-journal-remote built."""

import shutil
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tools.context import ProbeContext
from tools.evidence import Window
from tools.probes.journal import (
    grep_pattern,
    journal_errors,
    journal_kernel,
    journal_services,
)
from tools.request import Request

REMOTE = Path("/lib/systemd/systemd-journal-remote")
START = datetime(2025, 6, 20, 2, tzinfo=UTC).timestamp()

pytestmark = pytest.mark.skipif(
    not REMOTE.exists() or not shutil.which("journalctl"),
    reason="needs journalctl and systemd-journal-remote (Debian: systemd-journal-remote)",
)
Line = tuple[float, str, str]


def built(folder: Path, host: str, lines: Iterable[Line]) -> None:
    """Build one host's journal of (seconds after the start, transport, message)."""
    boot = f"{abs(hash(host)) % 16**32:032x}"
    entries = []
    for after, transport, message in lines:
        micros = int((START + after) * 1e6)
        entries.append(
            f"__REALTIME_TIMESTAMP={micros}\n__MONOTONIC_TIMESTAMP={micros % 10**12}\n"
            f"_BOOT_ID={boot}\n"
            f"_HOSTNAME={host}\n_TRANSPORT={transport}\n"
            f"PRIORITY={3 if '(3)' in message else 6}\nMESSAGE={message}\n\n"
        )
    machine = folder / f"{len(list(folder.iterdir())) + 1:032x}"
    machine.mkdir()
    export = folder.parent / f"{host}.export"
    export.write_text("".join(entries))
    subprocess.run(
        [REMOTE, "-o", machine / "system.journal", export], check=True, capture_output=True
    )


@pytest.fixture(name="journals", scope="module")
def _journals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("journal") / "cluster"
    folder.mkdir()
    for host in ("n1", "n2"):
        built(
            folder,
            host,
            [
                (-90_000, "kernel", "long before"),
                (-3_600, "kernel", "usb 1-1: new device"),
                (10, "kernel", "nfs: server 10.0.0.10 not responding, still trying"),
                (11, "journal", "kubelet: PLEG is not healthy (3m1s)"),
                (12, "journal", "Started Session 12 of user root, password=hunter2"),
                (13, "stdout", "a.b*c matched only literally"),
                (9_000, "kernel", "long after"),
            ],
        )
    return folder


@pytest.fixture(name="request_")
def _request() -> Request:
    since, until = (datetime.fromtimestamp(START + shift, UTC) for shift in (-86_400, 3600))
    return Request(
        window=Window(since=since, until=until),
        literals=("PLEG is not healthy", "a.b*c", "password"),
    )


def test_kernel_lines_of_all_hosts_are_read_whole(
    journals: Path, context: ProbeContext, request_: Request
) -> None:
    context.journals = (journals,)
    (capture,) = journal_kernel(request_, context)
    text = (context.workspace.root / capture.path).read_text()

    assert capture.outcome == "ok"
    assert capture.path == "journal/cluster.kernel.export"
    assert text.count("not responding") == text.count("usb 1-1") == 2
    assert "_HOSTNAME=n1" in text
    assert "_HOSTNAME=n2" in text
    assert "long before" not in text
    assert "long after" not in text


def test_of_other_lines_those_with_a_literal_are_read_and_masked(
    journals: Path, context: ProbeContext, request_: Request
) -> None:
    context.journals = (journals,)
    (capture,) = journal_services(request_, context)
    text = (context.workspace.root / capture.path).read_text()

    assert text.count("PLEG is not healthy") == 2
    assert text.count("a.b*c") == 2
    assert "password=<masked>" in text
    assert "hunter2" not in text
    assert "not responding" not in text
    assert "--since=@1750298400" in capture.command


def test_of_too_many_lines_the_newest_are_kept_and_that_is_said(
    journals: Path, context: ProbeContext, request_: Request
) -> None:
    context.max_bytes = 900
    context.journals = (journals,)
    (capture,) = journal_kernel(request_, context)
    text = (context.workspace.root / capture.path).read_text()

    assert capture.truncated
    assert text.count("not responding") == 2
    assert "usb" not in text
    assert text.startswith("__CURSOR=")
    assert text.endswith("\n\n")


def test_no_match_is_empty_and_not_a_failure(journals: Path, context: ProbeContext) -> None:
    context.journals = (journals,)
    (capture,) = journal_services(Request(literals=("no line holds this",)), context)

    assert capture.outcome == "empty"


def test_an_empty_journal_is_empty_and_not_healthy(
    context: ProbeContext, request_: Request, tmp_path: Path
) -> None:
    (tmp_path / "none").mkdir()
    context.journals = (tmp_path / "none",)
    (capture,) = journal_kernel(request_, context)

    assert capture.outcome in {"empty", "absent"}


def test_too_many_literals_fall_back_to_warnings() -> None:
    assert grep_pattern(("a.b", "c|d")) == r"a\.b|c\|d"
    assert grep_pattern(("x" * 70_000,)) == ""


def test_what_only_its_priority_calls_an_error_is_read_once(
    tmp_path: Path, context: ProbeContext, request_: Request
) -> None:
    """Errors without a known word come as a capture of their own, without those that have one."""
    folder = tmp_path / "host"
    folder.mkdir()
    said = (
        "mailbox 7 is full (3)",
        "PLEG is not healthy (3)",
        "mailbox opened",
        "acmefs: FATAL: quorum lost",
        "E0620 02:00:10.5 7 acme.go:12] no leader",
    )
    lines = [(10.0, "journal", text) for text in said]
    built(folder, "n1", lines)
    context.journals = (folder,)
    asked = request_.model_copy(update={"errors": True})
    texts = [
        (context.workspace.root / capture.path).read_text()
        for probe in (journal_services, journal_errors)
        for capture in probe(asked, context)
    ]

    assert [text.count("\nMESSAGE=") for text in texts] == [3, 1]
    assert "mailbox 7 is full" in texts[1]
    assert not list(journal_errors(request_, context))
