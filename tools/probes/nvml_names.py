"""Words for NVML's numbers."""

from types import ModuleType

_REASONS = (
    (0x1, "idle"),
    (0x2, "application clocks"),
    (0x4, "software power cap"),
    (0x8, "hardware slowdown"),
    (0x10, "sync boost"),
    (0x20, "software thermal slowdown"),
    (0x40, "hardware thermal slowdown"),
    (0x80, "hardware power brake"),
    (0x100, "display clocks"),
)
_PREFIX = "NVML_GPU_RECOVERY_ACTION_"


def clock_reasons(bits: float | None) -> str | None:
    """Name the reasons why clocks are not at their highest."""
    if bits is None:
        return None
    return ", ".join(name for bit, name in _REASONS if int(bits) & bit)


def recovery_action(nvml: ModuleType, number: int | None) -> str | None:
    """Name what the driver says must be done to recover the GPU."""
    if number is None:
        return None
    names = {value: name for name, value in vars(nvml).items() if name.startswith(_PREFIX)}
    return names.get(number, f"{_PREFIX}{number}").removeprefix(_PREFIX).replace("_", " ").lower()
