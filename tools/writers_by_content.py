"""Guesses who wrote a text that came without any context, by what it talks about."""

from collections import Counter
from collections.abc import Sequence

from tools.evidence import Channel
from tools.late_patterns import compile_late
from tools.writers import is_daemon

_APPLIANCE = compile_late(
    rb"(?i)\b(controller[ -]?[ab0-9]\b|failover|takeover|giveback|raid|enclosure|aggregate|"
    rb"svm|vserver|lun|zpool|nvram|ha[-_. ]?(?:pair|group|state|monitor)|vip\b|spare disk|"
    rb"rebuild|ethernet\d|link-3-updown|%[A-Z]+-\d-|port-channel|lldp|bgp|storage pool|"
    rb"psu|bmc|sel entry|nfs(?:d| export| grace))"
)
_WORKLOAD = compile_late(
    rb"(?i)(\brank[ :=]?\d|\[rank\d|nccl|torch|epoch|\bstep\b|\bloss\b|checkpoint|traceback|"
    rb"\bcuda|deepspeed|megatron|iteration|dataloader|tokens)"
)
_APPLIANCE_SHARE = 0.15
_WORKLOAD_SHARE = 0.1
_SERVICES = (
    (
        "slurmctld",
        compile_late(
            rb"slurmctld|sched/backfill|_job_complete|_slurm_rpc_|sched: Allocate"
            rb"|update_node: node |drain_nodes: node |validate_node_specs|REQUEST_KILL_JOB"
            rb"|Setting node \S+ state to \w+ with reason:|gres/gpu: count too low"
            rb"|^\[\d{4}-\d\d-\d\dT[\d:.]+\] (?:error: |debug\d?: )?(?:\w+: )?"
            rb"(?:Killing |[Rr]equeue job |Batch |Resending )?"
            rb"(?:JobId=|Nodes? \S+ (?:not |now )?(?:respond|unexpectedly))"
        ),
    ),
    (
        "slurmd",
        compile_late(
            rb"slurmd version|launch task StepId|_run_prolog|slurmstepd|Slurmd|STEPD TERMINATED"
            rb"|can't stat gres\.conf file "
            rb"|[Hh]ealth_?[Cc]heck(?:Program)?(?: poll timeout|:? failed: rc:)"
        ),
    ),
    (
        "kubelet",
        compile_late(
            rb"kubelet[._]\w+\.go|SyncLoop|pleg\.go|reconciler_common\.go"
            rb"|ailed to ensure (?:node )?lease exists"
            rb"|^[IWEF]\d{4} .{0,40}\b(?:remote_runtime|kuberuntime_\w+|pod_workers"
            rb"|eviction_manager|kubelet|manager|nestedpendingoperations|operation_generator|prober)\.go:\d+\]"
        ),
    ),
    (
        "containerd",
        compile_late(
            rb"containerd\.(?:io|task)|RunPodSandbox|io\.containerd|PullImage"
            rb"|level=\w+ msg=\"(?:TaskOOM|StopPodSandbox|ExecSync"
            rb"|CreateContainer|StartContainer|StopContainer|shim )"
        ),
    ),
    (
        "kube-controller-manager",
        compile_late(rb"\b(?:node_lifecycle_controller|taint_manager|taint_eviction)\.go:\d+\]"),
    ),
    (
        "mmfsd",
        compile_late(rb"^\d{4}-\d\d-\d\d_\d\d:\d\d:\d\d\.\d+[+-]\d{4}: \[[A-Z]\] "),
    ),
    ("smartd", compile_late(rb"\bDevice: /dev/\w+(?: \[\w+\])?, ")),
    (
        "chronyd",
        compile_late(
            rb"Selected source |Can't synchronise: |System clock (?:was stepped|wrong) by "
            rb"|(?:Forward|Backward) time jump detected"
        ),
    ),
    (
        "kube-apiserver",
        compile_late(
            rb"etcd3/retry_interceptor\.go|retrying of unary invoker failed"
            rb"|trace\.go:\d+.{1,12}Trace\[\d+\]: \\?\""
            rb"(?:Get|List|Update|Create|Patch|Delete|Guaranteed)"
            rb"|timeout\.go:\d+\] .{0,40}(?:post-timeout|http: Handler timeout)"
        ),
    ),
    ("etcd", compile_late(rb"etcdserver|\braft\b|wal/wal\.go|mvcc/")),
    (
        "nvidia-fabricmanager",
        compile_late(
            rb"(?i)fabric ?manager|NVSwitch|^\[\w{3} \d\d \d{4} [\d:]{8}\] \[[A-Z]+\] \[tid \d+\]"
        ),
    ),
    ("dockerd", compile_late(rb"dockerd|moby/|libcontainerd")),
)
"""Daemons that keep a log of their own, and words that only they write."""
_SERVICE_SHARE = 0.03
_PROSE_SHARE = 0.5
"""Of a text whose lines bear no stamps, so many must be a daemon's: people name daemons too."""
_TAG = compile_late(rb"([A-Za-z][\w.-]{2,40})(?:\[\d+\])?: ")
_COLLECTION = compile_late(rb"nvidia-bug-report|NVIDIA bug report|sosreport")
"""Reports that collect many programs' logs: each line must tell its writer by itself."""


def stem_of(name: str) -> str:
    """Take a file's name without folders and endings."""
    return name.rsplit("/", 1)[-1].rsplit("!", 1)[-1].partition(".")[0]


def service_of_content(head: bytes, name: str, *, stamped: bool = True) -> str:
    """Name the daemon whose own log this is; empty where it is none.

    The content decides; only where it tells nothing, neither this nor that it is a workload's, the
    file's name does. `stamped` tells whether its lines bear times.
    """
    if _COLLECTION.search(head[:4096]):
        return ""
    lines = [line for line in head.split(b"\n") if line.strip()][:400]
    share = _SERVICE_SHARE if stamped else _PROSE_SHARE
    for unit, words in _SERVICES:
        found = sum(1 for line in lines if words.search(line))
        if found > share * len(lines):
            return unit
    if unit := _tagging(lines):
        return unit
    stem = stem_of(name)
    return stem if stem and is_daemon(stem) and channel_of_content(head) != "app" else ""


def _tagging(lines: Sequence[bytes]) -> str:
    """Name the daemon that begins most lines with its own name, as a foreground process does."""
    tags = Counter(match.group(1) for line in lines if (match := _TAG.match(line)))
    tag, count = tags.most_common(1)[0] if tags else (b"", 0)
    unit = tag.decode()
    return unit if count > _PROSE_SHARE * len(lines) and is_daemon(unit) else ""


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
