"""A bundle of one GPU host and its cluster on which every check is well, file by file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
STAMP = "2026-03-01T12:00:00Z"
HOST = "n7"
UUIDS = tuple(f"GPU-0000000{n}-1111-2222-3333-444444444444" for n in range(2))
MOUNTS = """\
/dev/nvme0n1p2 / ext4 rw,relatime 0 0
10.0.0.10:/export /data nfs4 rw,relatime,vers=4.2,hard,proto=tcp,timeo=600,retrans=2 0 0
10.0.0.10:/sets /sets nfs4 ro,relatime,vers=4.2,soft,proto=tcp,timeo=600,retrans=2 0 0
"""
SCRIPT = """\
#!/bin/bash
# writes nothing to /data
timeout 4 nvidia-smi -L | wc -l
echo ok > /var/tmp/gpu-health && rm /var/tmp/gpu-health
"""
CHRONY = """\
Reference ID    : 0A000002 (10.0.0.2)
Stratum         : 3
System time     : 0.000412000 seconds fast of NTP time
Last offset     : +0.000012345 seconds
Leap status     : Normal
"""
ZONE = "Timezone=Etc/UTC\nNTPSynchronized=yes\n"
DF = """\
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  879G  368G  511G  42% /
tmpfs           504G     0  504G   0% /dev/shm
/dev/loop3       64M   64M     0 100% /snap/core20/2105
"""
DF_INODES = """\
Filesystem       Inodes   IUsed    IFree IUse% Mounted on
/dev/nvme0n1p2 58597376 1200000 57397376    3% /
"""
STUCK = "    PID    PPID STAT WCHAN                            STARTED              COMMAND\n"
HEADER = """\
File path: /var/log/journal/0b1c/system.journal
File ID: 41d2
Machine ID: 0b1c
State: ONLINE
Head realtime timestamp: Sun 2026-02-01 12:00:00 UTC (649c1d3d2f000)
Tail realtime timestamp: Sun 2026-03-01 11:59:59 UTC (64bf5c0e7c000)
Entry objects: 120331
Disk usage: 512.0M
"""
PACKAGES = "nvidia-fabricmanager-550\t550.127.08-1\nlibnvidia-compute-550\t550.127.08-0ubuntu1\n"
VERSION = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.127.08  Tue Oct  8 2024\n"
IBSTAT = """\
CA 'mlx5_0'
\tCA type: MT4129
\tNumber of ports: 1
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 400
\t\tBase lid: 12
\t\tLink layer: InfiniBand
"""
CERTIFICATES = """\
CERTIFICATE                EXPIRES                  RESIDUAL TIME   CERTIFICATE AUTHORITY
admin.conf                 Dec 30, 2026 23:36 UTC   304d            ca
"""
POD_LOG = """\
2026-03-01T11:20:00.000000000Z iteration 1200/ 5000 | lm loss: 2.31
2026-03-01T11:30:00.000000000Z successfully saved checkpoint from iteration 1200 to /data/ckpt
"""

Json = dict[str, object]


def gpu(number: int, **changes: object) -> Json:
    """Return one healthy GPU as NVML tells it."""
    return {
        "index": number, "uuid": UUIDS[number], "pci_bus_id": f"00000000:{number + 27:02X}:00.0",
        "name": "NVIDIA H100 80GB HBM3", "lost": False, "persistence": 1,
        "ecc_volatile_uncorrectable": 0, "remap_pending": False, "remap_failure": False,
        "remapped_uncorrectable": 0, "pcie_width": 16, "pcie_width_max": 16,
        "pcie_generation": 5, "pcie_generation_max": 5, "utilization_percent": 97, **changes,
    }  # fmt: skip


def nvml(*gpus: Json, driver: str = "550.127.08") -> str:
    """Return what the NVML probe writes."""
    return json.dumps({"driver_version": driver, "count": len(gpus), "gpus": list(gpus)})


def node(changes: Mapping[str, object] | None = None, name: str = HOST) -> Json:
    """Return a healthy node; a change names a dotted place."""
    found: Json = {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": {"nvidia.com/gpu.count": "2"}},
        "spec": {},
        "status": {
            "capacity": {"nvidia.com/gpu": "2"}, "allocatable": {"nvidia.com/gpu": "2"},
            "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": STAMP, "reason": "Up"},
                {"type": "DiskPressure", "status": "False", "reason": "Enough"},
            ],
        },
    }  # fmt: skip
    for place, value in (changes or {}).items():
        *path, last = place.split("__")
        inner = found
        for key in path:
            inner = inner.setdefault(key, {})  # type: ignore[assignment]  # nested mappings
        inner[last.replace("gpu", "nvidia.com/gpu") if path[-1:] == ["allocatable"] else last] = (
            value
        )
    return found


def listed(*objects: Json) -> str:
    """Return objects as kubectl lists them."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def pod(restarts: int = 0, **state: object) -> Json:
    """Return a running pod."""
    status = {"name": "trainer", "restartCount": restarts, "state": state or {"running": {}}}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "llm-0", "namespace": "train", "uid": "u1"},
        "spec": {"nodeName": HOST}, "status": {"phase": "Running", "containerStatuses": [status]},
    }  # fmt: skip


