"""Puts a node beside a peer: driver, firmware, kernel, mounts and settings, from captures."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tools.bundle import Bundle
from tools.environments import ALLOWED, EnvironmentFinder
from tools.evidence import Evidence, Item, ObjectState, Reading, Record, Span
from tools.late_patterns import compile_late
from tools.request import Request

Aspect = str
"""A group of rows; `ORDER` has them all."""

ORDER: tuple[Aspect, ...] = (
    "driver", "firmware", "kernel", "gpu", "link", "mount", "kubernetes", "setting",
)  # fmt: skip


class Row(BaseModel):
    """One thing, on both sides; empty where it was not seen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    aspect: Aspect
    name: str
    node: str
    peer: str

    @property
    def differs(self) -> bool:
        """Tell whether both sides were seen and are not the same."""
        return bool(self.node) and bool(self.peer) and self.node != self.peer


class Comparison(BaseModel):
    """A node beside its peer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    node: str
    peer: str
    rows: tuple[Row, ...] = ()
    unseen: tuple[str, ...] = ()
    """The hosts of which nothing was found: their sameness is unknown, not given."""
    absent: tuple[str, ...] = ()
    """Those of them that the evidence does not even name."""
    others: tuple[str, ...] = ()
    """Further hosts that the captures speak of."""

    @property
    def differences(self) -> tuple[Row, ...]:
        """The rows that differ."""
        return tuple(row for row in self.rows if row.differs)


_SPOKEN: Sequence[tuple[Aspect, str, re.Pattern[str]]] = (
    ("kernel", "release", compile_late(r"^Linux \S+ (\S+)")),
    ("kernel", "system", compile_late(r'^PRETTY_NAME="?([^"]+)')),
    ("kernel", "command line", compile_late(r"^(BOOT_IMAGE=.*)")),
    ("driver", "kernel module", compile_late(r"NVRM version: .*?(\d+\.\d+(?:\.\d+)?)")),
    ("firmware", "network adapter", compile_late(r"^\s*Firmware version: (\S+)")),
)
"""What commands print as plain lines."""
_BOOTED: Sequence[tuple[Aspect, str, re.Pattern[str]]] = (
    ("kernel", "release", compile_late(r"^Linux version (\S+)")),
    ("kernel", "command line", compile_late(r"^(?:Kernel c|C)ommand line: (.*)")),
    (
        "driver",
        "kernel module",
        compile_late(r"^NVRM: loading NVIDIA UNIX .*?(\d+\.\d+(?:\.\d+)?)"),
    ),
)
"""What a kernel's log tells of the boot."""
_CHANNELS = {"command": _SPOKEN, "text": _SPOKEN, "kernel": _BOOTED}
NONE = "none"
"""Stands where a node that was seen whole lacks what the other has."""

REQUEST = Request(
    literals=(
        "Linux ",
        "PRETTY_NAME=",
        "BOOT_IMAGE=",
        "NVRM version:",
        "Firmware version:",
        "NVRM: loading NVIDIA UNIX",
        "ommand line: ",
    )
)
"""What is asked of a bundle to compare hosts."""

_HOST_VALUES: Mapping[str, tuple[Aspect, str]] = {
    "driver": ("driver", "GPU driver"),
    "cuda_version": ("driver", "CUDA"),
    "nvml_version": ("driver", "NVML"),
    "gpu_count": ("gpu", "number of GPUs"),
}
_GPU_VALUES: Mapping[str, tuple[Aspect, str]] = {
    "name": ("gpu", "model"),
    "vbios": ("firmware", "VBIOS"),
    "inforom": ("firmware", "InfoROM"),
    "lost": ("gpu", "lost"),
    "ecc_mode": ("gpu", "ECC mode"),
    "mig_mode": ("gpu", "MIG mode"),
    "persistence": ("gpu", "persistence mode"),
    "power_limit_w": ("gpu", "power limit W"),
    "sm_clock_max_mhz": ("gpu", "highest SM clock MHz"),
    "memory_total_bytes": ("gpu", "memory bytes"),
    "pcie_generation": ("link", "PCIe generation"),
    "pcie_width": ("link", "PCIe width"),
    "nvlinks_down": ("link", "NVLinks down"),
}
_NIC_VALUES = ("state", "physical_state", "rate_gbps", "link_layer")
_NODE_INFO = {
    "kernelVersion": ("kernel", "release"),
    "osImage": ("kernel", "system"),
    "kubeletVersion": ("kubernetes", "kubelet"),
    "containerRuntimeVersion": ("kubernetes", "container runtime"),
}
_OF_OBJECTS = ("taint ", "label ", "allocatable ")
_OF_HOSTS = frozenset({"host", "nvml", "journal"})
_LABELS = compile_late(
    r"^(?:nvidia\.com/|node\.kubernetes\.io/instance-type|topology\.kubernetes\.io/)"
)
Facts = dict[tuple[Aspect, str], Counter[str]]


