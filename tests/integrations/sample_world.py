"""The world of the sample: a storage outage of thirty nodes, its things and its pages."""
# ruff: noqa: E501 -- Chinese sentences are wide on the screen

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from knowledge.bilingual import Bilingual
from knowledge.page import Page
from tools.entity import Entity
from tools.evidence import Citation, Instant

START = datetime(2025, 6, 20, 2, 0, tzinfo=UTC)
NODES = tuple(f"astra-gpu-{n:02d}" for n in range(1, 31))
SERVER = Entity(kind="storage_server", id="10.0.0.10", names=("controller A",))


def at(minutes: float, *, error_s: float = 0.0, zone: str = "stated") -> Instant:
    """Return a moment so many minutes into the hour of the outage."""
    moment = START + timedelta(minutes=minutes)
    return Instant(utc=moment, uncertainty_s=error_s, zone=zone, original=moment.isoformat())  # type: ignore[arg-type]  # a literal at every call


def both(en: str, zh: str) -> Bilingual:
    """Return one sentence in both languages."""
    return Bilingual(en=en, zh=zh)


TITLES: Mapping[str, tuple[str, str, str, str, str, str]] = {
    # page: role, layer, plane, severity, en, zh
    "storage-disk-media-error": ("root", "hardware", "storage", "warning",
                                 "Disk reports media errors", "磁盘报介质错误"),
    "storage-controller-failover": ("root", "hardware", "storage", "critical",
                                    "Storage controller failover", "存储控制器切换"),
    "nfs-server-not-responding": ("mechanism", "system", "storage", "error",
                                  "NFS server not responding", "NFS 服务器无响应"),
    "command-hung-on-mount": ("symptom", "system", "compute", "error",
                              "Command hangs on a mount", "命令卡在挂载点上"),
    "health-check-coupled-to-storage": ("mechanism", "orchestration", "compute", "error",
                                        "GPU health check fails because it writes to shared storage",
                                        "GPU 健康检查因写共享存储而失败"),
    "node-tainted-by-health-check": ("mechanism", "orchestration", "control", "warning",
                                     "Node tainted on a health-check verdict",
                                     "健康检查结论导致节点被打污点"),
    "node-not-ready": ("symptom", "orchestration", "control", "critical",
                       "Node NotReady", "节点 NotReady"),
    "pod-evicted-by-taint": ("symptom", "orchestration", "control", "error",
                             "Pod evicted by a taint", "Pod 因污点被驱逐"),
    "checkpoint-io-stalled": ("symptom", "application", "workload", "warning",
                              "Checkpoint writing stalls", "检查点写入停滞"),
    "job-failed": ("symptom", "application", "workload", "critical",
                   "Training job failed", "训练任务失败"),
    "storage-latency-high": ("symptom", "system", "storage", "warning",
                             "Storage latency high", "存储延迟升高"),
    "gpu-hardware-failure": ("root", "hardware", "compute", "critical",
                             "GPU hardware failure", "GPU 硬件故障"),
    "training-progress": ("benign", "application", "workload", "info",
                          "Training makes progress", "训练在推进"),
}  # fmt: skip


def build_pages() -> Mapping[str, Page]:
    """Return the pages that the sample names."""
    return {
        page: Page.model_validate(
            {
                "id": page,
                "title": {"en": en, "zh": zh},
                "summary": {"en": en, "zh": zh},
                "layer": layer,
                "plane": plane,
                "role": role,
                "severity": severity,
                "priority": "P1",
                "entity": {"kind": "node"},
                "codes": ("GST-3002",) if page == "storage-controller-failover" else (),
            },
        )
        for page, (role, layer, plane, severity, en, zh) in TITLES.items()
    }


def quote(evidence: str, line: int, text: str) -> Citation:
    return Citation(evidence=evidence, line=line, text=text)


def node(name: str) -> Entity:
    return Entity(kind="node", id=name)
