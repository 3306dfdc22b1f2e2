"""A small sample of what operators attach: outputs of clusters' tools, exports of log stores."""

# ruff: noqa: E501 (outputs are as wide as they are)

import json

DIAG = """\
Successfully ran diagnostic for group.
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Metadata  ----------+------------------------------------------------|
| DCGM Version              | 3.1.8                                          |
| Driver Version Detected   | 550.127.08                                     |
| GPU Device IDs Detected   | 2335,2335,2335,2335,2335,2335,2335,2335        |
|-----  Deployment  --------+------------------------------------------------|
| Denylist                  | Pass                                           |
| Page Retirement/Row Remap | Fail                                           |
| Error                     | GPU 3 has uncorrectable memory errors and row  |
|                           |  remappings are pending                        |
+-----  Hardware  ----------+------------------------------------------------+
| GPU Memory                | Pass - GPUs: 1, 2, 3, 4, 5, 6, 7               |
|                           | Fail - GPU: 0                                  |
| Warning                   | GPU 0 Thermal violations totaling 13.3 second  |
|                           | s started at 9.7 seconds into the test for GP  |
|                           | U 0 Verify that the cooling on this machine i  |
|                           | s functional.                                  |
| Info                      | GPU 2 GPU 2 max power: 227.0 W average power   |
+-----  Stress  ------------+------------------------------------------------+
| Targeted Stress           | Skip - All                                     |
+---------------------------+------------------------------------------------+
"""
DIAG4 = """\
Successfully ran diagnostic for group.
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Metadata  ----------+------------------------------------------------|
| DCGM Version              | 4.4.2                                          |
| Driver Version Detected   | 580.105.08                                     |
|-----  Deployment  --------+------------------------------------------------|
| software                  | Pass                                           |
|                           | GPU0: Pass                                     |
+-----  Hardware  ----------+------------------------------------------------+
| memory                    | Fail                                           |
|                           | GPU0: Fail                                     |
|                           | GPU1: Pass                                     |
| Warning: GPU0             | a memory error                                 |
+---------------------------+------------------------------------------------+
"""
DIAG_JSON = json.dumps(
    {
        "DCGM GPU Diagnostic": {
            "version": "3.1.8",
            "test_categories": [
                {
                    "category": "Hardware",
                    "tests": [
                        {
                            "name": "GPU Memory",
                            "results": [
                                {"gpu_ids": "1,2", "status": "Pass"},
                                {
                                    "gpu_ids": "0",
                                    "status": "Fail",
                                    "warnings": "ECC errors on GPU 0",
                                },
                            ],
                        }
                    ],
                }
            ],
        }
    }
)
DIAG4_JSON = json.dumps(
    {
        "DCGM Diagnostic": {
            "test_categories": [
                {
                    "category": "Hardware",
                    "tests": [
                        {
                            "name": "memory",
                            "results": [
                                {
                                    "entity_group": "GPU",
                                    "entity_group_id": 1,
                                    "entity_id": 3,
                                    "status": "Fail",
                                    "warnings": [{"warning": "row remap pending", "error_id": 78}],
                                }
                            ],
                        }
                    ],
                }
            ]
        }
    },
    indent=2,
)
HEALTH = """\
+---------------------------+----------------------------------------------------------+
| Health Monitor Report                                                                |
+===========================+==========================================================+
| Overall Health            | Healthy                                                  |
+---------------------------+----------------------------------------------------------+
"""
HEALTH_BAD = """\
+---------------------------+----------------------------------------------------------+
| Health Monitor Report                                                                |
+===========================+==========================================================+
| Overall Health            | Failure                                                  |
| GPU ID: 3                 | Failure                                                  |
|                           | Memory system: Failure - A DBE was detected on GPU 3     |
+---------------------------+----------------------------------------------------------+
"""
SINFO_R = """\
REASON               USER      TIMESTAMP           NODELIST
Kill task failed     root      2024-05-11T07:44:05 h100-[0231-0232]
gres/gpu count repor slurm     2024-05-11T08:00:01 h100-0300
Not responding       (null)    2024-05-11T08:10:01 h100-0301
"""
SACCT = """\
       JobID    JobName  Partition    Account  AllocCPUS      State ExitCode
------------ ---------- ---------- ---------- ---------- ---------- --------
90211          pretrain        gpu      team1       2048  NODE_FAIL      1:0
90211.batch       batch                 team1         64  CANCELLED     0:15
90212          finetune        gpu      team1         64 OUT_OF_ME+    0:125
"""
SACCT_P = """\
JobIDRaw|JobName|Partition|State|ExitCode|NodeList|Start|End
90211|pretrain|gpu|CANCELLED by 1000|0:15|h100-[0231-0232]|2024-05-11T01:00:00|2024-05-11T07:44:05
90211.batch|batch||CANCELLED|0:15|h100-0231|2024-05-11T01:00:00|2024-05-11T07:44:05
90213|waits|gpu|PENDING|0:0|None assigned|Unknown|Unknown
"""
SEL = """\
   1 | 05/11/2024 | 07:41:02 | Power Supply #0x51 | Power Supply AC lost | Asserted
   2 | 05/11/2024 | 07:41:05 | Processor #0x90 | Thermal Trip | Asserted
  1f | 05/11/2024 | 07:42:00 | Memory #0x88 | Uncorrectable ECC | Asserted
"""
SEL_ELIST = """\
   1 | 06/14/2023 | 10:01:17 UTC | Power Supply PS2 Status | Power Supply AC lost | Asserted
  3a | 12/14/22 | 23:09:44 CET | Memory #0x88 | Correctable ECC (CPU0_G1) | Asserted
  34 | 02/25/2025 | 04:50:09 PM EST | Memory #0x02 | Uncorrectable ECC (DIMMD7) | Asserted
   5 |  Pre-Init  |0000000123| Power Supply PS1 Status | Power Supply AC lost | Asserted
fe3c | 04/10/2008 | 14:50:13 | Power Unit Power Redundancy | Fully Redundant
"""
PERFQUERY = """\
# Port counters: Lid 7 port 1 (CapMask: 0x1400)
PortSelect:......................1
CounterSelect:...................0x0000
SymbolErrorCounter:..............12
LinkErrorRecoveryCounter:........0
LinkDownedCounter:...............3
PortRcvErrors:...................0
CounterSelect2:..................0x00
VL15Dropped:.....................0
PortXmitData:....................6465317
PortXmitWait:....................2
# Port extended counters: Lid 1719 port 2 (CapMask: 0x5300 CapMask2: 0x0000002)
PortSelect:......................2
PortXmitData:....................26006570014026
LinkDownedCounter:...............0
"""
PERFQUERY_OLD = """\
# Port counters: Lid 936 port 1
PortSelect:......................1
SymbolErrors:....................0
LinkRecovers:....................1
LinkDowned:......................2
RcvErrors:.......................0
"""
COUNTERS = """\
/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:3
/sys/class/infiniband/mlx5_0/ports/1/counters/VL15_dropped:0
/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:55
/sys/class/infiniband/mlx5_1/ports/1/counters/link_downed:0
"""
COUNTERS_FILES = """\
==> /sys/class/infiniband/mlx5_0/ports/1/counters/link_downed <==
3

==> /sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error <==
0

==> /sys/class/infiniband/mlx5_0/ports/1/counters/link_error_recovery <==
1
"""
DOCKER_EVENTS = """\
2024-05-11T07:41:02.123456789Z container oom 6f0c2b1e77aa (image=train:1, name=job0)
2024-05-11T15:41:02.223456789+08:00 container die 6f0c2b1e77aa (execDuration=30, exitCode=137, image=train:1, name=job0)
2024-05-11T07:41:03.223456789Z container exec_create: /bin/sh -c nvidia-smi 6f0c2b1e77aa (image=train:1, io.kubernetes.pod.name=job-0, io.kubernetes.pod.namespace=train, name=k8s_x)
2024-05-11T07:41:04.223456789Z network disconnect 9a0b (container=6f0c2b1e77aa, name=bridge, type=bridge)
"""
IBDIAGNET = """\
-I- Using port 1 as the local port
-I- Subnet Manager: lid=3 priority:0
-E- Ports counters value Check finished with errors
-E- lid=0x0008 dev=51000 Se468a303005527c3/Ne468a303005527c0/P27
    Performance Monitor counter         : Value
    port_rcv_switch_relay_errors        : 65535      (overflow)
-E- lid=0x0008 dev=51000 Se468a303005527c3/Ne468a303005527c0/P31
    Performance Monitor counter         : Value
    port_xmit_discard                   : 65535      (overflow)
-E- FW Check finished with errors
-W- S200bc703001df4bc/U1 - Node has wrong FW version 2.11.1250.
"""
CRICTL_PS = """\
CONTAINER           IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID              POD                 NAMESPACE
0fa4934f79bc7       8065b798a4d67       3 hours ago         Running             calico-node         12                  09513c80fe88e       calico-node-7xxv5   kube-system
9d07f68a40ec3       8065b798a4d67       3 hours ago         Exited              mount-bpffs         0                   09513c80fe88e       calico-node-7xxv5   kube-system
"""
DOCKER_PS = """\
CONTAINER ID   IMAGE          COMMAND                  CREATED        STATUS                      PORTS     NAMES
6f0c2b1e77aa   train:1        "python3 train.py"       2 hours ago    Exited (137) 5 minutes ago            job0
9a0b2b1e77aa   dcgm:3.3       "/usr/local/bin/dcgm"    2 days ago     Up 2 days                             dcgm
"""
LOKI = json.dumps(
    {
        "status": "success",
        "data": {
            "resultType": "streams",
            "result": [
                {
                    "stream": {"hostname": "gpu-1", "transport": "kernel"},
                    "values": [
                        [
                            "1715413262123456789",
                            "NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off the bus.",
                        ],
                        ["1715413261123456789", "nvidia-uvm: Loaded the UVM driver"],
                    ],
                },
                {
                    "stream": {
                        "namespace": "train",
                        "pod": "job-0",
                        "container": "main",
                        "node_name": "gpu-1",
                    },
                    "values": [
                        ["1715413263000000000", "Traceback (most recent call last):"],
                        ["1715413263000000001", '  File "train.py", line 3, in <module>'],
                        [
                            "1715413263000000002",
                            "RuntimeError: CUDA error: uncorrectable ECC error encountered",
                        ],
                        [
                            "1715413264000000000",
                            "kernel: NVRM: Xid (PCI:0000:9b:00): 79, quoted by a program",
                        ],
                    ],
                },
                {
                    "stream": {"filename": "/var/log/syslog", "host": "gpu-2"},
                    "values": [
                        [
                            "1715413265000000000",
                            "May 11 07:41:05 gpu-2 kernel: [ 8601.500000] NVRM: Xid (PCI:0000:1b:00): 31, pid=1",
                        ],
                        [
                            "1715413266000000000",
                            "May 11 07:41:06 gpu-2 kubelet[3120]: E0511 PLEG is not healthy: again",
                        ],
                    ],
                },
            ],
            "stats": {},
        },
    },
    indent=1,
)
_HITS = [
    {
        "_index": "logs-2024.05.11",
        "_id": "a",
        "_source": {
            "@timestamp": "2024-05-11T07:41:02.123Z",
            "host": {"name": "gpu-1"},
            "syslog": {"identifier": "kernel"},
            "message": "NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off the bus.",
        },
    },
    {
        "_index": "logs-2024.05.11",
        "_id": "b",
        "_source": {
            "@timestamp": "2024-05-11T07:41:03.123Z",
            "process": {"name": "kernel"},
            "kubernetes": {
                "namespace": "train",
                "pod": {"name": "job-0"},
                "container": {"name": "main"},
                "node": {"name": "gpu-1"},
            },
            "message": "NVRM: Xid (PCI:0000:9b:00): 79, as a program prints it",
        },
    },
]
ELASTIC = json.dumps(
    {"took": 5, "timed_out": False, "hits": {"total": {"value": 2}, "hits": _HITS}}, indent=1
)
ELASTIC_DUMP = "".join(f"{json.dumps(hit)}\n" for hit in _HITS)
NCCL = """\
h100-0231:4120:4120 [0] NCCL INFO Bootstrap : Using eth0:10.4.1.7<0>
h100-0231:4120:4120 [0] NCCL INFO cudaDriverVersion 12040
h100-0231:4120:4321 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.4.1.7<0>
h100-0231:4120:4321 [0] NCCL INFO Using network IB
h100-0231:4120:4321 [0] NCCL INFO comm 0x55 rank 0 nranks 16 cudaDev 0 busId 18000 - Init START
"""
SMI_XML = """\
<?xml version="1.0" ?>
<nvidia_smi_log>
\t<driver_version>550.127.08</driver_version>
\t<gpu id="00000000:9B:00.0"><uuid>GPU-1</uuid><performance_state>P0</performance_state></gpu>
</nvidia_smi_log>
"""
BUG_REPORT = """\
____________________________________________

Start of NVIDIA bug report log file.  Please include this file, along
uname: Linux gpu-7 5.15.0-134-generic #145-Ubuntu SMP

____________________________________________

dmesg:

[ 8591.500000] NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', GPU has fallen off the bus.
[ 8592.500000] nvidia-uvm: Loaded the UVM driver
"""
POD_LOGS = """\
==== START logs for container main of pod train/job-0 ====
RuntimeError: CUDA error: uncorrectable ECC error encountered
==== END logs for container main of pod train/job-0 ====
"""
VLLM = """\
INFO 10-12 02:10:40 llm_engine.py:161] Initializing an LLM engine (v0.4.2)
(EngineCore_DP0 pid=3452) ERROR 10-12 02:10:43 [core.py:710] EngineCore encountered a fatal error.
"""
TRAINER = """\
[INFO|trainer.py:2405] 2025-05-30 02:56:21,267 >> ***** Running training *****
[INFO|trainer.py:2406] 2025-05-30 02:56:22,267 >>   Num examples = 5
"""
LOGCLI = """\
{"labels":{"host":"gpu-1","transport":"kernel"},"line":"NVRM: Xid (PCI:0000:9b:00): 79, pid=1","timestamp":"2024-05-11T07:41:02.123456789Z"}
{"labels":{"pod":"job-0","namespace":"train"},"line":"NVRM: Xid (PCI:0000:9b:00): 79, printed","timestamp":"2024-05-11T07:41:03Z"}
"""
AUDIT = """\
{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a1","stage":"ResponseComplete","verb":"patch","objectRef":{"resource":"nodes","name":"gpu-1","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":500,"message":"etcdserver: request timed out"},"requestReceivedTimestamp":"2024-05-11T07:41:02.123456Z","stageTimestamp":"2024-05-11T07:41:09.123456Z"}
"""
EXPECTED = {
    "logcli": "loki-lines", "audit": "kube-audit",
    "nccl": "nccl-log", "smi_xml": "nvidia-smi-xml", "bug_report": "nvidia-bug-report",
    "pod_logs": "cluster-dump", "vllm": "vllm", "trainer": "transformers",
    "diag": "dcgmi-diag", "diag4": "dcgmi-diag", "diag_json": "dcgmi-diag-json",
    "diag4_json": "dcgmi-diag-json", "health": "dcgmi-health", "health_bad": "dcgmi-health",
    "sinfo_r": "sinfo-reasons", "sacct": "sacct", "sacct_p": "sacct", "sel": "ipmi-sel",
    "sel_elist": "ipmi-sel", "perfquery": "perfquery", "perfquery_old": "perfquery",
    "counters": "port-counters", "counters_files": "port-counters", "loki": "loki-json",
    "ibdiagnet": "ibdiagnet", "crictl_ps": "container-table", "docker_ps": "container-table",
    "docker_events": "docker-events", "elastic": "elastic-json", "elastic_dump": "elastic-json",
}  # fmt: skip
ALL: dict[str, bytes] = {
    name.lower(): content.encode()
    for name, content in list(globals().items())
    if name.isupper() and isinstance(content, str)
}