def job(limit: int = 3) -> Json:
    """Return a job."""
    return {
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "llm", "namespace": "train", "uid": "u2"},
        "spec": {"backoffLimit": limit}, "status": {"active": 1},
    }  # fmt: skip


def answer(labels: Mapping[str, str], *values: float) -> str:
    """Return a range query's answer, a minute a step up to the look."""
    start = AT.timestamp() - 60 * (len(values) - 1)
    samples = [[start + 60 * n, str(value)] for n, value in enumerate(values)]
    result = [{"metric": dict(labels), "values": samples}]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


ETCD = {"instance": "10.0.0.3:2381"}
INVENTORY = json.dumps({"nodes": {HOST: {"rack": "r1", "gpu_count": 2, "gpu_uuids": list(UUIDS)}}})

Files = dict[str, tuple[str, str]]
"""Path in the bundle → command and content."""


def files() -> Files:
    """Return all captures of the healthy host."""

    def host(name: str, command: str, text: str) -> tuple[str, tuple[str, str]]:
        return f"host/{HOST}/{name}.txt", (command, text)

    def query(name: str, text: str) -> tuple[str, tuple[str, str]]:
        return f"prometheus/{name}.json", (f"query_range {name}: x", text)

    def peer(name: str, offset: str) -> tuple[str, tuple[str, str]]:
        text = CHRONY.replace("0.000412000", offset)
        return f"host/{name}/chronyc-tracking.txt", ("chronyc -n tracking", text)

    return dict([
        host("mounts", "cat /proc/self/mounts", MOUNTS),
        host("gpu-healthcheck", "cat /usr/local/bin/gpu-healthcheck.sh", SCRIPT),
        host("chronyc-tracking", "chronyc -n tracking", CHRONY),
        host("timedatectl", "timedatectl show", ZONE),
        host("df", "df -h -l -P", DF),
        host("df-i", "df -i -l -P", DF_INODES),
        host("stuck", "ps -eo pid,ppid,stat,wchan:32,lstart,comm", STUCK),
        host("journal-header", "journalctl --header --no-pager", HEADER),
        host("packages", "dpkg-query -W 'nvidia*'", PACKAGES),
        host("nvidia-version", "cat /proc/driver/nvidia/version", VERSION),
        host("ibstat", "ibstat", IBSTAT),
        host("certificates", "kubeadm certs check-expiration", CERTIFICATES),
        (f"nvml/{HOST}.json", ("nvml", nvml(gpu(0), gpu(1)))),
        ("k8s/nodes.json", ("kubectl get nodes -o json", listed(node()))),
        ("k8s/pods.json", ("kubectl get pods -A -o json", listed(pod()))),
        ("k8s/jobs.json", ("kubectl get jobs -A -o json", listed(job()))),
        ("k8s/logs/train/llm-0/trainer.log", ("kubectl logs llm-0 -n train --timestamps", POD_LOG)),
        query("etcd_wal_fsync_p99", answer(ETCD, 0.004, 0.005, 0.004)),
        query("etcd_backend_commit_p99", answer(ETCD, 0.011, 0.012)),
        query("etcd_has_leader", answer(ETCD, 1, 1)),
        query("gpu_new_xid", answer({"Hostname": HOST, "UUID": UUIDS[0]}, 0, 0)),
        ("topology.json", ("", INVENTORY)),
    ])  # fmt: skip


@dataclass
class Host:
    """The bundle, to be written with changes."""

    root: Path
    files: Files = field(default_factory=files)
    outcomes: dict[str, str] = field(default_factory=dict)

    def say(self, path: str, text: str) -> None:
        """Change what a capture says."""
        self.files[path] = (self.files[path][0], text)

    def write(self) -> Path:
        """Write captures and manifest."""
        lines = []
        for path, (command, text) in self.files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            if command:
                target = path.split("/")[1].removesuffix(".json")
                target = "train/llm-0" if "/logs/" in path else target
                source = {"host": "host", "nvml": "nvml", "k8s": "kubernetes"}
                lines.append({
                    "path": path, "source": source.get(path.split("/")[0], "prometheus"),
                    "command": command, "target": target, "started": STAMP, "ended": STAMP,
                    "outcome": self.outcomes.get(path, "ok"),
                })  # fmt: skip
        (self.root / "manifest.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
        return self.root
