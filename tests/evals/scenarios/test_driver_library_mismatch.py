"""The physics of new libraries over an old module: who fails, who does not, and when."""

import re
from functools import cache

import pytest

from evals.model import Body, Recording, read_epoch
from evals.scenarios.driver_library_mismatch import spec
from tests.seeds import draw

SEEDS = draw(4)


@cache
def recorded(seed: int) -> Recording:
    return spec.record(seed, 0.002)


def _pods(recording: Recording) -> list[Body]:
    (items,) = recording.snapshots.values()
    return [item for item in items if item["kind"] == "Pod"]


def _upgraded(recording: Recording) -> set[str]:
    """Name the nodes whose history tells of new NVIDIA libraries."""
    return {
        command.host
        for command in recording.commands
        if command.name == "var-log-apt-history.log" and "libnvidia-compute" in command.output
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_new_containers_fail_where_the_libraries_are_new_and_nowhere_else(seed: int) -> None:
    """Those that ran before go on, on the same nodes too."""
    recording = recorded(seed)
    upgraded = _upgraded(recording)
    phases: dict[str, set[str]] = {"Failed": set(), "Running": set()}
    running_on_new = 0
    for pod in _pods(recording):
        status, meta, body = pod["status"], pod["metadata"], pod["spec"]
        assert isinstance(status, dict)
        assert isinstance(meta, dict)
        assert isinstance(body, dict)
        if str(meta["name"]).startswith("llm-pretrain"):
            assert status["phase"] == "Running"
            running_on_new += body["nodeName"] in upgraded
        else:
            phases[str(status["phase"])].add(str(body["nodeName"]))
    assert len(upgraded) == spec.UPGRADED
    assert len(phases["Failed"]) == spec.HIT
    assert phases["Failed"] <= upgraded
    assert not phases["Running"] & upgraded
    assert running_on_new == spec.UPGRADED - spec.HIT


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_fails_before_something_new_asks_the_driver(seed: int) -> None:
    """Hours lie between the upgrade and the first refusal."""
    recording = recorded(seed)
    first = read_epoch(recording.facts["first_anomaly"])
    refused = [
        entry.at
        for entries in recording.journal.values()
        for entry in entries
        if "API mismatch" in entry.text
    ]
    assert min(refused) > first + 3600


@pytest.mark.parametrize("seed", SEEDS)
def test_the_history_is_stamped_in_the_hosts_own_zone(seed: int) -> None:
    """The upgrade's local time, in the zone that timedatectl shows, is when it happened."""
    recording = recorded(seed)
    for number in range(spec.UPGRADED):
        host = recording.facts[f"host_{number}"]
        texts = {c.name: c.output for c in recording.commands if c.host == host}
        zone = re.search(r"Time zone: \S+ \(\w+, ([+-]\d\d)(\d\d)\)", texts["timedatectl"])
        last = texts["var-log-apt-history.log"].rindex("Start-Date: ")
        stamp = texts["var-log-apt-history.log"][last:].split("\n", 1)[0]
        assert zone
        moment = stamp.removeprefix("Start-Date: ").replace("  ", "T")
        at = read_epoch(f"{moment}{zone[1]}:{zone[2]}")
        (begun,) = [
            entry.at
            for entry in recording.journal[host]
            if "Starting apt-daily-upgrade" in entry.text and abs(entry.at - at) < 3600
        ]
        assert 0 < at - begun < 20
