"""Whose log a text is, told by what stands in it and not by what it is called."""

import pytest

from tools.writers_by_content import service_of_content

SLURM = (
    b"[2025-03-19T04:00:00.100] error: Nodes gpu-100 not responding, setting DOWN\n"
    b"[2025-03-19T04:00:00.200] Killing JobId=88123 on failed node gpu-100\n"
)
OWN = {
    "slurmctld": SLURM,
    "slurmd": b"[2025-03-19T04:00:00.100] error: health_check failed: rc:1 output:no space\n",
    "kubelet": b'E0620 02:24:01.118242 2113 remote_runtime.go:633] "Status failed" err="x"\n',
    "containerd": b'time="2025-06-20T02:25:00Z" level=error msg="StopPodSandbox for x failed"\n',
    "chronyd": b"2025-06-20T02:25:00Z System clock was stepped by -37.284 seconds\n",
    "kube-controller-manager": b'I0903 14:05:50.22 1 taint_eviction.go:111] "Deleting pod"\n',
    "mmfsd": b"2025-06-20_01:03:00.120+0000: [E] Node 10.30.0.41 (gpu-41) is being expelled\n",
    "smartd": b"smartd[1586]: Device: /dev/sdb [SAT], 1 Offline uncorrectable sectors\n",
    "munged": b"munged[77]: Purged 4 credentials\nmunged[77]: Purged 9 credentials\n",
}


@pytest.mark.parametrize("unit", OWN)
@pytest.mark.parametrize("name", ["30.log", "app.log", "node/messages.txt"])
def test_a_daemons_own_log_is_known_under_any_name(unit: str, name: str) -> None:
    """The same bytes mean the same, whatever the file is called."""
    assert service_of_content(OWN[unit], name) == unit


@pytest.mark.parametrize(
    ("line", "unit"),
    [
        (b"fatal: can't stat gres.conf file /dev/nvidia5: No such file or directory\n", "slurmd"),
        (b"error: gres/gpu: count too low (7 < 8) for node gpu-n06\n", "slurmctld"),
        (b"error: Setting node n4 state to DRAIN with reason:Low RealMemory\n", "slurmctld"),
        (b"drain_nodes: node gpu-n04 state set to DRAIN\n", "slurmctld"),
    ],
)
def test_a_single_line_of_slurm_is_its_daemons(line: bytes, unit: str) -> None:
    """What is cut out of a long log still shows whose it was."""
    assert service_of_content(b"[2025-12-01T03:10:02.000] " + line, "51-node.log") == unit


def test_the_content_goes_before_the_name() -> None:
    """A kubelet's log that was saved as another daemon's stays the kubelet's."""
    assert service_of_content(OWN["kubelet"], "etcd.log") == "kubelet"
    assert service_of_content(b"epoch 1 loss 2.0\nepoch 2 loss 1.9\n", "slurm.log") == ""
    assert service_of_content(b"2025-06-20 02:00:00 ready\n", "munged.log") == "munged"


def test_a_ticket_that_names_daemons_is_no_daemons_log() -> None:
    """People write of them too: of a text without stamps most lines must be a daemon's."""
    ticket = b"Hi,\nslurmctld says nodes are down.\nWe use NVSwitch and etcd.\nRegards\nAnn\n"
    assert service_of_content(ticket, "ticket.txt", stamped=False) == ""
    assert service_of_content(b"slurmctld: error: Nodes a not responding\n", "x", stamped=False)


def test_an_api_servers_log_is_its_own_though_it_quotes_etcd() -> None:
    """A client's own trace is no server's."""
    klog = b'I0511 07:41:02.1 1 trace.go:219] Trace[12]: "Update" accept:x (total time: 7001ms):\n'
    json = (
        b'{"ts":1715413262123.456,"caller":"etcd3/retry_interceptor.go:62","msg":"retrying of '
        b'unary invoker failed","err":"etcdserver: request timed out"}\n'
    )
    reflector = b'I0511 07:41:02.1 1 trace.go:219] Trace[12]: "Reflector ListAndWatch" name:x\n'

    assert service_of_content(klog, "x") == "kube-apiserver"
    assert service_of_content(json, "x") == "kube-apiserver"
    assert service_of_content(reflector, "x") == ""
