"""A hand-made Investigation of a storage outage, rich enough to render every part of a report."""
# ruff: noqa: E501 -- Chinese sentences are wide on the screen

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from assistant.diagnosis.result import (
    ChainLink,
    Change,
    Claim,
    Diagnosis,
    FirstFailing,
    Hypothesis,
    Impact,
    Instruction,
    Missing,
    NextCheck,
    OfferedRemedy,
    RootCause,
    RuledOut,
    State,
)
from assistant.event import Anchor, ClockCorrection, Coverage, Event, Setting, Timeline
from assistant.incident import Incident, PriorityDecision
from assistant.investigation import Cluster, Investigation, Versions
from knowledge.page import Bilingual, Page
from tools.entity import Entity
from tools.evidence import UNKNOWN_ZONE_S, Citation, Evidence, Gap, Instant, Window

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


_TITLES: Mapping[str, tuple[str, str, str, str, str, str]] = {
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
        for page, (role, layer, plane, severity, en, zh) in _TITLES.items()
    }


def _event(number: int, page: str, entity: Entity, start: Instant, **more: object) -> Event:
    role, layer, plane, severity, *_ = _TITLES[page]
    return Event.model_validate(
        {
            "id": f"ev{number}",
            "page": page,
            "role": role,
            "layer": layer,
            "plane": plane,
            "severity": severity,
            "entity": entity,
            "start": start,
            "last": more.pop("last", start),
            **more,
        },
    )


def _quote(evidence: str, line: int, text: str) -> Citation:
    return Citation(evidence=evidence, line=line, text=text)


def _node(name: str) -> Entity:
    return Entity(kind="node", id=name)


def _mounts() -> tuple[Entity, ...]:
    return tuple(Entity(kind="mount", id=f"{node}:/data") for node in NODES)


def _nodes() -> tuple[Entity, ...]:
    return tuple(_node(name) for name in NODES)