def compare(node: str, peer: str, items: Iterable[Evidence | Item]) -> Comparison:
    """Compare two hosts over whatever was read of them."""
    facts: dict[str, Facts] = {node: defaultdict(Counter), peer: defaultdict(Counter)}
    census = Census()
    for host, aspect, name, value in _attributed(census.count(items), (node, peer)):
        if host in facts and value:
            facts[host][aspect, name][value] += 1
        elif host and value:
            census.named.add(host)
    for one, other in ((node, peer), (peer, node)):
        if one in census.whole:
            _fill_absent(facts[one], facts[other])
    keys = sorted({*facts[node], *facts[peer]}, key=lambda key: (ORDER.index(key[0]), key[1]))
    return Comparison(
        node=node,
        peer=peer,
        rows=tuple(
            Row(
                aspect=aspect,
                name=name,
                node=_told(facts[node], aspect, name),
                peer=_told(facts[peer], aspect, name),
            )
            for aspect, name in keys
        ),
        unseen=tuple(host for host in (node, peer) if not facts[host]),
        absent=tuple(h for h in (node, peer) if not facts[h] and h not in census.named),
        others=tuple(sorted(census.named - {node, peer})),
    )


@dataclass
class Census:
    """Which hosts evidence names, and which nodes of Kubernetes it shows whole."""

    named: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)

    def count(self, items: Iterable[Evidence | Item]) -> Iterator[Evidence | Item]:
        """Yield what comes, noting of whom it speaks."""
        for item in items:
            match item:
                case Evidence() if item.source in _OF_HOSTS:
                    self.named.add(item.target)
                case Record() | Reading() | Span():
                    self.named.add(item.host)
                case ObjectState(kind="Node"):
                    self.named.add(item.name)
                    if "spec" in item.content and _map(item.content.get("status")).get(
                        "allocatable"
                    ):
                        self.whole.add(item.name)
                case _:
                    pass
            self.named.discard("")
            yield item


def _fill_absent(own: Facts, other: Facts) -> None:
    """Say of a node that was seen whole what it lacks of what the other's object holds."""
    for aspect, name in other:
        if name.startswith(_OF_OBJECTS) and (aspect, name) not in own:
            own[aspect, name][NONE] += 1


def _attributed(items: Iterable[Evidence | Item], hosts: Sequence[str]) -> Iterator["Statement"]:
    """Yield what is said, that without a host for the one whose name its file or folder bears."""
    nameless: dict[str, list[Statement]] = defaultdict(list)
    named_by: dict[str, str] = {}
    for item in items:
        if isinstance(item, Evidence):
            named_by[item.id] = _named_by(item.path or item.command, hosts)
            continue
        for statement in _statements(item):
            if statement[0]:
                yield statement
            else:
                nameless[item.evidence].append(statement)
    for evidence, statements in nameless.items():
        host = named_by.get(evidence, "")
        yield from ((host, aspect, name, value) for _, aspect, name, value in statements)


def _named_by(path: str, hosts: Sequence[str]) -> str:
    """Return the host that a folder, or the file but for its ending, is called after."""
    parts = path.replace("!", "/").split("/")
    names = {*parts, parts[-1].partition(".")[0]}
    found = [host for host in hosts if host in names]
    return found[0] if len(found) == 1 else ""


