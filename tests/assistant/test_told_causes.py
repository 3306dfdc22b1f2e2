"""A cause that a log tells in its own words comes before one that would have to be inferred."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)


def _diagnose(tmp_path: Path, logs: dict[str, tuple[str, ...]]) -> Diagnosis:
    """Diagnose the logs of hosts; each line begins with its minute and second."""
    for host, lines in logs.items():
        stamped = (f"2026-11-29T02:{line[:5]}+00:00 {host} {line[6:]}\n" for line in lines)
        (tmp_path / f"{host}.log").write_text("".join(stamped))
    found = investigate(sorted(tmp_path.glob("*.log")), Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


def test_hosts_whose_bonds_lost_all_links_do_not_blame_the_file_server(tmp_path: Path) -> None:
    """Their stalled mounts follow from the network: what the bonds share is the lead."""
    cut_off = (
        "00:00 kernel: bond0: (slave ens1f0): link status definitely down, disabling slave",
        "00:00 kernel: bond0: (slave ens1f1): link status definitely down, disabling slave",
        "00:01 kernel: bond0: now running without any active interface!",
        "03:02 kernel: nfs: server nfs01 not responding, still trying",
        "05:10 kernel: INFO: task python3:5 blocked for more than 120 seconds.",
    )
    found = _diagnose(tmp_path, {f"gpu-r1-{number}": cut_off for number in (1, 2, 3)})
    (root,) = found.root_causes
    assert (root.page, root.confidence) == ("fabric-switch-down", "INCONCLUSIVE")
    others = {hypothesis.page for hypothesis in found.hypotheses}
    assert "bond-without-member" in others
    assert "storage-server-unavailable" not in others


def test_a_dns_server_that_asks_itself_explains_names_that_nobody_resolves(tmp_path: Path) -> None:
    """Its own last line says so; the hosts only see that nothing answers."""
    lost = "31:11 train[9]: socket.gaierror: [Errno -3] Temporary failure in name resolution"
    loop = (
        "30:00 coredns[5]: [FATAL] plugin/loop: Loop (127.0.0.1:55953 -> :53) detected for zone"
        ' ".", see https://coredns.io/plugins/loop#troubleshooting'
    )
    found = _diagnose(tmp_path, {"cp-1": (loop,), "gpu-1": (lost,), "gpu-2": (lost,)})
    assert found.hypotheses[0].page == "dns-server-loops"


def test_a_bad_sector_under_a_target_explains_its_read_only_file_system(tmp_path: Path) -> None:
    """Lustre's own file system speaks as ext4 does, under another name."""
    target = (
        "10:00 kernel: sd 4:0:12:0: [sdm] Sense Key : Medium Error [current]",
        "10:00 kernel: blk_update_request: critical medium error, dev sdm, sector 88123412",
        "10:05 kernel: LDISKFS-fs error (device dm-3): ldiskfs_find_entry:1463: inode #2: comm ll",
        "10:05 kernel: LDISKFS-fs (dm-3): Remounting filesystem read-only",
    )
    found = _diagnose(tmp_path, {"oss-03": target})
    assert [root.page for root in found.root_causes] == ["disk-io-error"]


TELLING = r"""
slurm-time-limit
slurmstepd: error: *** JOB 4511 ON g01 CANCELLED AT 2025-06-03T10:00:21 DUE TO TIME LIMIT ***

slurm-job-cancelled
[2025-06-01T12:12:09.330] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=4411 uid 5011
[2025-06-01T12:12:10.330] _job_complete: JobId=4411 WTERMSIG 15

vllm-kv-cache-too-small
ERROR 06-11 08:00:12 [core.py:515] ValueError: To serve at least one request with the models's >
max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache >
memory (1.91 GiB).

nvidia-runtime-missing
Jun 15 10:00:01 gpu-08 containerd[1100]: level=error msg="RunPodSandbox for x failed, error" >
error="failed to get sandbox runtime: no runtime for \"nvidia\" is configured"

certificate-invalid
E0301 00:00:10.120000    2100 controller.go:145] "Failed to ensure lease exists, will retry" >
err="Get \"https://10.0.0.1:6443/apis/x\": x509: certificate has expired or is not yet valid: >
current time 2025-03-01T00:00:10Z is after 2025-02-28T23:59:59Z"

etcd-space-exceeded
{"level":"warn","ts":"2025-04-21T07:01:02.113Z","msg":"failed to apply request","response":"",>
"error":"etcdserver: no space"}

fabric-manager-version-differs
Jun 20 01:00:01 h1 nv-fabricmanager[900]: fabric manager NVIDIA GPU driver interface version >
550.127.05 don't match with driver version 550.90.07.
Jun 20 01:05:00 h1 train[90]: RuntimeError: CUDA error: system not yet initialized
"""
"""Pages and what tells of them; lines that end in ``>`` go on in the next."""


