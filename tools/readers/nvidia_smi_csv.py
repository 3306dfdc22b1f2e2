"""`nvidia-smi --query-gpu=… --format=csv`: a row per GPU, with units or without, once or in a loop.

Without its header nothing says what a row's numbers are.
"""

from collections.abc import Iterator, Mapping, Sequence

from tools.command_text import CommandReader, Printed, Typed
from tools.gpu_values import LOST, Value, canonical
from tools.late_patterns import compile_late
from tools.readers.nvidia_smi import typed

FIELDS: Mapping[str, str] = {
    name: value
    for value, names in {
        "index": "index",
        "name": "name gpu_name",
        "uuid": "uuid gpu_uuid",
        "serial": "serial gpu_serial",
        "bdf": "pci.bus_id gpu_bus_id",
        "driver": "driver_version",
        "pstate": "pstate",
        "persistence": "persistence_mode",
        "mig_mode": "mig.mode.current",
        "power_w": "power.draw power.draw.instant power.draw.average",
        "power_limit_w": "power.limit enforced.power.limit",
        "temperature_c": "temperature.gpu",
        "temperature_memory_c": "temperature.memory",
        "temperature_margin_c": "temperature.gpu.tlimit",
        "sm_clock_mhz": "clocks.sm clocks.current.sm",
        "utilization_percent": "utilization.gpu",
        "memory_used_mib": "memory.used",
        "memory_total_mib": "memory.total",
        "ecc_mode": "ecc.mode.current",
        "ecc_volatile_uncorrectable": "ecc.errors.uncorrected.volatile.total",
        "ecc_volatile_correctable": "ecc.errors.corrected.volatile.total",
        "ecc_aggregate_uncorrectable": "ecc.errors.uncorrected.aggregate.total",
        "ecc_aggregate_correctable": "ecc.errors.corrected.aggregate.total",
        "remapped_uncorrectable": "remapped_rows.uncorrectable",
        "remapped_correctable": "remapped_rows.correctable",
        "remap_pending": "remapped_rows.pending",
        "remap_failure": "remapped_rows.failure",
        "remap_banks_max": "remapped_rows.histogram.max",
        "remap_banks_high": "remapped_rows.histogram.high",
        "remap_banks_partial": "remapped_rows.histogram.partial",
        "remap_banks_low": "remapped_rows.histogram.low",
        "remap_banks_none": "remapped_rows.histogram.none",
        "sram_threshold_exceeded": "ecc.errors.uncorrected.aggregate.sram.thresholdExceeded",
        "pcie_generation": "pcie.link.gen.current pcie.link.gen.gpucurrent",
        "pcie_generation_max": "pcie.link.gen.max",
        "pcie_width": "pcie.link.width.current",
        "pcie_width_max": "pcie.link.width.max",
        "recovery_action": "gpu_recovery_action",
        "fabric_state": "fabric.state",
        "fabric_status": "fabric.status",
    }.items()
    for name in names.split()
}
"""What can be queried (`nvidia-smi --help-query-gpu`), by the handbook's names."""
REASONS: Mapping[int, str] = {
    0x1: "idle", 0x2: "applications clocks setting", 0x4: "sw power cap", 0x8: "hw slowdown",
    0x10: "sync boost", 0x20: "sw thermal slowdown", 0x40: "hw thermal slowdown",
    0x80: "hw power brake slowdown", 0x100: "display clocks setting",
}  # fmt: skip
"""Bits of the mask, called as `nvidia-smi -q` calls them."""
_REASON = compile_late(r"clocks_(?:event|throttle)_reasons\.(\w+)")
_CELL = compile_late(r"([a-z][\w.]*)(?: \[[^\]]+\])?")
_MASK = compile_late(r"0x[0-9a-fA-F]+")
_FLAGS = ("remap_pending", "remap_failure", "sram_threshold_exceeded")
_FIRST_LINES = 5
_FEW = 2


def header_of(line: str) -> list[str]:
    """Return the columns of a header; none where the line is no such header."""
    cells = [_CELL.fullmatch(cell) for cell in line.strip().split(", ")]
    names = [cell.group(1) for cell in cells if cell]
    known = [name for name in names if name in FIELDS or _REASON.fullmatch(name)]
    if len(names) < len(cells) or len(known) < _FEW or "pid" in names:
        return []
    dotted = any("." in name or name in {"pstate", "uuid", "gpu_uuid"} for name in known)
    return names if dotted else []


def recognise(head: bytes) -> float:
    """Look for the header in the first lines."""
    lines = [line for line in head[:16384].decode("utf-8", "replace").splitlines() if line.strip()]
    return 0.96 if any(header_of(line) for line in lines[:_FIRST_LINES]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each row by the header above it."""
    columns: Sequence[str] = ()
    for number, line in enumerate(printed.text.splitlines(), 1):
        if found := header_of(line):
            columns = found
            continue
        cells = line.strip().split(", ")
        if columns and len(cells) == len(columns):
            row = dict(zip(columns, cells, strict=True))
            told = canonical(values_of(row), host=printed.host)
            observed = printed.dating.iso(row.get("timestamp", ""), printed.host)
            yield Typed("gpu", told, number, dict.fromkeys(told, (number, line.strip())), observed)


def values_of(row: Mapping[str, str]) -> dict[str, Value]:
    """Type a row; a value that could not be read is absent, and why it could not may be a loss."""
    values: dict[str, Value] = {}
    for name, text in row.items():
        if name in FIELDS:
            values[FIELDS[name]] = _value(FIELDS[name], text.strip())
    if any(_REASON.fullmatch(name) for name in row):
        values["active_clock_reasons"] = ", ".join(_reasons(row))
    values["lost"] = any(LOST.search(text) for text in row.values())
    return values


def _value(name: str, text: str) -> Value:
    value = typed(text, name)
    if name in _FLAGS and isinstance(value, int):
        return bool(value)
    return None if isinstance(value, str) and text[:1] == "[" else value


def _reasons(row: Mapping[str, str]) -> Iterator[str]:
    for name, text in row.items():
        match = _REASON.fullmatch(name)
        if match and _MASK.fullmatch(text):
            mask = int(text, 16)
            yield from (reason for bit, reason in REASONS.items() if mask & bit)
        elif match and text == "Active":
            yield match.group(1).replace("_", " ")


READER = CommandReader("nvidia-smi-csv", recognise, parse, source="nvml")
