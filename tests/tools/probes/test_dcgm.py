"""DCGM's host engine, asked for what it noted; a stand-in answers as it is recorded to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.bundle import Bundle
from tools.capture import Capture
from tools.commands import Command
from tools.context import ProbeContext
from tools.errors import CommandRefusedError
from tools.evidence import Reading
from tools.probes.dcgm import dcgm
from tools.request import Request

Program = Callable[[str, str], Path]
_ANSWERS = r"""#!/bin/sh
case "$*" in
  "discovery -l") cat <<'END'
2 GPUs found.
+--------+----------------------------------------------------------------------+
| GPU ID | Device Information                                                   |
+--------+----------------------------------------------------------------------+
| 0      | Name: NVIDIA H100 80GB HBM3                                          |
|        | PCI Bus ID: 00000000:18:00.0                                         |
|        | Device UUID: GPU-00000000-1111-2222-3333-444444444444                |
+--------+----------------------------------------------------------------------+
| 1      | Name: NVIDIA H100 80GB HBM3                                          |
|        | PCI Bus ID: 00000000:2A:00.0                                         |
|        | Device UUID: GPU-00000001-1111-2222-3333-444444444444                |
+--------+----------------------------------------------------------------------+
END
;;
  "health -c -g 0") cat <<'END'
+---------------------------+----------------------------------------------------------+
| Health Monitor Report                                                                |
+===========================+==========================================================+
| Overall Health            | Failure                                                  |
| GPU ID: 1                 | Failure                                                  |
|                           | Memory system: Failure - A DBE was detected on GPU 1     |
+---------------------------+----------------------------------------------------------+
END
;;
  "health -f -g 0") echo "| PCIe | On |";;
  "stats -v -j 63532") echo "Successfully retrieved statistics for job: 63532.";;
  *) echo "CHANGED SOMETHING: $*"; exit 1;;
esac
"""
_NO_ENGINE = """#!/bin/sh
echo "Error: unable to establish a connection to the specified host: localhost"
echo "Error: Unable to connect to host engine. Host engine connection invalid/disconnected."
exit 213
"""


def text(context: ProbeContext, capture: Capture) -> str:
    return (context.workspace.root / capture.path).read_text()


def test_gpus_watches_and_health_are_read_and_a_named_jobs_statistics(
    context: ProbeContext, program: Program
) -> None:
    program("dcgmi", _ANSWERS)
    captures = list(dcgm(Request(job="63532"), context))

    assert [each.command for each in captures] == [
        "dcgmi discovery -l",
        "dcgmi health -f -g 0",
        "dcgmi health -c -g 0",
        "dcgmi stats -v -j 63532",
    ]
    assert {each.outcome for each in captures} == {"ok"}
    assert {each.source for each in captures} == {"dcgm"}


def test_what_was_captured_live_is_read_like_any_bundle(
    context: ProbeContext, program: Program
) -> None:
    program("dcgmi", _ANSWERS)
    list(dcgm(Request(), context))
    items = list(Bundle.open([context.workspace.root]).read(Request()))
    read = [item for item in items if isinstance(item, Reading)]
    counts = [item.values["gpu_count"] for item in read if item.kind == "dcgm"]
    health = [item.values for item in read if item.kind == "dcgm_health"]

    assert counts == [2]
    assert [(each.get("gpu"), each["health"]) for each in health] == [
        (None, "failure"),
        (1, "failure"),
    ]
    assert "DBE" in str(health[1]["detail"])
    assert {item.host for item in read} == {context.host}


def test_a_host_engine_that_is_not_there_is_absent_and_asked_once(
    context: ProbeContext, program: Program
) -> None:
    program("dcgmi", _NO_ENGINE)
    (capture,) = dcgm(Request(), context)

    assert capture.outcome == "absent"
    assert "Unable to connect to host engine" in capture.detail


def test_watches_that_nobody_set_are_told_as_such(context: ProbeContext, program: Program) -> None:
    said = "Error: Health watches not enabled. Please enable watches."
    stand_in = _ANSWERS.replace(
        '"health -c -g 0") cat', f'"health -c -g 0") echo "{said}"; exit 1; cat'
    )
    program("dcgmi", stand_in)
    *_, health = dcgm(Request(), context)

    assert (health.command, health.outcome, health.detail) == (
        "dcgmi health -c -g 0",
        "empty",
        "no health watches are set: nothing was noted, which is not health",
    )


def test_a_job_with_a_name_that_no_scheduler_gives_is_not_asked_for(
    context: ProbeContext, program: Program
) -> None:
    program("dcgmi", _ANSWERS)

    assert len(list(dcgm(Request(job="-a"), context))) == 3


def test_without_the_program_dcgm_is_absent(
    context: ProbeContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (capture,) = dcgm(Request(), context)

    assert (capture.outcome, capture.detail) == ("absent", "dcgmi is not installed here")


def test_the_diagnostic_is_proposed_and_cannot_be_run() -> None:
    assert "dcgmi diag -r 1" in (dcgm.__doc__ or "")
    for level in "1234":
        with pytest.raises(CommandRefusedError):
            Command(("dcgmi", "diag", "-r", level))
