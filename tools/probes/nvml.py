"""NVML: the state of the GPUs, read in a process of its own."""

import sys
from collections.abc import Iterator

from tools.capture import Capture
from tools.context import ProbeContext
from tools.registry import probe
from tools.request import Request

_LIMIT_S = 12.0


@probe(source="nvml", reach="host", volatility=0)
def nvml(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read health, ECC, row remapping, links, clocks, power, processes and fresh Xid events.

    In a subprocess with a limit, because a hung driver hangs its caller. Proves the present only.
    """
    yield context.capture(
        [
            sys.executable,
            "-m",
            "tools.probes.nvml_reader",
            f"--watch-s={context.watch_s:g}",
            f"--proc={context.proc}",
        ],
        source="nvml",
        path=f"nvml/{context.host}.json",
        resource="nvml",
        limit_s=_LIMIT_S + context.watch_s,
    )


@probe(source="nvml", reach="host", volatility=4)
def nvidia_smi(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read `nvidia-smi -q`, which knows more than NVML's stable interface, and the topology."""
    folder = f"host/{context.host}"
    yield context.capture(
        ["nvidia-smi", "-q"], source="nvml", path=f"{folder}/nvidia-smi-q.txt", resource="nvml"
    )
    yield context.capture(
        ["nvidia-smi", "topo", "-m"],
        source="nvml",
        path=f"{folder}/nvidia-smi-topo.txt",
        resource="nvml",
    )
