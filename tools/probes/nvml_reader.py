"""Reads NVML and prints one JSON document; run as a subprocess, so that a hung driver is bounded.

A value that a GPU does not support is null: absent is not zero.
"""

import ctypes
import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from tools.probes import nvml_links, nvml_names
from tools.processes import owner_of

Value = str | float | int | bool | None
Json = dict[str, object]


class GpuLost(Exception):  # noqa: N818 (what it says, not that it is an error, matters)
    """A call said that the GPU is off the bus or needs a restart."""


class Device:
    """One GPU: asks for values, and turns what is not supported into None."""

    def __init__(self, nvml: ModuleType, handle: object, proc: Path = Path("/proc")) -> None:
        self.nvml, self.handle, self.proc = nvml, handle, proc

    def ask(self, name: str, *arguments: object) -> object:
        """Call `nvmlDevice<name>`.

        Raises:
            GpuLost: If the GPU does not answer any more.
        """
        nvml = self.nvml
        try:
            answer: object = getattr(nvml, f"nvmlDevice{name}")(self.handle, *arguments)
        except AttributeError:
            return None
        except nvml.NVMLError as error:
            if error.value in {nvml.NVML_ERROR_GPU_IS_LOST, nvml.NVML_ERROR_RESET_REQUIRED}:
                raise GpuLost(str(error)) from None
            return None
        return answer.decode() if isinstance(answer, bytes) else answer

    def number(self, name: str, *arguments: object, per: float = 1) -> float | int | None:
        """Ask for a number and convert its unit."""
        answer = self.ask(name, *arguments)
        if not isinstance(answer, int | float):
            return None
        return answer / per if per != 1 else answer


def read(nvml: ModuleType, watch_s: float, proc: Path) -> Json:
    """Read everything of this host; its name and the time stand in the manifest.

    An agent in a container has a host name of its own, which would be the wrong one here.
    """
    report: Json = {
        "driver_version": _system(nvml, "nvmlSystemGetDriverVersion"),
        "nvml_version": _system(nvml, "nvmlSystemGetNVMLVersion"),
        "cuda_version": _cuda(_system(nvml, "nvmlSystemGetCudaDriverVersion")),
    }
    count = nvml.nvmlDeviceGetCount()
    report["count"] = count
    report["gpus"] = [_gpu(nvml, index, proc) for index in range(count)]
    report["watch_s"] = watch_s
    report["xid_events"] = list(_events(nvml, count, watch_s)) if watch_s else []
    return report


def _system(nvml: ModuleType, name: str) -> Value:
    try:
        answer: Value | bytes = getattr(nvml, name)()
    except nvml.NVMLError:
        return None
    return answer.decode() if isinstance(answer, bytes) else answer


def _cuda(version: Value) -> str | None:
    return f"{version // 1000}.{version % 1000 // 10}" if isinstance(version, int) else None


def _gpu(nvml: ModuleType, index: int, proc: Path) -> Json:
    gpu: Json = {"index": index, "lost": False}
    try:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
    except nvml.NVMLError as error:
        lost = error.value in {nvml.NVML_ERROR_GPU_IS_LOST, nvml.NVML_ERROR_RESET_REQUIRED}
        return {**gpu, "lost": lost, "error": str(error)}
    device = Device(nvml, handle, proc)
    for part in (
        _identity,
        _health,
        _heat_and_power,
        _load,
        nvml_links.pcie,
        nvml_links.nvlink,
        _processes,
    ):
        try:
            gpu.update(part(device))
        except GpuLost as error:
            gpu.update(lost=True, error=str(error))
    return gpu


def _identity(device: Device) -> Json:
    pci = device.ask("GetPciInfo")
    bus = getattr(pci, "busId", None)
    return {
        "uuid": device.ask("GetUUID"),
        "name": device.ask("GetName"),
        "serial": device.ask("GetSerial"),
        "pci_bus_id": bus.decode() if isinstance(bus, bytes) else bus,
        "minor": device.number("GetMinorNumber"),
        "vbios": device.ask("GetVbiosVersion"),
        "inforom": device.ask("GetInforomImageVersion"),
        "persistence": device.number("GetPersistenceMode"),
    }


def _health(device: Device) -> Json:
    nvml = device.nvml
    health: Json = {
        f"ecc_{counter}_{kind}": device.number("GetTotalEccErrors", kind_id, counter_id)
        for counter, counter_id in (
            ("volatile", nvml.NVML_VOLATILE_ECC),
            ("aggregate", nvml.NVML_AGGREGATE_ECC),
        )
        for kind, kind_id in (
            ("correctable", nvml.NVML_MEMORY_ERROR_TYPE_CORRECTED),
            ("uncorrectable", nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED),
        )
    }
    for name, answer in (("ecc", device.ask("GetEccMode")), ("mig", device.ask("GetMigMode"))):
        current, pending = answer if isinstance(answer, list | tuple) else (None, None)
        health.update({f"{name}_mode": current, f"{name}_mode_pending": pending})
    rows = device.ask("GetRemappedRows")
    corrected, uncorrected, pending, failed = rows if isinstance(rows, list | tuple) else [None] * 4
    health.update(
        remapped_correctable=corrected,
        remapped_uncorrectable=uncorrected,
        remap_pending=None if pending is None else bool(pending),
        remap_failure=None if failed is None else bool(failed),
        **_spares(device),
        retired_pages_pending=device.number("GetRetiredPagesPendingStatus"),
        recovery_action=nvml_names.recovery_action(
            nvml, field(device, "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION")
        ),
        mig_devices=list(_mig(device)) if health["mig_mode"] else [],
    )
    return health