def build_events() -> tuple[Event, ...]:
    """Return the outage's events, in order."""
    disk = Entity(kind="disk", id="controller-a/disk-5")
    job = Entity(kind="job", id="train/llm-70b")
    where = tuple(Anchor(kind="node", id=node) for node in NODES)
    unsure = {"error_s": UNKNOWN_ZONE_S, "zone": "unknown"}
    return (
        _event(1, "storage-disk-media-error", disk, at(19, **unsure), last=at(23, **unsure),  # type: ignore[arg-type]  # mixed keywords
               count=14, text="Controller A: Disk firmware error on disk 5",
               citations=(_quote("E4", 12, "Controller A: Disk firmware error on disk 5"),)),
        _event(2, "storage-controller-failover", SERVER, at(23.2, error_s=1), end=at(28.4),
               last=at(28.4), text="Controller A: Starting failover to Controller B", damage=0,
               citations=(
                   _quote("E4", 88, "Controller A: Starting failover to Controller B"),
                   _quote("E4", 89, "Controller B: Received failover request"),
                   _quote("E4", 90, "Controller B: takeover complete, grace period 90 s"),
               )),
        _event(3, "nfs-server-not-responding", Entity(kind="mount", id="astra-gpu-01:/data"),
               at(26.4), before_s=180, end=at(28.9), last=at(28.9), members=_mounts(),
               anchors=where, text="nfs: server 10.0.0.10 not responding, still trying", count=30,
               citations=(
                   _quote("E1", 120, "kernel: nfs: server 10.0.0.10 not responding, still trying"),
                   _quote("E1", 141, "kernel: nfs: server 10.0.0.10 OK"),
                   _quote("E2", 77, "kernel: nfs: server 10.0.0.10 not responding, still trying"),
               )),
        _event(4, "storage-latency-high", SERVER, at(23.9), last=at(28), end=at(28.5),
               citations=(_quote("E7", 0, 'nfs_rtt_p99{server="10.0.0.10"} 41.2'),)),
        _event(5, "checkpoint-io-stalled", job, at(24.1), last=at(28.6),
               citations=(_quote("E8", 501, "[rank0] saving checkpoint step 88000 ... stalled"),)),
        _event(6, "health-check-coupled-to-storage", _node("astra-gpu-07"), at(24.3), count=60,
               members=_nodes(), anchors=where, last=at(28.8), end=at(29.4),
               text="ERROR: cannot write temp file to /data/checkpoints/.healthcheck",
               citations=(
                   _quote("E5", 3, "[2025-06-20 10:24:15] ERROR: cannot write temp file to "
                                   "/data/checkpoints/.healthcheck"),
                   _quote("E5", 4, "[2025-06-20 10:24:16] ERROR: healthcheck failed for node "
                                   "astra-gpu-07"),
               )),
        _event(7, "node-tainted-by-health-check", _node("astra-gpu-07"), at(24.6),
               members=_nodes(), anchors=where, last=at(29), end=at(31),
               citations=(_quote("E3", 210, "taint gpu-health=failed:NoExecute added"),)),
        _event(8, "node-not-ready", _node("astra-gpu-01"), at(25), members=_nodes()[:28],
               anchors=where[:28], last=at(29), end=at(31.5), damage=2,
               text="Node astra-gpu-01 status is now: NodeNotReady",
               citations=(_quote("E3", 233, "Node astra-gpu-01 status is now: NodeNotReady"),)),
        _event(9, "pod-evicted-by-taint", Entity(kind="pod", id="train/llm-70b-0"), at(25.1),
               count=42, anchors=where, last=at(27),
               citations=(_quote("E3", 240, "TaintManagerEviction: Marking for deletion "
                                            "Pod train/llm-70b-0"),)),
        _event(10, "command-hung-on-mount", Entity(kind="mount", id="astra-gpu-07:/data"),
               at(27.5), anchors=(Anchor(kind="node", id="astra-gpu-07"),), last=at(27.5),
               text="HUNG after 10 s: df -h /data",
               citations=(_quote("E6", 1, "HUNG after 10 s: df -h /data"),)),
        _event(11, "job-failed", job, at(25.6), damage=3, last=at(25.6), count=3,
               text="Job has reached the specified backoff limit",
               citations=(_quote("E3", 255, "Job has reached the specified backoff limit"),)),
        _event(12, "training-progress", job, at(36), last=at(58), count=40,
               citations=(_quote("E8", 990, "step 88040 loss 1.92"),)),
    )  # fmt: skip


def build_evidence() -> tuple[Evidence, ...]:
    """Return the captures that the events cite, one that hung and one that was denied."""
    window = Window(since=START, until=START + timedelta(hours=1))

    def capture(number: int, source: str, command: str, target: str, **more: object) -> Evidence:
        values = {"id": f"E{number}", "source": source, "command": command, "target": target}
        observed = START + timedelta(hours=1, minutes=number)
        base = {"window": window, "observed_at": observed, "sha256": f"{number:064x}", "size": 4096}
        return Evidence.model_validate({**base, **values, **more})

    return (
        capture(1, "journal", "journalctl -o export --since @1750384800", "astra-gpu-01"),
        capture(2, "journal", "journalctl -o export --since @1750384800", "astra-gpu-07"),
        capture(3, "kubernetes", "kubectl get events -A -o json", "astra"),
        capture(4, "file", "storage/controller.log", "storage/controller.log", observed_at=None),
        capture(5, "file", "app/healthcheck.log", "app/healthcheck.log"),
        capture(6, "host", "df -h /data", "astra-gpu-07", outcome="hung", size=0,
                detail="gave up after 10 s", live=True),
        capture(7, "prometheus", "nfs_rtt_p99", "prometheus"),
        capture(8, "kubernetes", "kubectl logs -n train llm-70b-0 --previous", "train/llm-70b-0"),
        capture(9, "nvml", "nvidia-smi -q", "astra-gpu-07", live=True),
        capture(10, "network", "ssh leaf-3 show interface", "leaf-3", outcome="denied", size=0,
                detail="Permission denied (publickey)"),
    )  # fmt: skip