@pytest.mark.parametrize("told", TELLING.replace(">\n", "").strip().split("\n\n"))
def test_a_line_that_tells_cause_and_effect_needs_no_other_witness(
    tmp_path: Path, told: str
) -> None:
    """No other fault prints it; nothing that was not read could say otherwise."""
    page, _, said = told.partition("\n")
    (tmp_path / "pasted.log").write_text(f"{said}\n")
    found = investigate([tmp_path], Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    assert (found.verdict, found.root_causes[0].page) == ("fault", page)


LOST = "kernel: NVRM: Xid (PCI:0000:{}:00): 79, pid=771, name=python, GPU has fallen off the bus."
FEED = "08:00 ipmitool[1]: 1 | 11/29/2026 | 02:08:00 | Power Supply #0xc8 | Power Supply AC lost |"


@pytest.mark.parametrize(
    ("seconds", "before", "page"),
    [
        (("00", "00", "01"), (), "gpus-lost-together"),
        (("00", "20", "40"), (), "xid-79-fell-off-bus"),
        (("00", "00", "01"), (f"{FEED} Asserted",), "power-supply-lost"),
    ],
    ids=["at once", "one by one", "with their supply"],
)
def test_cards_that_fall_at_once_point_to_what_they_share(
    tmp_path: Path, seconds: tuple[str, ...], before: tuple[str, ...], page: str
) -> None:
    """One host's switch, baseboard or power goes with all that hangs on it; a seen cause leads."""
    cards = zip(seconds, ("3b", "5d", "5e"), strict=True)
    fallen = (f"08:{second} {LOST.format(bus)}" for second, bus in cards)
    assert _diagnose(tmp_path, {"g1": (*before, *fallen)}).root_causes[0].page == page


def test_a_kubelet_that_was_stopped_by_hand_explains_its_node(tmp_path: Path) -> None:
    """The controller's own log tells of the node and of the pods that it takes away."""
    act = "sudo[41]: ops : TTY=pts/0 ; PWD=/home/ops ; USER=root ; COMMAND=/usr/bin/systemctl"
    stopped = (
        f"00:02 {act} stop kubelet",
        "00:02 systemd[1]: Stopped kubelet: The Kubernetes Node Agent.",
    )
    told = 'reason="NodeNotReady" message="Node gpu-02 status is now: NodeNotReady"'
    logs = {"gpu-02": stopped, "cp-1": (f"00:45 kube-controller-manager[12]: {told}",)}
    (root,) = _diagnose(tmp_path, logs).root_causes
    assert (root.page, len(root.explains)) == ("node-agent-stopped", 2)


def test_several_hosts_that_fail_to_one_peer_point_to_it(tmp_path: Path) -> None:
    """Who complains only names whom it could not reach."""
    said = (
        "00:1{} train[1]: {}:44:50 [0] NCCL WARN NET/IB: Got completion from peer 10.4.1.9<450{}>"
    )
    end = "with status=12 opcode=0 len=0 vendor err 129 (Send)"
    logs = {f"g{n}": (f"{said.format(n, f'g{n}', n)} {end}",) for n in (1, 2, 3)}
    (root,) = _diagnose(tmp_path, logs).root_causes
    assert (root.page, root.entity.id) == ("host-unreachable-for-peers", "10.4.1.9")
