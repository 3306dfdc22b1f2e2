"""A recorded reading as the configuration of a stand-in for NVML's library."""

from collections.abc import Iterator
from typing import cast

from evals.model import Body

LOST = 15
"""NVML_ERROR_GPU_IS_LOST."""
_VALUES = {
    "uuid": "uuid",
    "name": "name",
    "serial": "serial",
    "pci_bus_id": "pci",
    "temperature_c": "temp.0",
    "memory_used_bytes": "memory_used",
    "memory_total_bytes": "memory_total",
    "ecc_volatile_correctable": "ecc.0.0",
    "ecc_volatile_uncorrectable": "ecc.1.0",
    "ecc_aggregate_uncorrectable": "ecc.1.1",
    "pcie_gen": "pcie_gen",
    "pcie_width": "pcie_width",
    "pcie_replays": "pcie_replay",
    "clock_event_reasons": "clock_reasons",
}
"""Recorded field → key of the stand-in."""
_ROWS = ("remap_correctable", "remap_uncorrectable", "remap_pending", "remap_failure")


def configure(reading: Body) -> str:
    """Write what the stand-in reads, so that the real binding says what was recorded."""
    gpus = cast("list[Body]", reading["gpus"])
    head = [f"driver={reading['driver_version']}", "nvml=12.550.127.08", "cuda=12040"]
    lines = [line for gpu in gpus for line in _gpu(gpu)]
    return "\n".join([*head, f"count={len(gpus)}", *lines, ""])


def _gpu(gpu: Body) -> Iterator[str]:
    index = gpu["index"]
    for name, key in _VALUES.items():
        if name in gpu:
            yield f"gpu.{index}.{key}={gpu[name]}"
    if "power_w" in gpu:
        yield f"gpu.{index}.power_mw={round(float(str(gpu['power_w'])) * 1000)}"
    if all(name in gpu for name in _ROWS):
        rows = ",".join(str(int(cast("int", gpu[name]))) for name in _ROWS)
        yield f"gpu.{index}.remapped={rows}"
    if gpu.get("lost"):
        yield f"gpu.{index}.lost={LOST}"