def build_diagnosis() -> Diagnosis:
    """Return the conclusion: the server as where, the failover as why, the amplifier between."""
    explained = tuple(f"ev{n}" for n in range(3, 12))
    root = RootCause(
        hypothesis="h1", page="storage-controller-failover", codes=("GST-3002",),
        title=both("Storage controller failover", "存储控制器切换"),
        layer="hardware", plane="storage", entity=SERVER, observed=True, confidence="LIKELY",
        where=Claim(text=both("Storage server 10.0.0.10 stopped answering all 30 clients at 02:23:12Z",
                              "存储服务器 10.0.0.10 在 02:23:12Z 停止响应全部 30 个客户端"),
                    confidence="CONFIRMED"),
        why=Claim(text=both("Controller A failed over to controller B after media errors on disk 5",
                            "控制器 A 因 5 号盘介质错误切换到控制器 B"), confidence="LIKELY"),
        explains=explained, evidence=("E4", "E1", "E2"), event="ev2",
    )  # fmt: skip
    rival = Hypothesis(
        id="h2", rank=2, page="gpu-hardware-failure",
        title=both("GPU hardware failure", "GPU 硬件故障"), layer="hardware", plane="compute",
        entity=_node("astra-gpu-07"), observed=False, score=-3.1, explains=("ev8", "ev11"),
        kinds=2, contradicts=("ev2",), missing=("storage-latency-high",), would_tell=("c2",),
    )  # fmt: skip
    lead = Hypothesis(
        id="h1", rank=1, page=root.page, title=root.title, layer="hardware", plane="storage",
        entity=SERVER, event="ev2", score=21.4, explains=explained, kinds=9,
        supports=("E4", "E1", "E3"), would_tell=("c1",),
    )  # fmt: skip
    return Diagnosis(
        verdict="fault", confidence="LIKELY",
        state=State(now="recovered", as_of=START + timedelta(hours=1)),
        impact=Impact(nodes=30, gpus=240, jobs=3), first_anomaly="ev1",
        root_causes=(root,), hypotheses=(lead, rival), chain=_chain(),
        amplifiers=("ev6", "ev7"),
        first_failing=(FirstFailing(
            job="train/llm-70b", entity=Entity(kind="rank", id="train/llm-70b/0"),
            why=both("rank 0 stalls before the others wait", "rank 0 在其他成员等待之前停滞"),
            evidence=("E8",)),),
        contain_now=(Instruction(
            text=both("Pause the queue until mounts answer on three nodes", "暂停队列，直到三个节点的挂载恢复"),
            why=both("Retries fail again and feed the storm", "重试会再次失败并加剧风暴")),),
        do_not=(Instruction(
            text=both("Do not restart kubelet or reboot nodes", "不要重启 kubelet 或节点"),
            why=both("Evidence on the nodes would be lost and nothing is wrong with them",
                     "节点本身没有问题，重启会丢失证据")),),
        changes=(Change(at=START - timedelta(minutes=40), what="Deployment gpu-health rolled out v2",
                        page="rollout-changed", entity=Entity(kind="service", id="gpu-health"),
                        scope_match=False, evidence=("E3",)),),
        ruled_out=(RuledOut(
            page="gpu-hardware-failure", title=both("GPU hardware failure", "GPU 硬件故障"),
            why=both("Kernel logs of the nodes cover the window without a gap and hold no Xid and no AER",
                     "节点内核日志完整覆盖时间窗，没有 Xid，也没有 AER"), evidence=("E1", "E2")),),
        unexplained=(), collateral={"ev11": "ev9"},
        next_checks=(
            NextCheck(id="c1", command="show failover history", where="server 10.0.0.10",
                      why=both("Gives the failover's own time with zone", "给出带时区的切换时刻"),
                      tells_apart=("h1",)),
            NextCheck(id="c2", command="nvidia-smi -q -d ECC,ROW_REMAPPER", where="node astra-gpu-07",
                      why=both("Shows whether a GPU failed at all", "看是否真有 GPU 故障"),
                      tells_apart=("h1", "h2")),
        ),
        missing_information=(Missing(
            what=both("Time zone of the storage appliance", "存储设备的时区"),
            why=both("Its log has no zone, so its order is open by 14 h", "日志没有时区，先后误差 14 小时")),),
        remedies=(OfferedRemedy(page="health-check-coupled-to-storage", id="split",
                                title=both("Take the write test out of the GPU check", "把写测试移出 GPU 检查"),
                                stage="restore", risk="R2"),),
        caps=(both("The storage log names no zone", "存储日志没有注明时区"),),
    )  # fmt: skip


