"""What a container said at its end is read like its log, or like the event that told it."""

import json
from pathlib import Path

from tests.tools.readers.conftest import Reads, read_paths

MISMATCH = "Failed to initialize NVML: RuntimeError of versions"
HOOK = (
    "failed to create containerd task: failed to create shim task: RuntimeError: prestart hook\n"
    "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch"
)


def _pod(folder: Path, **ends: object) -> Reads:
    state = {key: {"terminated": end} for key, end in ends.items()}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a-0", "namespace": "ml"},
        "spec": {"nodeName": "gpu-07"},
        "status": {"containerStatuses": [{"name": "main", **state}, {"name": "other"}, "odd"]},
    }
    path = folder / "pods.json"
    path.write_text(json.dumps(pod, indent=1))
    return read_paths(path)


def test_a_programs_last_words_are_its_own(tmp_path: Path) -> None:
    """They bear the time of its end, the pod, its node and the line on which they stand."""
    end = {"exitCode": 1, "reason": "Error", "message": MISMATCH,
           "finishedAt": "2026-11-30T02:09:00Z"}  # fmt: skip
    (record,) = _pod(tmp_path, lastState=end).records

    assert (record.channel, record.text, record.unit) == ("app", MISMATCH, "main")
    assert record.fields == {"namespace": "ml", "pod": "a-0", "node": "gpu-07"}
    assert record.time is not None
    assert record.time.utc.isoformat() == "2026-11-30T02:09:00+00:00"
    assert MISMATCH in (tmp_path / "pods.json").read_text().splitlines()[record.line - 1]


def test_of_a_program_that_never_ran_the_runtime_speaks(tmp_path: Path) -> None:
    """That is what the event of the failed start says too."""
    end = {"exitCode": 128, "reason": "StartError", "message": HOOK, "finishedAt": "no time"}
    (record,) = _pod(tmp_path, state=end).records

    assert (record.channel, record.unit, record.time) == ("event", "kubelet", None)
    assert (record.fields["reason"], record.fields["name"]) == ("Failed", "a-0")


def test_an_end_without_a_word_is_none(tmp_path: Path) -> None:
    """Nor is one whose message is of another type."""
    assert not _pod(tmp_path, state={"exitCode": 1}, lastState={"message": 7}).records


def test_a_described_end_is_read_past_the_margin(tmp_path: Path) -> None:
    """A runtime's message goes on without indentation; what follows is still the container's."""
    path = tmp_path / "describe.txt"
    path.write_text(
        "Name:             a-0\nNamespace:        ml\nNode:             gpu-07/10.0.0.7\n"
        "Status:           Running\nContainers:\n  main:\n    State:          Waiting\n"
        "      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n"
        f"      Reason:       StartError\n      Message:      {HOOK}\n"
        "      Exit Code:    128\n      Finished:     Mon, 30 Nov 2026 02:40:07 +0000\n"
        "    Restart Count:  14\nEvents:           <none>\n"
    )
    reads = read_paths(path)
    record = next(record for record in reads.records if record.channel == "event")

    assert record.text == HOOK
    assert record.time is not None
    assert record.time.utc.isoformat() == "2026-11-30T02:40:07+00:00"
    status = json.loads(json.dumps(reads.states[0].content))["status"]["containerStatuses"][0]
    assert (status["restartCount"], status["lastState"]["terminated"]["exitCode"]) == (14, 128)