def _spares(device: Device) -> Json:
    """Read how many banks have how many spare rows left, and the flag of worn SRAM."""
    banks = device.ask("GetRowRemapperHistogram")
    levels = ("max", "high", "partial", "low", "none")
    found: Json = {f"remap_banks_{level}": getattr(banks, level, None) for level in levels}
    return {**found, "sram_threshold_exceeded": _has_worn_sram(device)}


def _has_worn_sram(device: Device) -> bool | None:
    """Ask for the flag; an older driver or binding does not know it."""
    shape = getattr(device.nvml, "c_nvmlEccSramErrorStatus_v1_t", None)
    if shape is None:
        return None
    status = shape()
    answer = device.ask("GetSramEccErrorStatus", ctypes.byref(status))
    return None if answer is None else bool(status.bThresholdExceeded)


def _mig(device: Device) -> Iterator[Json]:
    for index in range(int(device.number("GetMaxMigDeviceCount") or 0)):
        if handle := device.ask("GetMigDeviceHandleByIndex", index):
            part = Device(device.nvml, handle)
            yield {
                "uuid": part.ask("GetUUID"),
                "gpu_instance": part.number("GetGpuInstanceId"),
                "compute_instance": part.number("GetComputeInstanceId"),
            }


def field(device: Device, name: str) -> int | None:
    """Ask for one of NVML's numbered fields."""
    number = getattr(device.nvml, name, None)
    answer = device.ask("GetFieldValues", [number]) if number is not None else None
    if not isinstance(answer, list | tuple) and not hasattr(answer, "__getitem__"):
        return None
    value = answer[0]
    return int(value.value.ullVal) if value.nvmlReturn == 0 else None


def _heat_and_power(device: Device) -> Json:
    nvml = device.nvml
    reasons = device.number("GetCurrentClocksEventReasons")
    return {
        "temperature_c": device.number("GetTemperature", nvml.NVML_TEMPERATURE_GPU),
        "memory_temperature_c": field(device, "NVML_FI_DEV_MEMORY_TEMP"),
        "slowdown_c": device.number(
            "GetTemperatureThreshold", nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
        ),
        "shutdown_c": device.number(
            "GetTemperatureThreshold", nvml.NVML_TEMPERATURE_THRESHOLD_SHUTDOWN
        ),
        "power_w": device.number("GetPowerUsage", per=1000),
        "power_limit_w": device.number("GetEnforcedPowerLimit", per=1000),
        "sm_clock_mhz": device.number("GetClockInfo", nvml.NVML_CLOCK_SM),
        "sm_clock_max_mhz": device.number("GetMaxClockInfo", nvml.NVML_CLOCK_SM),
        "memory_clock_mhz": device.number("GetClockInfo", nvml.NVML_CLOCK_MEM),
        "clock_event_reasons": reasons,
        "clock_event_names": nvml_names.clock_reasons(reasons),
        "performance_state": device.number("GetPerformanceState"),
    }


def _load(device: Device) -> Json:
    use, memory = device.ask("GetUtilizationRates"), device.ask("GetMemoryInfo")
    return {
        "utilization_percent": getattr(use, "gpu", None),
        "memory_utilization_percent": getattr(use, "memory", None),
        "memory_used_bytes": getattr(memory, "used", None),
        "memory_total_bytes": getattr(memory, "total", None),
    }


def _processes(device: Device) -> Json:
    """List compute processes by their pid on the host, with the control group that owns them."""
    running = device.ask("GetComputeRunningProcesses")
    return {
        "processes": [
            {
                "pid": each.pid,
                "memory_used_bytes": each.usedGpuMemory,
                "name": _process_name(device.nvml, each.pid),
                **owner_of(device.proc, each.pid),
            }
            for each in (running if isinstance(running, list) else [])
        ]
    }


def _process_name(nvml: ModuleType, pid: int) -> str | None:
    try:
        name: str | bytes = nvml.nvmlSystemGetProcessName(pid)
    except nvml.NVMLError:
        return None
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name


def _events(nvml: ModuleType, count: int, watch_s: float) -> Iterator[Json]:
    """Wait for Xid events; those before the watch are in the kernel log only."""
    watched = nvml.nvmlEventSetCreate()
    uuids: Json = {}
    for index in range(count):
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            nvml.nvmlDeviceRegisterEvents(handle, nvml.nvmlEventTypeXidCriticalError, watched)
        except nvml.NVMLError:
            continue
    deadline = time.monotonic() + watch_s
    while (left := deadline - time.monotonic()) > 0:
        try:
            event = nvml.nvmlEventSetWait_v2(watched, int(left * 1000))
        except nvml.NVMLError:
            break
        device = Device(nvml, event.device)
        uuid = uuids.setdefault(str(event.device), _uuid(device))
        yield {
            "at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
            "uuid": uuid,
            "xid": event.eventData,
        }
    nvml.nvmlEventSetFree(watched)


def _uuid(device: Device) -> object:
    try:
        return device.ask("GetUUID")
    except GpuLost:
        return None


def main() -> int:
    """Print the report, or why there is none (exit 1)."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--watch-s", type=float, default=0.0)
    parser.add_argument("--proc", type=Path, default=Path("/proc"))
    arguments = parser.parse_args()
    import pynvml  # noqa: PLC0415 (so that --help needs no driver)

    try:
        pynvml.nvmlInit()
        report = read(pynvml, arguments.watch_s, arguments.proc)
        pynvml.nvmlShutdown()
    except pynvml.NVMLError as error:
        absent = error.value in {
            pynvml.NVML_ERROR_LIBRARY_NOT_FOUND,
            pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
        }
        sys.stderr.write(f"{'not found: ' if absent else ''}NVML: {error}\n")
        return 1
    sys.stdout.write(json.dumps(report) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
