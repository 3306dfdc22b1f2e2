"""Hosts with their GPUs and clocks, drawn from a seed."""

import random
from collections.abc import Callable
from uuid import UUID

from evals.model import Gpu, Host

BUSES = (0x18, 0x2A, 0x3A, 0x5D, 0x9A, 0xAB, 0xBA, 0xDB)
"""PCI buses of the eight GPUs of an HGX board behind two sockets."""
SUFFIX = "bcdfghjklmnpqrstvwxz2456789"
"""The alphabet that Kubernetes draws name suffixes from."""


def draw_uuid(rng: random.Random) -> str:
    """Draw a version-4 UUID."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def draw_hexadecimal(rng: random.Random, digits: int) -> str:
    """Draw that many hexadecimal digits."""
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def draw_suffix(rng: random.Random, length: int = 5) -> str:
    """Draw the random end of a pod's name."""
    return "".join(rng.choice(SUFFIX) for _ in range(length))


def draw_gpus(rng: random.Random, count: int) -> tuple[Gpu, ...]:
    """Draw the GPUs of one host."""
    return tuple(
        Gpu(
            index=index,
            uuid=f"GPU-{draw_uuid(rng)}",
            bdf=f"0000:{BUSES[index]:02x}:00",
            serial=f"16{rng.randrange(10**11):011d}",
        )
        for index in range(count)
    )


def draw_hosts(
    rng: random.Random,
    names: list[str],
    *,
    subnet: str,
    booted: float,
    gpu_count: int = 8,
    clock: Callable[[random.Random], float] = lambda rng: rng.gauss(0.0, 0.004),
) -> list[Host]:
    """Draw the machines of a fleet; `clock` draws each one's offset in seconds."""
    return [
        Host(
            name=name,
            address=f"{subnet}.{index // 200}.{index % 200 + 11}",
            machine_id=draw_hexadecimal(rng, 32),
            boot_id=draw_hexadecimal(rng, 32),
            booted=booted - rng.uniform(0, 40) * 86400,
            gpus=draw_gpus(rng, gpu_count),
            clock_offset_s=clock(rng),
        )
        for index, name in enumerate(names)
    ]
