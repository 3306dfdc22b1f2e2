"""Guesses who wrote a text that came without any context, by what it talks about."""

import re

from tools.evidence import Channel
from tools.writers import is_daemon

_APPLIANCE = re.compile(
    rb"(?i)\b(controller[ -]?[ab0-9]\b|failover|takeover|giveback|raid|enclosure|aggregate|"
    rb"svm|vserver|lun|zpool|nvram|ha[-_. ]?(?:pair|group|state|monitor)|vip\b|spare disk|"
    rb"rebuild|ethernet\d|link-3-updown|%[A-Z]+-\d-|port-channel|lldp|bgp|storage pool|"
    rb"psu|bmc|sel entry|nfs(?:d| export| grace))"
)
_WORKLOAD = re.compile(
    rb"(?i)(\brank[ :=]?\d|\[rank\d|nccl|torch|epoch|\bstep\b|\bloss\b|checkpoint|traceback|"
    rb"\bcuda|deepspeed|megatron|iteration|dataloader|tokens)"
)
_APPLIANCE_SHARE = 0.15
_WORKLOAD_SHARE = 0.1
_SERVICES = (
    (
        "slurmctld",
        re.compile(rb"slurmctld|sched/backfill|_job_complete|_slurm_rpc_|sched: Allocate"),
    ),
    ("slurmd", re.compile(rb"slurmd version|launch task StepId|_run_prolog|slurmstepd|Slurmd")),
    ("kubelet", re.compile(rb"kubelet[._]\w+\.go|SyncLoop|pleg\.go|reconciler_common\.go")),
    ("containerd", re.compile(rb"containerd\.(?:io|task)|RunPodSandbox|io\.containerd|PullImage")),
    ("etcd", re.compile(rb"etcdserver|\braft\b|wal/wal\.go|mvcc/")),
    ("nvidia-fabricmanager", re.compile(rb"(?i)fabric ?manager|NVSwitch")),
    ("dockerd", re.compile(rb"dockerd|moby/|libcontainerd")),
)
"""Daemons that keep a log of their own, and words that only they write."""
_SERVICE_SHARE = 0.03
_COLLECTION = re.compile(rb"nvidia-bug-report|NVIDIA bug report|sosreport")
"""Reports that collect many programs' logs: each line must tell its writer by itself."""


def stem_of(name: str) -> str:
    """Take a file's name without folders and endings."""
    return name.rsplit("/", 1)[-1].rsplit("!", 1)[-1].partition(".")[0]


def service_of_content(head: bytes, name: str) -> str:
    """Name the daemon whose own log this is; empty where it is none."""
    stem = stem_of(name)
    if stem and is_daemon(stem):
        return stem
    if _COLLECTION.search(head[:4096]):
        return ""
    lines = [line for line in head.split(b"\n") if line.strip()][:400]
    for unit, words in _SERVICES:
        found = sum(1 for line in lines if words.search(line))
        if found > _SERVICE_SHARE * len(lines):
            return unit
    return ""


def channel_of_content(head: bytes) -> Channel:
    """Guess the writer of a text that came without any context."""
    lines = [line for line in head.split(b"\n") if line.strip()][:400]
    if not lines or _COLLECTION.search(head[:4096]):
        return "text"
    appliance = sum(1 for line in lines if _APPLIANCE.search(line))
    workload = sum(1 for line in lines if _WORKLOAD.search(line))
    if workload >= _WORKLOAD_SHARE * len(lines) and workload >= appliance:
        return "app"
    return "device" if appliance >= _APPLIANCE_SHARE * len(lines) else "text"


def is_workloads(line: bytes) -> bool:
    """Tell whether a line speaks of what only training and serving programs speak of."""
    return _WORKLOAD.search(line) is not None