def compare_paths(node: str, peer: str, paths: Sequence[Path]) -> Comparison:
    """Compare two hosts over bundles, folders and files."""
    return compare(node, peer, Bundle.open(paths).read(REQUEST))


Statement = tuple[str, Aspect, str, str]
"""Host, aspect, name, value."""


def _statements(item: Evidence | Item) -> Iterator[Statement]:
    if isinstance(item, Reading):
        yield from _of_reading(item)
    elif isinstance(item, ObjectState):
        yield from _of_object(item)
    elif isinstance(item, Record):
        for aspect, name, pattern in _CHANNELS.get(item.channel, ()):
            if found := pattern.search(item.text):
                yield item.host, aspect, name, found[1].strip()


def _of_reading(reading: Reading) -> Iterator[Statement]:
    host, values = reading.host, reading.values
    if reading.kind == "mount" and values.get("server"):
        where = f"{values.get('path')}"
        yield (
            host,
            "mount",
            where,
            f"{values.get('source')} {values.get('fstype')} {_sorted(values.get('options'))}",
        )
    elif reading.kind == "nic":
        nic = f"{values.get('nic')}/{values.get('port')}"
        yield (
            host,
            "link",
            nic,
            " ".join(str(values[name]) for name in _NIC_VALUES if values.get(name)),
        )
    names = {"gpu_host": _HOST_VALUES, "gpu": _GPU_VALUES}.get(reading.kind, {})
    for key, (aspect, name) in names.items():
        if values.get(key) is not None:
            yield host, aspect, name, str(values[key])


def _sorted(options: object) -> str:
    """Order mount options, without the client's own address, which always differs."""
    parts = sorted(
        part for part in str(options or "").split(",") if not part.startswith("clientaddr=")
    )
    return ",".join(parts)


def _of_object(state: ObjectState) -> Iterator[Statement]:
    if state.kind == "Node":
        yield from _of_node(state)
    elif state.kind == "Pod":
        yield from _of_pod(state)


def _of_node(state: ObjectState) -> Iterator[Statement]:
    host, status = state.name, _map(state.content.get("status"))
    info = _map(status.get("nodeInfo"))
    for key, (aspect, name) in _NODE_INFO.items():
        yield host, aspect, name, str(info.get(key, ""))
    for resource, amount in _map(status.get("allocatable")).items():
        if "/" in resource:
            yield host, "kubernetes", f"allocatable {resource}", str(amount)
    for label, value in _map(_map(state.content.get("metadata")).get("labels")).items():
        if _LABELS.match(label):
            yield host, "kubernetes", f"label {label}", str(value)
    for condition in _list(status.get("conditions")):
        told = _map(condition)
        yield host, "kubernetes", f"condition {told.get('type')}", str(told.get("status", ""))
    for taint in _list(_map(state.content.get("spec")).get("taints")):
        yield (
            host,
            "kubernetes",
            f"taint {_map(taint).get('key')}",
            str(_map(taint).get("effect", "")),
        )


def _of_pod(state: ObjectState) -> Iterator[Statement]:
    spec = _map(state.content.get("spec"))
    host = str(spec.get("nodeName", ""))
    allowed = EnvironmentFinder(ALLOWED)
    for container in _list(spec.get("containers")):
        for variable in _list(_map(container).get("env")):
            name, value = str(_map(variable).get("name", "")), _map(variable).get("value")
            if value is not None and _is_setting(name) and allowed.may_show(name.encode()):
                yield host, "setting", name, str(value)


def _is_setting(name: str) -> bool:
    """Tell settings from what must differ between ranks."""
    return name.startswith(("NCCL_", "TORCH_NCCL_", "UCX_", "CUDA_", "GLOO_", "FI_"))


def _map(value: object) -> Mapping[str, object]:
    return {str(key): each for key, each in value.items()} if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()


def _told(facts: Facts, aspect: Aspect, name: str) -> str:
    """Write the values seen; how many of each where they differ within the host."""
    values = facts.get((aspect, name))
    if not values:
        return ""
    if len(values) == 1:
        return next(iter(values))
    return ", ".join(f"{count} of {value}" for value, count in sorted(values.items()))
