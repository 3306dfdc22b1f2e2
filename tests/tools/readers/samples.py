"""A small sample of each format, in the shape of real ones."""

# ruff: noqa: E501 (log lines are as long as they are)

import json

from tests.tools.readers import operator_samples

SYSLOG = """\
Jun 20 02:20:01 astra-gpu-07 CRON[812]: (root) CMD (run-parts /etc/cron.hourly)
Jun 20 02:23:11 astra-gpu-07 kernel: [81231.102311] NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
Jun 20 02:26:15 astra-gpu-07 kernel: [81415.4] nfs: server 10.0.0.10 not responding, still trying
Jun 20 02:26:16 astra-gpu-07 kubelet[3120]: E0620 02:26:16.120000    3120 kubelet.go:2412] "Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active 3m4s ago"
"""
SYSLOG_ISO = """\
2025-06-20T02:20:01.101010+00:00 astra-gpu-07 systemd[1]: Started Session 3 of user ops.
2025-06-20T10:23:11.500000+08:00 astra-gpu-07 kernel: NVRM: Xid (PCI:0000:9b:00): 31, pid=1, name=x, MMU Fault
<34>1 2025-06-20T02:23:12.003Z astra-gpu-08 kubelet 812 ID47 [x@1 a="b"] PLEG is not healthy: again
"""
DMESG = """\
[    0.000000] Linux version 5.15.0-134-generic (buildd@lcy02) #145-Ubuntu SMP
[    1.204000] rtc_cmos 00:00: setting system clock to 2025-06-20T00:00:00 UTC (1750377600)
[ 8601.500000] pcieport 0000:96:02.0: AER: Corrected error received: 0000:97:00.0
[ 8601.500010] nvidia 0000:97:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)
[ 8601.500020] nvidia 0000:97:00.0:   device [10de:2330] error status/mask=00001000/00002000
[ 8601.500030] nvidia 0000:97:00.0:    [12] Replay Timer Timeout
[ 8700.100000] NVRM: The NVIDIA GPU 0000:b3:00.0
               NVRM: (PCI ID: 10de:26b5) installed in this system has
               NVRM: fallen off the bus and is not responding to commands.
"""
DMESG_T = """\
[Fri Jun 20 02:23:11 2025] nfs: server 10.0.0.10 not responding, still trying
[Fri Jun 20 02:28:40 2025] nfs: server 10.0.0.10 OK
"""
CRI = """\
2025-06-20T02:23:11.123456789Z stdout F step 1000 loss 2.1
2025-06-20T02:23:12.123456789Z stderr F Traceback (most recent call last):
2025-06-20T02:23:12.123456790Z stderr F   File "train.py", line 3, in <module>
2025-06-20T02:23:12.123456791Z stderr F     main()
2025-06-20T02:23:12.123456792Z stderr F RuntimeError: CUDA error: uncorrectable ECC error encountered
2025-06-20T02:23:13.123456792Z stderr F bye
"""
APP = """\
[2025-06-20 10:23:15] INFO starting step 1
[rank7]:[E620 02:07:08.408123 ProcessGroupNCCL.cpp:607] [Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580)
2025-06-20 10:23:16,123 ERROR train: RuntimeError: boom
  continued here
time="2025-06-20T02:23:17.5Z" level=error msg="StopPodSandbox failed" error="context deadline exceeded"
{"level":"warn","ts":"2025-06-20T02:23:18.204Z","caller":"wal/wal.go:806","msg":"slow fdatasync","took":"6.9s"}
"""
STORAGE = """\
2025-06-20 10:21:30 Controller A: Starting failover to Controller B
2025-06-20 10:23:30 Controller B: VIP 10.0.0.10 taken over from Controller A
"""


def _field(name: str, value: bytes) -> bytes:
    return name.encode() + b"\n" + len(value).to_bytes(8, "little") + value + b"\n"


