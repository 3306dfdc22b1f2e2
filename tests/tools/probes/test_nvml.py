"""NVML through the real pynvml and a stand-in for the driver's library."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict, cast

import pytest

from tools.capture import Capture
from tools.context import ProbeContext
from tools.probes.nvml import nvml
from tools.request import Request

Gpus = Callable[[str], None]


class Report(TypedDict):
    driver_version: str
    cuda_version: str
    count: int
    gpus: list[dict[str, object]]
    xid_events: list[dict[str, object]]


def look(context: ProbeContext, watch_s: float = 0.0) -> tuple[Capture, Report]:
    context.watch_s = watch_s
    (capture,) = nvml(Request(), context)
    content = (context.workspace.root / capture.path).read_text() if capture.path else "{}"
    return capture, cast("Report", json.loads(content))


def test_healthy_gpus_read_as_such(gpus: Gpus, context: ProbeContext) -> None:
    gpus("")
    capture, report = look(context)
    gpu = report["gpus"][2]

    assert (capture.outcome, capture.source, capture.path) == ("ok", "nvml", "nvml/n7.json")
    assert (report["driver_version"], report["cuda_version"], report["count"]) == (
        "550.127.08",
        "12.4",
        8,
    )
    assert gpu["uuid"] == "GPU-00000002-1111-2222-3333-444444444444"
    assert gpu["pci_bus_id"] == "00000000:1D:00.0"
    assert (gpu["lost"], gpu["ecc_volatile_uncorrectable"], gpu["remap_failure"]) == (
        False,
        0,
        False,
    )
    assert (gpu["power_w"], gpu["temperature_c"], gpu["pcie_width"]) == (612.345, 44, 16)
    assert gpu["processes"] == [
        {"pid": 4242, "memory_used_bytes": 1 << 30, "name": "/usr/bin/python3"}
    ]
    assert len(cast("list[object]", gpu["nvlinks"])) == 2


def test_a_lost_gpu_is_said_to_be_lost_and_the_others_are_read(
    gpus: Gpus, context: ProbeContext
) -> None:
    gpus("gpu.5.lost=15\n")
    _, report = look(context)

    assert [gpu["lost"] for gpu in report["gpus"]] == [False] * 5 + [True] + [False] * 2
    assert report["gpus"][5]["error"] == "GPU is lost"


def test_faults_are_read(gpus: Gpus, context: ProbeContext) -> None:
    gpus(
        "gpu.2.ecc.1.0=3\ngpu.2.remapped=0,2,1,1\ngpu.3.clock_reasons=0x48\ngpu.3.pcie_width=8\ngpu.4.nvlink.1=0\ngpu.4.field.274=1\n"
    )
    _, report = look(context)
    two, three, four = report["gpus"][2:5]

    assert (two["ecc_volatile_uncorrectable"], two["remap_pending"], two["remap_failure"]) == (
        3,
        True,
        True,
    )
    assert three["clock_event_names"] == "hardware slowdown, hardware thermal slowdown"
    assert three["pcie_width"] == 8
    assert four["nvlinks_down"] == 1


def test_spare_rows_and_worn_sram_are_read(gpus: Gpus, context: ProbeContext) -> None:
    """An older driver has no such function, which is neither sound nor worn."""
    gpus("gpu.2.banks=637,1,0,1,1\ngpu.2.sram_exceeded=1\ngpu.3.sram_exceeded=0\n")
    _, report = look(context)
    worn, sound, unknown = report["gpus"][2:5]

    levels = ("max", "high", "partial", "low", "none")
    assert [worn[f"remap_banks_{level}"] for level in levels] == [637, 1, 0, 1, 1]
    assert (worn["sram_threshold_exceeded"], sound["sram_threshold_exceeded"]) == (True, False)
    assert (unknown["sram_threshold_exceeded"], unknown["remap_banks_low"]) == (None, None)


def test_what_a_gpu_does_not_support_is_null_and_not_zero(
    gpus: Gpus, context: ProbeContext
) -> None:
    gpus("gpu.1.ecc.1.0=!3\ngpu.1.remapped=!3\ngpu.1.ecc_mode=!3\n")
    _, report = look(context)
    gpu = report["gpus"][1]

    assert (gpu["ecc_volatile_uncorrectable"], gpu["remap_pending"], gpu["ecc_mode"]) == (
        None,
        None,
        None,
    )


def test_xid_events_are_seen_while_watching(gpus: Gpus, context: ProbeContext) -> None:
    gpus("event=50:2:79\nevent=80:3:63\n")
    _, report = look(context, 0.4)

    assert [event["xid"] for event in report["xid_events"]] == [79, 63]
    assert report["xid_events"][0]["uuid"] == "GPU-00000002-1111-2222-3333-444444444444"


def test_a_hung_driver_is_given_up(
    gpus: Gpus, context: ProbeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus("gpu.3.hang_ms=3600000\n")
    monkeypatch.setattr("tools.probes.nvml._LIMIT_S", 0.8)
    capture, _ = look(context)

    assert capture.outcome == "hung"


@pytest.mark.parametrize(("setting", "outcome"), [("init=9\n", "absent"), ("init=18\n", "failed")])
def test_why_there_is_no_reading_is_said(
    gpus: Gpus, context: ProbeContext, setting: str, outcome: str
) -> None:
    gpus(setting)
    capture, _ = look(context)

    assert capture.outcome == outcome
    assert "NVML" in capture.detail


def test_a_machine_without_a_driver_has_no_gpus_to_read(
    context: ProbeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    if Path("/proc/driver/nvidia").exists():
        pytest.skip("this machine has a driver")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    capture, _ = look(context)

    assert capture.outcome == "absent"