def _chain() -> tuple[ChainLink, ...]:
    def link(cause: int, effect: int, delay_s: float, *evidence: str, **more: object) -> ChainLink:
        values = {"source": f"ev{cause}", "target": f"ev{effect}", "delay_s": delay_s}
        base = {"delay_uncertainty_s": 1.0, "status": "observed", "scope": "server"}
        return ChainLink.model_validate({**base, **values, "evidence": evidence, **more})

    return (
        link(1, 2, 252, "E4", status="inferred", delay_uncertainty_s=UNKNOWN_ZONE_S),
        link(
            2, 3, 12, "E4", "E1", why=both("Clients retry a server that is gone", "客户端不断重试")
        ),
        link(2, 4, 42, "E7"),
        link(3, 5, 54, "E8", scope="mount"),
        link(3, 6, 66, "E5", scope="mount"),
        link(6, 7, 18, "E3", scope="node"),
        link(7, 8, 24, "E3", scope="node", status="inferred"),
        link(7, 9, 30, "E3", scope="node"),
        link(9, 11, 30, "E3", scope="job"),
        link(3, 10, 66, "E6", scope="mount"),
    )


def build_investigation() -> Investigation:
    """Return the whole, as a finished investigation of a bundle."""
    covered = tuple(
        Coverage(source="journal", target=node, state="abnormal", since=START,
                 until=START + timedelta(hours=1), evidence=("E1",))
        for node in NODES[:2]
    )  # fmt: skip
    setting = Setting(name="nfs_timeo_s", value=60.0, citation=_quote("E1", 12, "timeo=600"))
    return Investigation(
        incident=Incident(id="I-20250620-1", title="Nodes flap, GPUs at zero"),
        step="diagnosed",
        window=Window(since=START, until=START + timedelta(hours=1)),
        evidence=build_evidence(),
        gaps=(Gap(source="network", target="leaf-3", why="permission denied",
                  window=Window(since=START, until=START + timedelta(hours=1))),
              Gap(source="prometheus", target="dcgm", why="no samples before 02:10Z",
                  window=Window(since=START, until=START + timedelta(minutes=10)))),
        timeline=Timeline(
            events=build_events(), settings=(setting,),
            corrections=(ClockCorrection(clock="host:astra-gpu-12", offset_s=-91.0,
                                         uncertainty_s=0.5, why="chrony offset", evidence=("E1",)),),
            unresolved_zones=("file:E4",)),
        coverage=(
            *covered,
            Coverage(source="host", target="astra-gpu-07", state="hung", evidence=("E6",),
                     why="df -h /data did not return within 10 s"),
            Coverage(source="network", target="leaf-3", state="not_checked", evidence=("E10",),
                     why="permission denied"),
            Coverage(source="bmc", target="all nodes", state="not_visible",
                     why="this tenant cannot see the host layer"),
            Coverage(source="nvml", target="astra-gpu-07", state="normal", evidence=("E9",)),
        ),
        priority=PriorityDecision(level="P0", rule=both("shared storage down for every node", "所有节点的共享存储不可用"),
                                  respond_by=START + timedelta(minutes=38)),
        diagnosis=build_diagnosis(),
        cluster=Cluster(context="astra", uid="5f7c"),
        versions=Versions(product="0.1.0", handbook="a1b2c3d4"),
        generated_at=datetime(2025, 6, 20, 3, 12, 5, tzinfo=UTC),
    )  # fmt: skip
