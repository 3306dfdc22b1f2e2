"""The node that lost its GPUs lost only a count: what its kernel and driver say is fine."""

import re

import pytest

from evals.model import Body, Recording, read_epoch
from evals.node_objects import GPU
from evals.scenarios.device_plugin_not_back import spec
from evals.writers import journal
from tests.seeds import draw

SEEDS = [1, 2, *draw(4)]


@pytest.fixture(params=SEEDS, scope="module")
def story(request: pytest.FixtureRequest) -> Recording:
    return spec.record(request.param, 0.001)


def _objects(story: Recording, kind: str) -> list[Body]:
    return [item for item in story.snapshots[story.taken] if item["kind"] == kind]


def _part(item: Body, *path: str) -> Body:
    for name in path:
        below = item[name]
        assert isinstance(below, dict)
        item = below
    return item


def test_both_ways_of_staying_away_are_drawn() -> None:
    """A plugin that finds nothing, and one that cannot be started."""
    texts = set()
    for seed in range(8):
        story = spec.record(seed, 0.001)
        logs = any(
            "Waiting indefinitely" in text for log in story.pod_logs for _, text in log.lines
        )
        stuck = any("no runtime for" in str(e["message"]) for e in _objects(story, "Event"))
        assert logs != stuck
        texts.add(logs)
    assert texts == {True, False}


def test_only_one_node_offers_none_and_it_had_all_before(story: Recording) -> None:
    """What nobody registered since kubelet started is neither capacity nor allocatable."""
    counts = {}
    for node in _objects(story, "Node"):
        name = str(_part(node, "metadata")["name"])
        counts[name] = {
            str(_part(node, "status", part)[GPU]) for part in ("capacity", "allocatable")
        }
    victim = story.facts["host"]
    assert counts.pop(victim) == {"0"}
    assert set.union(*counts.values()) == {"8"}
    series = [
        metric
        for metric in story.metrics
        if metric.name == "kube_node_status_allocatable" and metric.labels["node"] == victim
    ]
    values = [value for _, value in series[0].samples]
    assert (values[0], values[-1]) == (8.0, 0.0)


def test_the_gpus_of_the_victim_are_well(story: Recording) -> None:
    """The driver lists all eight, and no host that went down reports a hardware fault."""
    host = story.hosts[story.facts["host"]]
    _, body = story.nvml[host.name]
    assert isinstance(body["gpus"], list)
    assert [gpu["lost"] for gpu in body["gpus"]] == [False] * 8
    texts = [entry.text for entry in story.journal[host.name]]
    assert not [text for text in texts if re.search(r"NVRM: Xid|AER: Uncorr", text)]


def test_a_host_that_is_down_writes_nothing_and_comes_back_with_another_boot(
    story: Recording,
) -> None:
    """The journal tells two boots, each on its own clock since start."""
    host = story.hosts[story.facts["host"]]
    assert host.before is not None
    silent = [e for e in story.journal[host.name] if host.before.down + 21 < e.at < host.booted]
    assert not silent
    text = journal.export(host, story.journal[host.name]).decode()
    boots = list(dict.fromkeys(re.findall(r"_BOOT_ID=(\w+)", text)))
    assert boots == [host.before.id, host.boot_id]


def test_the_other_nodes_of_the_round_came_back(story: Recording) -> None:
    """Their plugins registered within two minutes of their kubelets."""
    again = [host for host in story.hosts.values() if host.before]
    assert len(again) >= 5
    registered = {
        name
        for name, entries in story.journal.items()
        if any("Got registration request" in entry.text for entry in entries)
    }
    assert registered == {host.name for host in again} - {story.facts["host"]}


def test_refusals_begin_with_kubelet_and_forget_the_resource_after_its_grace(
    story: Recording,
) -> None:
    """Bound pods are refused at once; who comes later than five minutes hears another text."""
    began = read_epoch(story.facts["first_anomaly"])
    offset = story.hosts[story.facts["host"]].clock_offset_s
    refused = [e for e in _objects(story, "Event") if e["reason"] == "UnexpectedAdmissionError"]
    assert len(refused) >= 5
    for item in refused:
        since = read_epoch(str(item["firstTimestamp"])) - offset - began
        assert since > 0
        assert ("unregistered" in str(item["message"])) is (since > 300)
