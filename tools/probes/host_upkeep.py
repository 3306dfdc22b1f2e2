"""What keeps a host watched: its health checks, how long its journal reaches, its packages."""

import stat
from collections.abc import Iterator
from pathlib import Path

from tools.capture import Capture
from tools.context import ProbeContext
from tools.probes.host import keep_file
from tools.registry import probe
from tools.request import Request

CHECKS = (
    "usr/local/bin/*health*",
    "usr/local/sbin/*health*",
    "opt/*/bin/*health*",
    "etc/slurm/*health*",
    "etc/systemd/system/*health*.service",
)
"""Where operators put the scripts and units by which a node judges itself."""
PACKAGES = ("nvidia*", "libnvidia*", "cuda-drivers*", "datacenter-gpu-manager*", "nvlsm*")
_MOST = 20


@probe(source="host", reach="host", volatility=8)
def host_health_checks(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the scripts and units by which this host judges its health.

    Links are not followed: behind one may lie the very mount that hangs.
    """
    for file in health_checks(context.root):
        place = file.relative_to(context.root)
        name = f"health-check-{str(place).replace('/', '-')}"
        yield from keep_file(context, file, name, f"cat /{place}")


def health_checks(root: Path) -> list[Path]:
    """Find them, without touching what is no plain file."""
    found = (file for pattern in CHECKS for file in sorted(root.glob(pattern)))
    return [file for file in found if stat.S_ISREG(file.lstat().st_mode)][:_MOST]


@probe(source="host", reach="host", volatility=8)
def host_journal_reach(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read where the journal lies and since when: what an investigation can still see at all."""
    for folder in context.journals or (None,):
        place = [f"--directory={folder}"] if folder else []
        yield context.capture(
            ["journalctl", "--header", "--no-pager", *place],
            source="host",
            path=f"host/{context.host}/journal-header{f'-{folder.name}' if folder else ''}.txt",
            resource="host/journal-header",
        )


@probe(source="host", reach="host", volatility=9)
def host_packages(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the installed versions of the driver's and the fabric's packages."""
    yield context.capture(
        ["dpkg-query", "-W", *PACKAGES],
        source="host",
        path=f"host/{context.host}/packages.txt",
        resource="host/packages",
    )
