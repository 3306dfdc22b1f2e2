"""What may stand where a syslog line has its host, and what a program writes in that place."""

import re
from pathlib import Path

import pytest

from tests.tools.readers.conftest import read_paths
from tools.syslog_tags import HOST

STAMP = "2026-11-30T02:10:01Z"


@pytest.mark.parametrize(
    "host",
    ["gpu-07", "gpu-07.cluster.local", "10.0.0.7", "fe80::1", "2001:db8::10.0.0.7", "Error-1",
     "info.example.org", "panic_room", "a"],
)  # fmt: skip
def test_names_and_addresses_are_hosts(host: str) -> None:
    """A level's word is a host where more of a name follows it."""
    assert re.fullmatch(HOST, host)


@pytest.mark.parametrize(
    "word", ["ERROR", "ERROR:", "error", "Info", "torch.OutOfMemoryError:", "gpu-03:3911:4021", ":"]
)
def test_levels_errors_and_processes_are_no_hosts(word: str) -> None:
    """No name of a host holds a colon."""
    assert not re.fullmatch(HOST, word)


@pytest.mark.parametrize(
    "text",
    [
        "ERROR: RuntimeError: CUDA out of memory",
        "info trainer: RuntimeError: x",
        "torch.cuda.OutOfMemoryError: RuntimeError: Tried to allocate 1.74 GiB (GPU 0)",
        "RuntimeError in the loop of epoch 3",
        "gpu-03:3911:4021 [5] NCCL WARN NET/IB : RuntimeError from peer 10.4.2.7",
    ],
)
def test_a_programs_own_log_names_no_host(tmp_path: Path, text: str) -> None:
    """What a program writes behind its stamp is its text, and the text is kept whole."""
    log = tmp_path / "rank0.log"
    log.write_text(f"{STAMP} {text}\n" * 3)

    found = read_paths(log).records

    assert [(r.host, r.text) for r in found] == [("", f"{STAMP} {text}")] * 3
    assert {r.channel for r in found} <= {"app", "text"}
    assert all(r.time and r.time.original == STAMP for r in found)
