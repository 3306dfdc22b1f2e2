"""What lies lower is the lead where it was seen, not what followed from it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
AT = "2026-11-30T05:{}+00:00 n7 "
UPLINK = (
    "00:00 kernel: ixgbe 0000:01:00.0 eno1: NIC Link is Down",
    (
        '00:20 kubelet[9]: E1130 05:00:20.000000 9 controller.go:195] "Failed to update lease"'
        ' err="Put \\"https://10.0.0.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/'
        'leases/n7\\": dial tcp 10.0.0.1:6443: connect: no route to host"'
    ),
)
FULL = (
    (
        '00:10 kubelet[1]: E1130 05:00:10.000000 1 remote_runtime.go:222] "RunPodSandbox from'
        ' runtime service failed" err="write /var/lib/containerd/tmp: no space left on device"'
    ),
    (
        '01:00 kubelet[1]: W1130 05:01:00.000000 1 eviction_manager.go:344] "Eviction manager:'
        ' attempting to reclaim" resourceName="ephemeral-storage"'
    ),
)
BLOCKED = (
    (
        "00:00 sudo[5]:     bob : TTY=pts/1 ; PWD=/root ; USER=root ; COMMAND=/usr/sbin/iptables"
        " -A OUTPUT -p tcp --dport 2049 -j DROP"
    ),
    "03:00 kernel: nfs: server nas1 not responding, still trying",
    "05:10 kernel: INFO: task python3:77 blocked for more than 122 seconds.",
)
PEERS = (
    (
        '00:00 etcd[900]: {"level":"warn","ts":"2026-11-30T05:00:00.000Z","msg":"lost TCP streaming'
        ' connection with remote peer","remote-peer-id":"fd4","error":"read tcp'
        ' 10.0.0.1:5->10.0.0.2:2380: i/o timeout"}'
    ),
    (
        '00:06 etcd[900]: {"level":"info","ts":"2026-11-30T05:00:06.000Z","msg":"raft.node: 8e9'
        ' lost leader fd4 at term 9"}'
    ),
)


def _diagnose(folder: Path, lines: tuple[str, ...]) -> tuple[Diagnosis, list[tuple[str, str]]]:
    """Return the diagnosis, and its chain as pairs of pages."""
    (folder / "n7.log").write_text("".join(f"{AT.format(x[:5])}{x[6:]}\n" for x in lines))
    found = investigate([folder], Incident(), shipped(), now=NOW)
    assert found.diagnosis is not None
    page = {event.id: event.page for event in found.timeline.events}
    return found.diagnosis, [(page[x.source], page[x.target]) for x in found.diagnosis.chain]


@pytest.mark.parametrize(
    ("lines", "root", "effect"),
    [
        (UPLINK, "ib-link-down", "node-cut-off"),
        (BLOCKED, "storage-port-blocked-on-client", "nfs-server-not-responding"),
        (PEERS, "etcd-peer-unreachable", "etcd-leader-lost"),
    ],
    ids=["uplink", "port blocked on the client", "etcd's peers"],
)
def test_the_lower_condition_leads(
    tmp_path: Path, lines: tuple[str, ...], root: str, effect: str
) -> None:
    """What followed is explained by it."""
    found, chain = _diagnose(tmp_path, lines)
    assert found.root_causes[0].page == root
    assert (root, effect) in chain


def test_a_full_disk_explains_the_pressure_that_the_kubelet_reports(tmp_path: Path) -> None:
    """The refused write came first and stands first in the chain."""
    _, chain = _diagnose(tmp_path, FULL)
    assert chain == [("no-space-left", "node-under-pressure")]
