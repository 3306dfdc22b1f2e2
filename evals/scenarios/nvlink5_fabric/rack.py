"""A GB200 rack: compute trays of four GPUs, switch chips with a link to each GPU, their logs."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from evals import fleet
from evals.model import Body, Gpu, Host, Recording, TextFile

TRAYS = 18
CHIPS = 18
GPU_ADDRESSES = ("0008:01:00", "0009:01:00", "0018:01:00", "0019:01:00")
MODEL, DRIVER = "NVIDIA GB200", "580.95.05"
PORTS = TRAYS * len(GPU_ADDRESSES)


def draw_trays(
    rng: random.Random, name: str, count: int, *, subnet: str, booted: float
) -> list[Host]:
    """Draw the compute trays of one rack."""
    names = [f"{name}-c{index:02d}" for index in range(1, count + 1)]
    hosts = fleet.draw_hosts(rng, names, subnet=subnet, booted=booted, gpu_count=4)
    return [replace(host, gpus=tuple(map(_placed, host.gpus, GPU_ADDRESSES))) for host in hosts]


def _placed(gpu: Gpu, address: str) -> Gpu:
    return replace(gpu, bdf=address)


@dataclass(frozen=True, slots=True)
class Chip:
    """One switch chip; two share a tray. Its port `n` leads to GPU `n - 1` of the rack."""

    guid: str
    rack: str
    number: int

    @property
    def tray(self) -> str:
        """Name the switch tray that carries it."""
        return f"{self.rack}-switch{self.number // 2 + 1:02d}"

    @property
    def name(self) -> str:
        """Name it as the subnet manager does."""
        return f"{self.tray}:N5110_LD/U{self.number % 2 + 1}"


def draw_chips(rng: random.Random, rack: str) -> list[Chip]:
    """Draw the switch chips of a rack."""
    return [Chip(f"0xb0cf0e0300{rng.getrandbits(24):06x}", rack, n) for n in range(CHIPS)]


def draw_slots(rng: random.Random) -> list[list[int]]:
    """Draw which link of a GPU leads to which chip: alike for one slot of every tray."""
    return [rng.sample(range(CHIPS), CHIPS) for _ in GPU_ADDRESSES]


@dataclass(frozen=True, slots=True)
class Change:
    """A port of a chip changes its state."""

    at: float
    chip: Chip
    port: int
    states: tuple[str, str] = ("ACTIVE", "DOWN")


def write_subnet_log(changes: Iterable[Change], span: tuple[float, float], taken: float) -> str:
    """Write the subnet manager's log: sweeps, and each change of a port."""
    lines = [(change.at, _write_change(change)) for change in changes]
    at = span[0] + 7
    while at < min(span[1], taken):
        lines.append((at, "osm_ucast_mgr_process: minhop tables configured on all switches"))
        at += 300
    return "".join(
        f"{datetime.fromtimestamp(at, UTC):%b %d %H:%M:%S %f} [85BA8640] 0x02 -> {text}\n"
        for at, text in sorted(lines)
    )


def _write_change(change: Change) -> str:
    place = change.port - 1
    label = f"sw{place // 4 + 1}p{place // 2 % 2 + 1}s{place % 2 + 1}"
    before, after = change.states
    return (
        f"osm_spst_rcv_process: Switch {change.chip.guid} MF0;{change.chip.name} "
        f"port {change.port} ({label}) changed state from {before} to {after}"
    )


@dataclass(frozen=True, slots=True)
class GpuError:
    """What a GPU told the fabric manager."""

    at: float
    tray: int
    slot: int
    guid: str
    link: int


def write_manager_log(changes: Iterable[Change], errors: Iterable[GpuError]) -> str:
    """Write the fabric manager's log of the rack: port events, and errors that GPUs reported."""
    lines = [
        (
            change.at + 0.4,
            (
                f"[INFO] [tid 259] fabric manager received port down event on switch with GUID "
                f"{change.chip.guid}, port GUID {change.chip.guid}, and port num {change.port}"
            ),
        )
        for change in changes
        if change.states[1] == "DOWN"
    ]
    lines += [(error.at + 0.9, _write_error(error)) for error in errors]
    return "".join(
        f"[{datetime.fromtimestamp(at, UTC):%b %d %Y %H:%M:%S}] {text}\n"
        for at, text in sorted(lines)
    )


def _write_error(error: GpuError) -> str:
    return (
        "[ERROR] [tid 202] Fabric Manager detected GPU NVL Fatal error on :\n"
        f"moduleId : {error.slot + 1}\nnodeId : {error.tray}\npartitionId : 32766\n"
        f"gpuGuid : {error.guid}\nportNum : {error.link}\nportStatus : 1\nerrorCode : 0x06\n"
        "errorSubcode : 0x21\nportDownReasonCode : 0x0A\nisErrorFirst : 1\n"
        "errorStatus : 0x00000000"
    )


def add_log(recording: Recording, controller: str, name: str, text: str) -> None:
    """Add a log of the switch tray that runs the rack's control."""
    recording.files.append(
        TextFile(
            path=f"network/{controller}/{name}.log",
            text=text,
            source="network",
            target=controller,
            command=f"{name} log export",
            taken=recording.taken,
        )
    )


def rename_model(recording: Recording, items: Iterable[Body]) -> None:
    """Let readings, samples and node labels speak of this rack's GPUs, not of the usual ones."""
    for _, body in recording.nvml.values():
        body["driver_version"] = DRIVER
        gpus = body["gpus"]
        for gpu in gpus if isinstance(gpus, list) else ():
            gpu["name"] = MODEL
    recording.commands[:] = [
        replace(
            command,
            output=command.output.replace("NVIDIA H100 80GB HBM3", MODEL).replace(
                "550.127.08", DRIVER
            ),
        )
        for command in recording.commands
    ]
    recording.metrics[:] = [
        replace(metric, labels={**metric.labels, "modelName": MODEL})
        if "modelName" in metric.labels
        else metric
        for metric in recording.metrics
    ]
    for item in items:
        meta = item["metadata"]
        if item["kind"] == "Node" and isinstance(meta, dict):
            meta["labels"] |= {"nvidia.com/gpu.product": "NVIDIA-GB200"}
