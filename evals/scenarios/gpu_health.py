"""Readings of GPUs that are well."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from evals.model import Body, Command, Gpu, Host, Recording, write_iso

DRIVER = "550.127.08"


def read_gpu(rng: random.Random, gpu: Gpu) -> Body:
    """Return what NVML says of one healthy GPU."""
    return {
        "index": gpu.index,
        "uuid": gpu.uuid,
        "serial": gpu.serial,
        "name": "NVIDIA H100 80GB HBM3",
        "pci_bus_id": f"0000{gpu.bdf}.0".upper(),
        "lost": False,
        "temperature_c": rng.randrange(33, 66),
        "power_w": round(rng.uniform(90, 620), 1),
        "memory_used_bytes": rng.randrange(60, 78) << 30,
        "memory_total_bytes": 80 << 30,
        "ecc_volatile_uncorrectable": 0,
        "ecc_volatile_correctable": 0,
        "ecc_aggregate_uncorrectable": 0,
        "remap_pending": False,
        "remap_failure": False,
        "remap_uncorrectable": 0,
        "remap_correctable": 0,
        "pcie_gen": 5,
        "pcie_width": 16,
        "pcie_replays": 0,
        "clock_event_reasons": 0,
        "recovery_action": "None",
    }


def read_host(rng: random.Random, host: Host, at: float) -> Body:
    """Return what NVML says of a whole host."""
    return {
        "host": host.name,
        "observed_at": write_iso(at),
        "driver_version": DRIVER,
        "gpus": [read_gpu(rng, gpu) for gpu in host.gpus],
    }


def add_readings(
    recording: Recording, rng: random.Random, at: float, *, only: Sequence[str] | None = None
) -> None:
    """Record NVML and nvidia-smi of every host that has GPUs, or of some."""
    for host in recording.hosts.values():
        if not host.gpus or (only is not None and host.name not in only):
            continue
        recording.nvml[host.name] = (at, read_host(rng, host, at))
        recording.commands.append(
            Command(
                host.name, ("nvidia-smi", "-q"), "nvidia-smi-q", at + 3, write_smi(rng, host, at)
            )
        )


def wound(
    recording: Recording, name: str, index: int, *, uncorrectable: int = 0, action: str = ""
) -> None:
    """Change one GPU's readings to those of a fault."""
    _, body = recording.nvml[name]
    gpus = body["gpus"]
    if not isinstance(gpus, list):
        return
    gpus[index] |= {
        "ecc_volatile_uncorrectable": uncorrectable,
        "ecc_aggregate_uncorrectable": uncorrectable,
        "remap_pending": uncorrectable > 0,
        "recovery_action": action or "None",
    }
    gpu = recording.hosts[name].gpus[index]
    for place, command in enumerate(recording.commands):
        if command.host == name and command.name == "nvidia-smi-q":
            head, mark, rest = command.output.partition(f"GPU 0000{gpu.bdf}.0".upper())
            rest = rest.replace(
                "DRAM Uncorrectable            : 0",
                f"DRAM Uncorrectable            : {uncorrectable}",
                1,
            ).replace(
                "Pending                           : No",
                "Pending                           : Yes",
                1,
            )
            recording.commands[place] = replace(command, output=head + mark + rest)


def remap(recording: Recording, name: str, index: int, *, rows: int, failed: bool = False) -> None:
    """Show `rows` memory rows of one GPU as replaced; `failed`: one more could not be."""
    _, body = recording.nvml[name]
    gpus = body["gpus"]
    if not isinstance(gpus, list):
        return
    gpus[index] |= {"remap_uncorrectable": rows, "remap_failure": failed}
    flag = "Yes" if failed else "No"
    edits = {
        "Uncorrectable Error               : 0": f"Uncorrectable Error               : {rows}",
        "Remapping Failure Occurred        : No": f"Remapping Failure Occurred        : {flag}",
    }
    mark = f"GPU 0000{recording.hosts[name].gpus[index].bdf}.0".upper()
    for place, command in enumerate(recording.commands):
        if (command.host, command.name) == (name, "nvidia-smi-q"):
            head, found, rest = command.output.partition(mark)
            for before, after in edits.items():
                rest = rest.replace(before, after, 1)
            recording.commands[place] = replace(command, output=head + found + rest)


def lose(recording: Recording, name: str, index: int) -> None:
    """Make one GPU answer like a lost one, and vanish from nvidia-smi."""
    _, body = recording.nvml[name]
    gpus = body["gpus"]
    gpu = recording.hosts[name].gpus[index]
    if isinstance(gpus, list):
        gpus[index] = {
            "index": index,
            "uuid": gpu.uuid,
            "pci_bus_id": f"0000{gpu.bdf}.0".upper(),
            "lost": True,
            "error": "GPU_IS_LOST",
        }
    recording.commands[:] = [
        command
        for command in recording.commands
        if (command.host, command.name) != (name, "nvidia-smi-q")
    ]


def write_smi(rng: random.Random, host: Host, at: float) -> str:
    """Write the parts of `nvidia-smi -q` that speak of health."""
    now = f"{datetime.fromtimestamp(at, UTC):%a %b %d %H:%M:%S %Y}"
    head = (
        "\n==============NVSMI LOG==============\n\n"
        f"Timestamp                                 : {now}\n"
        f"Driver Version                            : {DRIVER}\n"
        "CUDA Version                              : 12.4\n\n"
        f"Attached GPUs                             : {len(host.gpus)}\n"
    )
    return head + "".join(_smi_gpu(rng, gpu) for gpu in host.gpus)


def _smi_gpu(rng: random.Random, gpu: Gpu) -> str:
    bus = f"0000{gpu.bdf}.0".upper()
    return f"""GPU {bus}
    Product Name                          : NVIDIA H100 80GB HBM3
    Serial Number                         : {gpu.serial}
    GPU UUID                              : {gpu.uuid}
    Minor Number                          : {gpu.index}
    PCI
        Bus Id                            : {bus}
        GPU Link Info
            PCIe Generation
                Max                       : 5
                Current                   : 5
            Link Width
                Max                       : 16x
                Current                   : 16x
        Replays Since Reset               : 0
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            SRAM Uncorrectable Parity     : 0
            SRAM Uncorrectable SEC-DED    : 0
            DRAM Correctable              : 0
            DRAM Uncorrectable            : 0
    Remapped Rows
        Correctable Error                 : 0
        Uncorrectable Error               : 0
        Pending                           : No
        Remapping Failure Occurred        : No
    Temperature
        GPU Current Temp                  : {rng.randrange(33, 66)} C
        GPU T.Limit Temp                  : 31 C
    GPU Power Readings
        Power Draw                        : {rng.uniform(90, 620):.2f} W
"""
