"""One vocabulary for what is read of a GPU, whoever read it."""

from collections.abc import Mapping

from tools.late_patterns import compile_late

Value = str | float | int | bool | None

NAMES: Mapping[str, str] = {
    alias: name
    for name, aliases in {
        "uuid": "gpu_uuid",
        "bdf": "pci_bus_id bus_id pci busid pci_address",
        "temperature_c": "temperature gpu_temp temp_c temp",
        "temperature_memory_c": "memory_temperature_c memory_temp",
        "power_w": "power power_draw_w",
        "ecc_volatile_uncorrectable": (
            "ecc_uncorrected_volatile ecc_volatile_uncorrected ecc_uncorrectable_volatile"
            " volatile_uncorrectable"
        ),
        "ecc_volatile_correctable": (
            "ecc_corrected_volatile ecc_volatile_corrected ecc_correctable_volatile"
        ),
        "ecc_aggregate_uncorrectable": (
            "ecc_uncorrected_aggregate ecc_aggregate_uncorrected ecc_uncorrectable_aggregate"
        ),
        "ecc_aggregate_correctable": (
            "ecc_corrected_aggregate ecc_aggregate_corrected ecc_correctable_aggregate"
        ),
        "remap_pending": "row_remap_pending remapped_rows_pending remapped_pending",
        "remap_failure": "row_remap_failure remapped_rows_failure remapped_failure",
        "remapped_uncorrectable": "remapped_rows_uncorrectable",
        "remapped_correctable": "remapped_rows_correctable",
        "pcie_width": "pcie_link_width pcie_width_current pcie_link_width_current",
        "pcie_width_max": "pcie_link_width_max",
        "pcie_generation": "pcie_link_generation pcie_gen pcie_generation_current",
        "pcie_generation_max": "pcie_link_generation_max pcie_gen_max",
        "pcie_replays": "pcie_replay_counter",
        "clock_reasons": "clock_event_reasons clocks_event_reasons throttle_reasons",
        "recovery_action": "gpu_recovery_action",
    }.items()
    for alias in aliases.split()
}
"""Other spellings of a value's name."""

LOST = compile_late(
    r"(?i)gpu is lost|gpu_is_lost|unknown error|fallen off|no longer (?:there|exists)"
)
_BUS = compile_late(r"(?:0000)?([0-9a-fA-F]{4}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(\.\d)?")


def canonical(values: Mapping[str, Value], *, host: str, driver: str = "") -> dict[str, Value]:
    """Rename, write the bus address as the kernel does, and say whether the GPU still answers."""
    named = {NAMES.get(key, key): value for key, value in values.items()}
    bus = named.get("bdf")
    if isinstance(bus, str):
        named["bdf"] = short_bus(bus)
    broken = any(isinstance(value, str) and LOST.search(value) for value in named.values())
    named.setdefault("lost", broken)
    power, limit = named.get("power_w"), named.get("power_limit_w")
    if isinstance(power, int | float) and isinstance(limit, int | float) and limit:
        named["power_share"] = round(power / limit, 3)
    named["host"] = host
    if driver:
        named.setdefault("driver", driver)
    return named


def short_bus(text: str) -> str:
    """Write ``00000000:9B:00.0`` as ``0000:9b:00.0``."""
    match = _BUS.fullmatch(text.strip())
    if match is None:
        return text
    domain, bus, device, function = match.groups()
    return f"{domain}:{bus}:{device}{function or ''}".lower()
