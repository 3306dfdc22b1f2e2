"""Readings that follow from others: the roll-call of GPUs, and what a health check leans on."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from assistant.inspection_seen import Seen
from tools.evidence import Reading
from tools.gpu_values import Value
from tools.workspace import NETWORK

ROSTER = "gpu_roster"
_EVERYTHING = "/"


def add_facts(seen: Seen, gpus_per_node: int = 0) -> None:
    """Add what follows; `gpus_per_node` counts for hosts of which the inventory says nothing."""
    seen.readings[ROSTER] = list(_call_roll(seen, gpus_per_node))
    mounts = _network_mounts(seen)
    seen.readings["script"] = [
        replace(script, values={**script.values, **_leans_on(script, mounts.get(script.host))})
        for script in seen.readings.get("script", ())
    ]


def _call_roll(seen: Seen, gpus_per_node: int) -> Iterator[Reading]:
    """Compare the GPUs that answered with those that should."""
    present: dict[str, set[str]] = defaultdict(set)
    lost: dict[str, set[str]] = defaultdict(set)
    for gpu in seen.readings.get("gpu", ()):
        name = str(gpu.values.get("uuid") or gpu.values.get("bdf") or "")
        (lost if gpu.values.get("lost") is True else present)[gpu.host].add(name)
    for host, reading in {each.host: each for each in seen.readings.get("gpu_host", ())}.items():
        count = reading.values.get("gpu_count")
        found = len(present[host]) or (count if isinstance(count, int) else 0)
        values: dict[str, Value] = {"host": host, "found": found, "lost": len(lost[host])}
        values |= _expectation(seen, host, present[host], gpus_per_node)
        yield replace(reading, kind=ROSTER, values=values)


def _expectation(seen: Seen, host: str, present: set[str], default: int) -> dict[str, Value]:
    told = seen.expected_of(host)
    uuids = told.get("gpu_uuids")
    wanted = {str(uuid) for uuid in uuids} if isinstance(uuids, list) else set()
    count = told.get("gpu_count", len(wanted) or default)
    if not isinstance(count, int) or not count:
        return {}
    values: dict[str, Value] = {"expected": count}
    if wanted:
        missing, foreign = sorted(wanted - present), sorted(present - wanted)
        values |= {"missing_uuids": ", ".join(missing) or None}
        values |= {"foreign_uuids": ", ".join(foreign) or None}
    return values


def _network_mounts(seen: Seen) -> dict[str, dict[str, str]]:
    """Return each host's network mounts: point → kind."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for mount in seen.readings.get("mount", ()):
        kinds = found[mount.host]  # an empty table that was read counts too
        point, kind = str(mount.values.get("target")), str(mount.values.get("fstype"))
        if kind in NETWORK and point != _EVERYTHING:
            kinds[point.rstrip("/")] = kind
    return found


def _leans_on(script: Reading, mounts: dict[str, str] | None) -> dict[str, Value]:
    """Say which of a script's paths lie on the network; nothing where the table was not read."""
    if mounts is None:
        return {}
    paths = str(script.values.get("paths") or "").split(",")
    shared = [path for path in paths if any(_below(path, point) for point in mounts)]
    return {"shared_paths": ", ".join(shared) or None, "mounts_known": True}


def _below(path: str, point: str) -> bool:
    return path == point or path.startswith(f"{point}/")