def entry(at_us: int, host: str, message: bytes, *lines: str) -> bytes:
    """Write one journal entry in the export format."""
    head = f"__CURSOR=s=1;i={at_us:x}\n__REALTIME_TIMESTAMP={at_us}\n"
    head += f"__MONOTONIC_TIMESTAMP=1\n_BOOT_ID={'b' * 32}\n_MACHINE_ID={'a' * 32}\n"
    head += f"_HOSTNAME={host}\n" + "".join(f"{line}\n" for line in lines)
    body = _field("MESSAGE", message) if b"\n" in message else b"MESSAGE=" + message + b"\n"
    return head.encode() + body + b"\n"


T0 = 1750386191000000
KERNEL = ("_TRANSPORT=kernel", "SYSLOG_IDENTIFIER=kernel", "PRIORITY=3")
KUBELET = ("_TRANSPORT=stdout", "SYSLOG_IDENTIFIER=kubelet", "_SYSTEMD_UNIT=kubelet.service")
EXPORT = b"".join(
    (
        entry(T0, "gpu-1", b"oom-kill:constraint=CONSTRAINT_MEMCG,task=python3,pid=41022", *KERNEL),
        entry(T0 + 5, "gpu-1", b"I0620 syncing", *KUBELET),
        entry(T0 + 9, "gpu-1", b"Memory cgroup out of memory: Killed process 41022", *KERNEL),
        entry(T0 + 1_000_000, "gpu-2", b"PLEG is not healthy\nsecond line\n\n__x", *KUBELET),
        entry(T0 + 2_000_000, "gpu-2", b"NVRM: Xid (PCI:0000:9b:00): 79, pid=1", *KERNEL),
    )
)
JOURNAL_JSON = "\n".join(
    json.dumps(
        {
            "__REALTIME_TIMESTAMP": str(T0 + n),
            "_HOSTNAME": "gpu-1",
            "_TRANSPORT": "kernel",
            "MESSAGE": message,
        }
    )
    for n, message in enumerate(["nfs: server a not responding", list(b"NVRM: Xid \xff 79"), None])
)
EVENT = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {
        "name": "n.1",
        "namespace": "default",
        "creationTimestamp": "2025-06-20T02:00:00Z",
    },
    "involvedObject": {"kind": "Node", "name": "gpu-1"},
    "reason": "NodeNotReady",
    "message": "Node gpu-1 status is now: NodeNotReady",
    "source": {"component": "node-controller"},
    "firstTimestamp": "2025-06-20T02:26:00Z",
    "lastTimestamp": "2025-06-20T02:27:00Z",
    "count": 3,
    "type": "Warning",
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "job-0", "namespace": "train", "uid": "u1"},
    "spec": {"nodeName": "gpu-1"},
    "status": {"phase": "Running"},
}
LIST = json.dumps({"apiVersion": "v1", "items": [POD, EVENT], "kind": "List"}, indent=1)
YAML = """\
apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    creationTimestamp: "2025-01-01T00:00:00Z"
    name: gpu-1
    uid: 6f0c
  status:
    capacity:
      nvidia.com/gpu: "8"
kind: List
"""
PROMETHEUS = json.dumps(
    {
        "status": "success",
        "data": {
            "resultType": "matrix",
            "result": [
                {"metric": {"Hostname": "gpu-1"}, "values": [[1750386191, "0"], [1750386206, "79"]]}
            ],
        },
    }
)
OPENMETRICS = """\
# HELP node_load1 1m load average.
# TYPE node_load1 gauge
node_load1{instance="gpu-1:9100"} 3.5 1750386191
node_load1{instance="gpu-1:9100"} 4.5 1750386206
# TYPE x_total counter
x_total{a="q\\"uote",b="2"} 1e3
# EOF
"""
ALERTS = json.dumps(
    {
        "version": "4",
        "groupKey": "{}",
        "status": "firing",
        "alerts": [
            {
                "status": "firing",
                "labels": {
                    "alertname": "NfsStall",
                    "instance": "gpu-1:9100",
                    "severity": "warning",
                },
                "annotations": {"summary": "NFS retransmissions"},
                "startsAt": "2025-06-20T02:27:00Z",
                "endsAt": "0001-01-01T00:00:00Z",
                "fingerprint": "ee5d",
            }
        ],
    }
)
NVML = json.dumps(
    {
        "host": "gpu-1",
        "observed_at": "2025-06-20T03:00:00Z",
        "driver_version": "550.127.08",
        "gpus": [
            {
                "index": 0,
                "uuid": "GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31",
                "pci_bus_id": "00000000:9B:00.0",
                "ecc_uncorrected_volatile": 2,
                "row_remap_pending": False,
                "processes": [{"pid": 41022, "memory_mib": 60000}],
            },
            {"index": 1, "error": "GPU is lost"},
        ],
    }
)
SMI = """\

==============NVSMI LOG==============

Timestamp                                 : Fri Jun 20 02:23:15 2025
Driver Version                            : 550.127.08
Attached GPUs                             : 2
GPU 00000000:9B:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    GPU UUID                              : GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31
    PCI
        GPU Link Info
            Link Width
                Max                       : 16x
                Current                   : 8x
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            SRAM Uncorrectable Parity     : 1
            DRAM Uncorrectable            : 2
        Aggregate
            DRAM Uncorrectable            : 4
    Remapped Rows
        Pending                           : Yes
        Remapping Failure Occurred        : No
    Temperature
        GPU Current Temp                  : 44 C
"""
DESCRIBE = """\
Name:               gpu-1
Roles:              <none>
Labels:             nvidia.com/gpu.count=8
Annotations:        <none>
CreationTimestamp:  Mon, 02 Jun 2025 00:00:00 +0000
Conditions:
  Type    Status  Reason
  ----    ------  ------
  Ready   False   KubeletNotReady
Capacity:
  nvidia.com/gpu:  8
Events:
  Type     Reason        Age                  From             Message
  ----     ------        ----                 ----             -------
  Warning  NodeNotReady  3m1s (x6 over 120m)  node-controller  Node gpu-1 status is now: NodeNotReady
"""
MOUNTS = """\
/dev/nvme0n1p2 / ext4 rw,relatime 0 0
10.0.0.10:/export/data /data nfs4 rw,relatime,vers=4.1,hard,proto=tcp,timeo=600,retrans=2,addr=10.0.0.10 0 0
"""
DF = """\
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  3.5T  3.4T  100G  98% /
tmpfs           1.0G     0  1.0G   0% /dev/shm
"""
IBSTAT = """\
CA 'mlx5_0'
\tCA type: MT4129
\tPort 1:
\t\tState: Down
\t\tPhysical state: Polling
\t\tRate: 400
"""
CRI_INSPECT = json.dumps(
    {
        "status": {"id": "ab", "exitCode": 137, "labels": {"io.kubernetes.pod.name": "p"}},
        "info": {"pid": 7, "runtimeSpec": {}},
    }
)
LSPCI = """\
0000:9b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)
\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\tLnkSta:\tSpeed 32GT/s, Width x8 (downgraded)
"""
LSPCI_BRIDGE = """\
$ lspci -vvv
00:01.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Device 14ab (rev 01) (prog-if 00 [Normal])
\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans+
\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-
"""
CHRONY = """\
Reference ID    : 0A000001 (ntp1)
Stratum         : 3
System time     : 37.284000000 seconds slow of NTP time
Last offset     : -0.000012345 seconds
Leap status     : Normal
"""
APT = """\

Start-Date: 2025-06-19  06:21:44
Commandline: /usr/bin/unattended-upgrade
Upgrade: libnvidia-compute-550:amd64 (550.90.07, 550.127.05)
End-Date: 2025-06-19  06:22:10
"""
TOPOLOGY = json.dumps({"nodes": [{"name": "gpu-1", "rack": "r1", "switch": "leaf1"}]})
TEXT = "something happened: NVRM: Xid is a word here\nand then nothing\n"

ALL: dict[str, bytes] = {
    name.lower(): content if isinstance(content, bytes) else content.encode()
    for name, content in list(globals().items())
    if name.isupper() and isinstance(content, str | bytes)
}
ALL |= operator_samples.ALL
