"""Whole numbers of a damaged text."""

import json
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped
from tests.tools.readers.conftest import read_paths
from tools.numerals import whole

LONG = "9" * 5000
UUID = "GPU-11111111-2222-3333-4444-555555555555"
QUERY = """\
==============NVSMI LOG==============

Timestamp                                 : Sun Mar  1 10:00:00 2026
Driver Version                            : 550.54.15
CUDA Version                              : 12.4

Attached GPUs                             : {count}
GPU 00000000:07:00.0
    Product Name                          : NVIDIA H100
    GPU UUID                              : {uuid}
    ECC Errors
        Volatile
            SRAM Uncorrectable            : {count}
"""
AUDIT = (
    "type=SYSCALL msg=audit(1760000000.1:1): arch=c000003e syscall=59 success=yes auid=1 uid=0"
    ' comm="rm" exe="/usr/bin/rm"\n'
    'type=EXECVE msg=audit(1760000000.1:1): argc={count} a0="rm" a1="-rf"\n'
)


@pytest.mark.parametrize("text", ["", None, "²", "٣", "-1", "1.0", " 1", "1234567890", LONG])
def test_what_is_no_short_whole_number_is_none(text: str | None) -> None:
    """Python calls a superscript a digit, and raises for thousands of digits."""
    assert whole(text) is None


def test_a_whole_number_may_be_as_long_as_is_said() -> None:
    """Microseconds since 1970 have sixteen digits."""
    assert (whole("007"), whole("1781669400123456", most=17)) == (7, 1781669400123456)


@pytest.mark.parametrize("count", ["²", LONG])
def test_no_number_ends_a_reading(tmp_path: Path, count: str) -> None:
    """The rest of the file is read as ever."""
    (tmp_path / "audit.log").write_text(AUDIT.format(count=count))
    (tmp_path / "smi.txt").write_text(QUERY.format(count=count, uuid=UUID))
    read = read_paths(tmp_path)
    assert not read.gaps
    assert UUID in {each.values.get("uuid") for each in read.readings}


@pytest.mark.parametrize("count", ["²", LONG])
def test_no_label_ends_a_diagnosis(tmp_path: Path, count: str) -> None:
    """A label of a node is whatever somebody typed."""
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "labels": {"nvidia.com/gpu.count": count}},
        "status": {"capacity": {"nvidia.com/gpu": count}, "allocatable": {"nvidia.com/gpu": "7"}},
    }
    event = {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "d"},
        "involvedObject": {"kind": "Node", "name": "n1"}, "reason": "NodeNotReady",
        "message": "Node n1 status is now: NodeNotReady", "type": "Warning", "count": count,
        "lastTimestamp": "2026-03-01T10:10:00Z",
    }  # fmt: skip
    (tmp_path / "objects.json").write_text(json.dumps({"kind": "List", "items": [node, event]}))
    found = investigate([tmp_path], Incident(), shipped())
    assert "node-not-ready" in {each.page for each in found.timeline.events}
