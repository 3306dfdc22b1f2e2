"""Lines that generators draw, for what no component here can write."""

from datetime import UTC, datetime
from pathlib import Path

from evals.background import draw_entries
from evals.fleet import draw_hosts
from evals.model import open_stream
from evals.writers import journal

_GAP_S = 0.5
_SINCE = datetime(2025, 6, 20, 1, tzinfo=UTC).timestamp()


def draw(count: int, out: Path, *, seed: int = 1) -> int:
    """Write `count` entries of a healthy host as a journal export; return how many."""
    out.mkdir(parents=True, exist_ok=True)
    rng = open_stream("benign", seed, "background")
    (host,) = draw_hosts(rng, ["gpu-n01"], subnet="10.0", booted=_SINCE - 86400)
    entries = draw_entries(rng, host, (_SINCE, _SINCE + count * _GAP_S), count)
    (out / f"{host.name}.export").write_bytes(journal.export(host, entries))
    return count
