"""What commands print reaches a page: readings that a reader types and that a state judges."""

from pathlib import Path

import pytest

from knowledge.matching import Match, Matcher
from knowledge.page import StateSignature
from tests.assistant.handbook import shipped
from tests.tools.readers import operator_samples as samples
from tests.tools.readers import test_scontrol_job, test_sdiag, test_sinfo, test_squeue
from tests.tools.readers.conftest import read_paths
from tools.evidence import Reading

INVALID = """\
NodeName=gpu-n03 Arch=x86_64 CoresPerSocket=48
   Gres=gpu:8
   State=IDLE+DRAIN+INVALID_REG ThreadsPerCore=1
   CfgTRES=cpu=96,mem=1000000M,billing=96,gres/gpu=8
   Reason=gres/gpu count reported lower than configured (7 < 8) [slurm@2026-07-28T17:13:24]
"""
NO_GPU = """\
0 GPUs found.
+--------+----------------------------------------------------------------------+
| GPU ID | Device Information                                                   |
+--------+----------------------------------------------------------------------+
+--------+----------------------------------------------------------------------+
"""
COUNTERS = """\
/sys/class/infiniband/mlx5_5/ports/1/counters/link_error_recovery:41
/sys/class/infiniband/mlx5_5/ports/1/counters/link_downed:9
/sys/class/infiniband/mlx5_5/ports/1/counters/local_link_integrity_errors:3
/sys/class/infiniband/mlx5_5/ports/1/counters/symbol_error:210
/sys/class/infiniband/mlx5_5/ports/1/counters/port_xmit_discards:0
"""
LIMITS = """\
core file size              (blocks, -c) 0
max locked memory           (kbytes, -l) 8192
open files                          (-n) 1024
"""
PORT = """\
CA 'mlx5_3'
\tCA type: MT4129
\tNumber of ports: 1
\tPort 1:
\t\tState: {state}
\t\tPhysical state: {physical}
\t\tRate: 400
\t\tLink layer: InfiniBand
"""


def matched(folder: Path, text: str) -> list[tuple[Reading, Match]]:
    """Pair what a file's readings say with the states that hold in it."""
    file = folder / "evidence"
    file.write_text(text)
    matcher = Matcher(shipped())
    return [
        (reading, match)
        for reading in read_paths(file).readings
        for match in matcher.match_state(
            "reading", reading.kind, {"host": reading.host or "gpu-n03", **reading.values}
        )
    ]


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        (samples.SINFO_R, {"slurm-kill-task-failed", "slurm-gpu-count-low",
                           "slurm-node-not-responding"}),
        (INVALID, {"slurm-gpu-count-low", "node-cordoned"}),
        (samples.SACCT, {"job-failed", "cgroup-oom-kill"}),
        (samples.SACCT_P, set()),
        (test_squeue.QUEUE, {"slurm-job-waits-for-node"}),
        (test_scontrol_job.JOBS, {"slurm-job-waits-for-node", "job-failed"}),
        (test_sinfo.BY_NODE, {"slurm-kill-task-failed", "slurm-gpu-count-low",
                              "slurm-node-not-responding", "node-cordoned"}),
        (test_sdiag.BUSY, set()),
        (test_sdiag.BUSY.replace("DBD Agent queue size: 0", "DBD Agent queue size: 25430"),
         {"slurm-accounting-behind"}),
        (test_sdiag.BUSY.replace("count:  3", "count:  256"), {"slurm-controller-busy"}),
        (samples.HEALTH_BAD, {"dcgm-health-warning"}),
        (samples.DIAG, {"dcgm-diagnostic-failed"}),
        (samples.DIAG4_JSON, {"dcgm-diagnostic-failed"}),
        (NO_GPU, {"gpu-exporter-sees-no-gpu"}),
        (COUNTERS, {"ib-errors-counted"}),
        (samples.COUNTERS, set()),
        (samples.IBDIAGNET, {"ib-fabric-check-complains"}),
        (LIMITS, {"locked-memory-limit-low"}),
        (PORT.format(state="Down", physical="Polling"), {"ib-link-down"}),
        (PORT.format(state="Active", physical="LinkUp"), set()),
        ("link mlx5_3/1 state DOWN physical_state POLLING netdev ibp3s0\n", {"ib-link-down"}),
    ],
)  # fmt: skip
def test_what_a_command_printed_is_judged(tmp_path: Path, text: str, pages: set[str]) -> None:
    """Slurm's reasons and accounts, DCGM's health and tests, port counters, limits."""
    assert {match.page for _, match in matched(tmp_path, text)} == pages


@pytest.mark.parametrize(
    "text",
    [
        samples.SINFO_R,
        INVALID,
        samples.SACCT,
        samples.HEALTH_BAD,
        samples.DIAG,
        NO_GPU,
        LIMITS,
        test_squeue.QUEUE,
        test_sinfo.BY_NODE,
    ],
)
def test_what_is_judged_is_quoted_as_it_was_printed(tmp_path: Path, text: str) -> None:
    """A value's own words stand on the line that is named, so that a citation can be checked."""
    for reading, match in matched(tmp_path, text):
        assert isinstance(match.signature, StateSignature)
        for name in {test.field for test in match.signature.where if test.op != "exists"}:
            line, words = reading.quotes[name]
            assert words
            assert words in text.splitlines()[line - 1]


def test_every_kind_of_reading_that_tells_of_trouble_has_a_judge() -> None:
    """None of these is read for nothing."""
    kinds = {
        signature.kind
        for _, signature in shipped().signatures()
        if isinstance(signature, StateSignature) and signature.source == "reading"
    }
    assert kinds >= {
        "slurm_node", "slurm_job", "slurm_controller", "dcgm_health", "dcgm_diag", "dcgm",
        "ib_counters", "ib_finding", "limits", "gpu", "nic", "gid", "process", "pci",
    }  # fmt: skip
