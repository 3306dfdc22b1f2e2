# ruff: noqa: E501  (a pattern broken in two is harder to check)
"""The forms of programs that only some sites have: Slurm, DCGM, InfiniBand. None changes anything."""

from collections.abc import Mapping
from dataclasses import replace

from tools.shapes import NAME, NUMBER, Shape, slot

_EPOCH = slot(r"uts\d{1,11}|\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")
"""A moment for sacct: `uts` and the epoch's seconds need no zone."""
_HOSTS = slot(r"[A-Za-z0-9][\w.,\-\[\]]{0,4000}")
_JOBS = slot(r"\d[\d_,.+]{0,400}")
_CLIENTS: Mapping[str, tuple[Shape, ...]] = {
    "sinfo": (Shape(flags={"-R": None, "-N": None, "-l": None}),),
    "squeue": (Shape(flags={"-l": None, "-a": None, "-j": _JOBS, "-w": _HOSTS}),),
    "scontrol": (
        Shape(("show",), positionals=(slot("config|nodes?|jobs?|partitions?|reservations?|topology"),)),
        Shape(("show",), positionals=(slot("nodes?|jobs?|partitions?|reservations?"), _HOSTS)),
        Shape(("-d", "show", "job"), positionals=(_JOBS,), optional=True),
        Shape(("ping",)),
    ),
    "sacct": (Shape(flags={
        "-P": None, "-a": None, "-X": None, "-D": None, "-j": _JOBS, "-N": _HOSTS, "--starttime": _EPOCH,
        "--endtime": _EPOCH, "--format": slot(r"[A-Za-z,%0-9\-]+"),
    }),),
    "sdiag": (Shape(),),
}  # fmt: skip


def _in_utc() -> tuple[Shape, ...]:
    """Hold `env TZ=UTC PROGRAM …`: Slurm's programs write local time and never say which."""
    return tuple(
        replace(shape, words=("TZ=UTC", program, *shape.words))
        for program, shapes in _CLIENTS.items()
        for shape in shapes
    )


_GROUP = {"-g": NUMBER, "-j": None}
_PORT = r"/(?:[\w.\-]+/)*sys/class/infiniband/[\w.\-]+/ports/\d{1,3}"
CLUSTER_PROGRAMS: Mapping[str, tuple[Shape, ...]] = {
    **_CLIENTS,
    "env": _in_utc(),
    "dcgmi": (
        Shape(("discovery",), {"-l": None}, required=frozenset({"-l"})),
        Shape(("health",), {**_GROUP, "-c": None}, required=frozenset({"-c"})),
        Shape(("health",), {**_GROUP, "-f": None}, required=frozenset({"-f"})),
        Shape(("stats",), {"-j": NAME, "-v": None}, required=frozenset({"-j"})),
        Shape(("stats",), {"-p": NUMBER, "-g": NUMBER, "-v": None}, required=frozenset({"-p"})),
        Shape(("nvlink",), {"-s": None}, required=frozenset({"-s"})),
    ),
    "ibstat": (Shape(),),
    "ibdev2netdev": (Shape(),),
    "rdma": (
        Shape(("link", "show")), Shape(("statistic", "show")), Shape(("-j", "link", "show")),
    ),
    "perfquery": (Shape(flags={"-x": None, "-C": NAME, "-P": NUMBER, "-t": NUMBER}),),
    "grep": (
        Shape(("-rH", "."), rest=slot(rf"{_PORT}/(?:hw_)?counters")),
        Shape(("-H", "."), rest=slot(rf"{_PORT}/(?:state|phys_state|rate|link_layer)")),
    ),
}  # fmt: skip
"""`dcgmi diag` occupies the GPUs for minutes: it is proposed to a person, and has no form here."""
