"""Lines that generators draw, for what no component here can write."""

from datetime import UTC, datetime
from pathlib import Path

from evals.background import draw_entries
from evals.fleet import draw_hosts
from evals.model import open_stream
from evals.writers import journal

_HOSTS = 8
_GAP_S = 0.5
_SINCE = datetime(2025, 6, 20, 1, tzinfo=UTC).timestamp()


def draw(count: int, out: Path, *, seed: int = 1) -> int:
    """Write about `count` entries of a healthy fleet as journal exports; return how many."""
    out.mkdir(parents=True, exist_ok=True)
    rng = open_stream("benign", seed, "background")
    names = [f"gpu-n{number:02d}" for number in range(_HOSTS)]
    each = count // _HOSTS
    span = (_SINCE, _SINCE + each * _GAP_S)
    for host in draw_hosts(rng, names, subnet="10.0", booted=_SINCE - 86400):
        entries = draw_entries(rng, host, span, each)
        (out / f"{host.name}.export").write_bytes(journal.export(host, entries))
    return each * _HOSTS
