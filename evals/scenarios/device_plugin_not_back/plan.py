"""Which nodes were started anew, when, and the one whose plugin stayed away.

A round of kernel updates starts some nodes anew, one after the other, and all goes well. The first
node of its second half is the victim: its container runtime's configuration had lost the NVIDIA
runtime weeks ago, which takes effect only now, and the round is stopped. Either
the plugin still runs, with the plain runtime, and finds no device; or its pod asks for the NVIDIA
runtime by name and cannot be started at all.
"""

import random
from dataclasses import dataclass, replace

from evals.fleet import draw_hexadecimal
from evals.model import Boot, Host, happens

ROUND_S = 11 * 60.0
"""From one reboot to the next."""
PAUSE_S = 18 * 3600.0
"""Between the two halves of the round."""


@dataclass(frozen=True, slots=True)
class Restart:
    """One node's way down and up."""

    name: str
    down: float
    up: float
    """When its kernel began."""
    kubelet: float
    registered: float
    """When its plugin had offered its devices; 0: never."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The round of updates."""

    restarts: tuple[Restart, ...]
    victim: Restart
    runs: bool
    """The plugin runs and finds nothing; else it cannot be started."""
    others: tuple[str, ...]
    """Nodes that were left alone."""


def make(rng: random.Random, hosts: list[Host], fault: float) -> Plan:
    """Draw the round in which the victim's kubelet starts at `fault`."""
    names = rng.sample([host.name for host in hosts], rng.randrange(6, 9))
    begun = [
        fault - PAUSE_S - index * ROUND_S + rng.uniform(-50, 50) for index in range(1, len(names))
    ]
    victim = _restart(rng, names[0], fault, back=False)
    earlier = [_restart(rng, name, at) for name, at in zip(names[1:], begun, strict=True)]
    rest = tuple(host.name for host in hosts if host.name not in names)
    return Plan((*earlier, victim), victim, happens(rng, 0.5), rest)


def _restart(rng: random.Random, name: str, kubelet: float, *, back: bool = True) -> Restart:
    up = kubelet - rng.uniform(26, 48)
    late = kubelet + rng.uniform(16, 55) if back else 0.0
    return Restart(name, up - rng.uniform(150, 320), up, kubelet, late)


def start_anew(rng: random.Random, host: Host, restart: Restart) -> Host:
    """Return a host with its earlier boot remembered."""
    before = Boot(host.boot_id, host.booted, restart.down)
    return replace(host, before=before, boot_id=draw_hexadecimal(rng, 32), booted=restart.up)
