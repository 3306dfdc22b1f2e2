"""InfiniBand and RoCE: the state of this host's own ports and what they have counted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tools.capture import Capture
from tools.commands import Command
from tools.context import ProbeContext
from tools.registry import probe
from tools.request import Request

_PLACE = "class/infiniband"
_COUNTED = ("counters", "hw_counters")
_STATES = ("link_layer", "phys_state", "rate", "state")
_INFINIBAND = "InfiniBand"


@probe(source="host", reach="host", volatility=2)
def infiniband_ports(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the state, rate and subnet manager of this host's ports, as ibstat and rdma tell it.

    Costs next to nothing. Proves the present only: a port that was down and came back looks well,
    but for its counters. Cannot see the other end of the cable, nor any switch.
    """
    yield _command(context, ["ibstat"], "ibstat", "ibstat")
    yield _command(context, ["rdma", "link", "show"], "rdma-link", "rdma")


@probe(source="host", reach="host", volatility=2)
def infiniband_counters(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read what each port has counted since its driver was loaded: errors, link downs, retries.

    The kernel's own files, `rdma statistic`, and by perfquery (which needs root) the counters that
    the fabric sees; nothing is reset. Each file of mlx5 asks the adapter's firmware: a dead one
    hangs, which is an observation. One reading tells no rate: compare two, or Prometheus.
    """
    found = ports(context.sys)
    for port in found:
        yield from _files(context, port, _STATES, "ib-state")
        yield from _files(context, port, _COUNTED, "ib-counters")
    if found:
        yield _command(context, ["rdma", "statistic", "show"], "rdma-statistic", "rdma")
    for port in filter(_is_infiniband, found):
        device, number = _named(port)
        argv = ["perfquery", "-x", "-C", device, "-P", number]
        name = f"perfquery-{device}-{number}"
        yield _command(context, argv, name, f"perfquery/{device}/{number}")


def ports(sys: Path) -> list[Path]:
    """Find the ports of all adapters, without asking the adapters."""
    return sorted((sys / _PLACE).glob("*/ports/*"))


def _named(port: Path) -> tuple[str, str]:
    return port.parents[1].name, port.name


def _is_infiniband(port: Path) -> bool:
    """Tell whether a fabric with a subnet manager is behind a port; Ethernet answers no MAD."""
    try:
        return (port / "link_layer").read_text().strip() == _INFINIBAND
    except OSError:
        return False


def _files(
    context: ProbeContext, port: Path, names: tuple[str, ...], name: str
) -> Iterator[Capture]:
    """Read files of a port in a process of its own, as one would with grep on the host."""
    places = [str(port / each) for each in names if (port / each).exists()]
    if not places:
        return
    device, number = _named(port)
    flag = "-rH" if names is _COUNTED else "-H"
    elsewhere, here = str(context.sys / _PLACE), f"/sys/{_PLACE}"
    shown = Command(("grep", flag, ".", *(each.replace(elsewhere, here) for each in places)))
    if earlier := context.workspace.finished("host", str(shown), context.host):
        yield earlier
        return
    answer = context.run(
        ["grep", flag, ".", *places], resource=f"infiniband/{device}/{number}/{name}"
    )
    told = answer.stdout.replace(elsewhere.encode(), here.encode())
    if answer.outcome in {"failed", "denied"} and told:  # some counters have no value to give
        answer = replace(answer, outcome="ok")
    yield context.keep(
        replace(answer, command=str(shown), stdout=told),
        source="host",
        path=f"host/{context.host}/{name}-{device}-{number}.txt",
    )


def _command(context: ProbeContext, argv: list[str], name: str, resource: str) -> Capture:
    return context.capture(
        argv,
        source="host",
        path=f"host/{context.host}/{name}.txt",
        resource=f"infiniband/{resource}",
    )
