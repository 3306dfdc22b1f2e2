"""What apt did on a node, as its history tells: local wall times without a zone."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timezone

from evals.model import happens
from evals.scenarios.gpu_health import DRIVER

VERSIONS = ("550.144.03", "550.163.01")
NAMES = (
    "libnvidia-cfg1-550-server", "libnvidia-compute-550-server", "libnvidia-decode-550-server",
    "nvidia-compute-utils-550-server", "nvidia-utils-550-server",
)  # fmt: skip
EVERYDAY = (
    ("curl", "7.81.0-1ubuntu1.{}"),
    ("libcurl4", "7.81.0-1ubuntu1.{}"),
    ("openssl", "3.0.2-0ubuntu1.{}"),
    ("libssl3", "3.0.2-0ubuntu1.{}"),
    ("vim-common", "2:8.2.3995-1ubuntu2.{}"),
    ("tzdata", "2025a-0ubuntu0.22.04.{}"),
)


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A node's libraries replaced at `at`."""

    at: float
    version: str
    names: tuple[str, ...]
    names_client: bool
    """Whether this node's module names the client that it refuses."""

    @property
    def first(self) -> str:
        """Name the package that the history lists first."""
        return self.names[0]

    def name(self, client: str) -> str:
        """Return the client's name where the module prints it."""
        return client if self.names_client else ""


def draw_upgrade(rng: random.Random, at: float, version: str) -> Upgrade:
    """Draw in which order the history lists the packages."""
    names = tuple(rng.sample(NAMES, len(NAMES)))
    return Upgrade(at, version, names, names_client=happens(rng, 0.5))


def write_history(rng: random.Random, zone: timezone, upgrade: Upgrade | None, daily: float) -> str:
    """Write /var/log/apt/history.log of the last weeks, with this morning's run at its end."""
    parts, at = [], (upgrade.at if upgrade else daily)
    for days in sorted(rng.sample(range(2, 28), 4), reverse=True):
        before = at - days * 86400 + rng.uniform(-1200, 1200)
        parts.append(_transaction(zone, before, _everyday(rng)))
    changes = _everyday(rng)
    if upgrade:
        own = [
            f"{name}:amd64 ({_suffixed(DRIVER)}, {_suffixed(upgrade.version)})"
            for name in upgrade.names
        ]
        changes = [*changes[:1], *own, *changes[1:]]
    parts.append(_transaction(zone, at, changes))
    return "\n".join(parts)


def _suffixed(version: str) -> str:
    return f"{version}-0ubuntu0.22.04.1"


def _everyday(rng: random.Random) -> list[str]:
    step = rng.randrange(3, 20)
    chosen = rng.sample(EVERYDAY, rng.randrange(1, 4))
    return [f"{name}:amd64 ({v.format(step)}, {v.format(step + 1)})" for name, v in chosen]


def _transaction(zone: timezone, at: float, changes: list[str]) -> str:
    stamps = [
        f"{datetime.fromtimestamp(moment, UTC).astimezone(zone):%Y-%m-%d  %H:%M:%S}"
        for moment in (at, at + 41)
    ]
    return (
        f"Start-Date: {stamps[0]}\nCommandline: /usr/bin/unattended-upgrade\n"
        f"Upgrade: {', '.join(changes)}\nEnd-Date: {stamps[1]}\n"
    )


def write_loaded() -> str:
    """Write /proc/driver/nvidia/version of the module that is loaded."""
    return (
        f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {DRIVER}  Thu Sep 26 13:52:40 UTC 2024\n"
        "GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)\n"
    )
