"""The lost port is physically right."""

import re

import pytest

from evals.model import Recording, read_epoch
from evals.scenarios.ib_port_flap import fabric, spec
from tests.seeds import draw

CHANGE = re.compile(r"mlx5_core 0000:[0-9a-f]{2}:00\.0 (mlx5_\d): Port: 1 Link (DOWN|ACTIVE)")


@pytest.fixture(params=draw(4), scope="module")
def recording(request: pytest.FixtureRequest) -> Recording:
    return spec.record(request.param, 0.01)


def test_only_the_lost_port_is_down_for_longer_than_its_senders_retry(
    recording: Recording,
) -> None:
    """One outage exceeds the retry window; ten others on another host last seconds."""
    outages = _outages(recording)
    window = float(recording.facts["window_s"])
    (lost,) = outages.pop(recording.facts["port"])
    assert window * 1.3 < lost < window * 2.3
    (flaps,) = outages.values()
    assert list(outages) == [recording.facts["flapping"]]
    assert len(flaps) == spec.FLAPS
    assert max(flaps) < 3


def test_the_retry_window_is_that_of_the_adapter() -> None:
    """4.096 us · 2^timeout · 7: about 30 s by default, 7.5 s at 18."""
    assert fabric.count_window(20) == pytest.approx(30.06, abs=0.01)
    assert fabric.count_window(18) == pytest.approx(7.52, abs=0.01)


def test_the_first_error_is_another_hosts_and_names_the_lost_one(recording: Recording) -> None:
    """It comes one retry window after the port went, while the port is still down."""
    errors = [
        (at, log.host, text)
        for log in recording.pod_logs
        for at, text in log.lines
        if "status=12" in text
    ]
    at, host, text = min(errors)
    lost = read_epoch(recording.facts["first_anomaly"])
    window = float(recording.facts["window_s"])
    assert host == recording.facts["sender"] != recording.facts["host"]
    assert f"peer {recording.hosts[recording.facts['host']].address}<" in text
    assert window <= at - lost <= window * 1.3


def test_the_counters_keep_what_the_scrapes_missed(recording: Recording) -> None:
    """One loss of the lost port, ten of the other; seven retries of the sender."""
    last = {
        (m.name, f"{m.labels['instance'].split(':')[0]}/{m.labels['device']}"): m.samples[-1][1]
        for m in recording.metrics
        if m.name.startswith("node_infiniband")
    }
    downs = "node_infiniband_link_downed_total"
    assert last[downs, recording.facts["port"]] == 1
    assert last[downs, recording.facts["flapping"]] == spec.FLAPS
    device = recording.facts["port"].split("/")[1]
    retried = "node_infiniband_local_ack_timeout_errors_total"
    assert last[retried, f"{recording.facts['sender']}/{device}"] == fabric.RETRIES
    assert sum(value for (name, _), value in last.items() if name == downs) == 1 + spec.FLAPS


def _outages(recording: Recording) -> dict[str, list[float]]:
    """Return how long each port was down, by port."""
    since: dict[str, float] = {}
    found: dict[str, list[float]] = {}
    for host, entries in recording.journal.items():
        for entry in sorted(entries, key=lambda entry: entry.at):
            match = CHANGE.search(entry.text)
            if match and match[2] == "DOWN":
                since[f"{host}/{match[1]}"] = entry.at
            elif match:
                port = f"{host}/{match[1]}"
                found.setdefault(port, []).append(entry.at - since.pop(port))
    return found
