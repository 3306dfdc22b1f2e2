"""A collection says what it did not get, and writes into no folder of other things."""

from pathlib import Path

import pytest

from integrations.cli.shortfall import tell_shortfall
from integrations.wording.words import load_words
from tests.integrations.cli.conftest import Run
from tools.capture import Capture

REFUSED = (
    "The connection to the server localhost:8080 was refused - did you specify the right port?"
)


def _capture(source: str, command: str, **more: object) -> Capture:
    return Capture.model_validate({"source": source, "command": command, "target": "n7", **more})


def _missing(source: str, command: str, detail: str, outcome: str = "absent") -> Capture:
    return _capture(source, command, detail=detail, outcome=outcome)


def _told(*captures: Capture) -> list[str]:
    return list(tell_shortfall(captures, load_words("en")))


def test_what_is_whole_needs_no_word() -> None:
    """An empty answer is one."""
    assert (
        _told(_capture("host", "df", path="df.txt"), _capture("journal", "j", outcome="empty"))
        == []
    )


def test_a_source_that_was_not_reached_is_named_with_its_reason_and_the_count() -> None:
    """In one line, without what the program says around it."""
    noise = f"E1130 memcache.go:265 couldn't get the API group list\n{REFUSED}"
    (line,) = _told(
        _missing("kubernetes", "kubectl get pods", noise),
        _missing("kubernetes", "kubectl get nodes", REFUSED),
        _missing("slurm", "sinfo -R", "sinfo: error: lookup failed\nsinfo: fatal: No settings"),
        _capture("host", "df", path="df.txt"),
    )

    assert line == (
        "3 of 4 captures are missing. Nothing of: "
        "Kubernetes (The connection to the server localhost:8080 was refused); "
        "Slurm (No settings)"
    )


def test_programs_that_are_not_installed_are_named_together() -> None:
    """And what is there in part comes after what is not there at all."""
    tools = ("ibstat", "lspci", "rdma", "chronyc")
    lines = _told(
        _missing("dcgm", "dcgmi discovery -l", "dcgmi is not installed here"),
        *(_missing("host", name, f"{name} is not installed here") for name in tools),
        _missing("host", "stat /data", "", outcome="hung"),
        _capture("host", "df", path="df.txt"),
    )

    assert lines == [
        "6 of 7 captures are missing. Nothing of: DCGM (not installed: dcgmi)",
        "In part: host (5 of 6: not installed: ibstat, lspci, rdma, …; HUNG)",
    ]


def test_hosts_that_could_not_be_reached_are_named() -> None:
    """Each is one look over ssh; its own captures are counted apart."""
    refused = "ssh: connect to host port 22: Connection refused"
    dead = [
        Capture(source="host", command=f"ssh -T {name} firstfault", target=name,
                outcome="failed", detail=refused)
        for name in ("dead-0", "dead-1")
    ]  # fmt: skip
    alive = Capture(source="host", command="ssh -T ok-1 firstfault", target="ok-1")

    (line,) = _told(*dead, alive)
    assert line == (
        f"2 of 3 captures are missing. In part: hosts over SSH (2 of 3: {refused}: dead-0, dead-1)"
    )


def test_the_last_try_and_the_size_cap_count() -> None:
    """What a second run got is not missing; what did not fit is."""
    (line,) = _told(
        _missing("host", "df", "", outcome="hung"),
        _capture("host", "df", path="df.txt"),
        _capture("journal", "journalctl", truncated=True),
    )

    assert line == "1 of 2 captures are missing. Nothing of: journal (the size cap was reached)"


def test_collect_says_on_stderr_what_is_missing(run: Run, home: Path) -> None:
    """stdout stays the path."""
    code, out, err = run("collect", "--out", str(home / "b"), "--since", "5m", "--deadline", "8")

    assert (code, out) == (0, f"{home / 'b'}\n")
    assert "captures are missing. Nothing of: " in err


@pytest.mark.parametrize("ours", ["manifest.jsonl", "incident.yaml"])
def test_a_folder_of_other_things_is_refused(run: Run, home: Path, ours: str) -> None:
    """Evidence strewn among them would be lost; an empty one and a bundle are taken."""
    place, short = home / "place", ("--since", "5m", "--deadline", "2")
    place.mkdir()
    (place / "thesis.txt").write_text("mine")
    code, out, err = run("collect", "--out", str(place), *short)

    assert (code, out) == (2, "")
    assert "holds other things" in err
    assert [entry.name for entry in place.iterdir()] == ["thesis.txt"]
    (place / ours).touch()
    assert run("collect", "--out", str(place), *short)[0] == 0
