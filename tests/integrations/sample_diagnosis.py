"""The sample's conclusion: the server as where, the failover as why, the amplifier between."""
# ruff: noqa: E501 -- Chinese sentences are wide on the screen

from datetime import timedelta

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
from tests.integrations.sample_world import SERVER, START, both, node
from tools.entity import Entity
from tools.evidence import UNKNOWN_ZONE_S

EXPLAINED = tuple(f"ev{n}" for n in range(3, 12))


def build_diagnosis() -> Diagnosis:
    """Return the conclusion with all its parts."""
    root = _root()
    return Diagnosis(
        verdict="fault", confidence="LIKELY",
        state=State(now="recovered", as_of=START + timedelta(hours=1)),
        impact=Impact(nodes=30, gpus=240, jobs=3), first_anomaly="ev1",
        root_causes=(root,), hypotheses=(_lead(root), _rival()), chain=_chain(),
        amplifiers=("ev6", "ev7"),
        first_failing=_first_failing(), contain_now=_contain_now(), do_not=_do_not(),
        changes=_changes(), ruled_out=_ruled_out(),
        unexplained=(), collateral={"ev11": "ev9"},
        next_checks=_next_checks(), missing_information=_missing(),
        remedies=(OfferedRemedy(page="health-check-coupled-to-storage", id="split",
                                title=both("Take the write test out of the GPU check", "把写测试移出 GPU 检查"),
                                stage="restore", risk="R2"),),
        caps=(both("The storage log names no zone", "存储日志没有注明时区"),),
    )  # fmt: skip


def _root() -> RootCause:
    return RootCause(
        hypothesis="h1", page="storage-controller-failover", codes=("GST-3002",),
        title=both("Storage controller failover", "存储控制器切换"),
        layer="hardware", plane="storage", entity=SERVER, observed=True, confidence="LIKELY",
        where=Claim(text=both("Storage server 10.0.0.10 stopped answering all 30 clients at 02:23:12Z",
                              "存储服务器 10.0.0.10 在 02:23:12Z 停止响应全部 30 个客户端"),
                    confidence="CONFIRMED"),
        why=Claim(text=both("Controller A failed over to controller B after media errors on disk 5",
                            "控制器 A 因 5 号盘介质错误切换到控制器 B"), confidence="LIKELY"),
        explains=EXPLAINED, evidence=("E4", "E1", "E2"), event="ev2",
    )  # fmt: skip


def _rival() -> Hypothesis:
    return Hypothesis(
        id="h2", rank=2, page="gpu-hardware-failure",
        title=both("GPU hardware failure", "GPU 硬件故障"), layer="hardware", plane="compute",
        entity=node("astra-gpu-07"), observed=False, score=-3.1, explains=("ev8", "ev11"),
        kinds=2, contradicts=("ev2",), missing=("storage-latency-high",), would_tell=("c2",),
    )  # fmt: skip


def _lead(root: RootCause) -> Hypothesis:
    return Hypothesis(
        id="h1", rank=1, page=root.page, title=root.title, layer="hardware", plane="storage",
        entity=SERVER, event="ev2", score=21.4, explains=EXPLAINED, kinds=9,
        supports=("E4", "E1", "E3"), would_tell=("c1",),
    )  # fmt: skip


def _first_failing() -> tuple[FirstFailing, ...]:
    return (FirstFailing(
        job="train/llm-70b", entity=Entity(kind="rank", id="train/llm-70b/0"),
        why=both("rank 0 stalls before the others wait", "rank 0 在其他成员等待之前停滞"),
        evidence=("E8",)),)  # fmt: skip


def _contain_now() -> tuple[Instruction, ...]:
    return (Instruction(
        text=both("Pause the queue until mounts answer on three nodes", "暂停队列，直到三个节点的挂载恢复"),
        why=both("Retries fail again and feed the storm", "重试会再次失败并加剧风暴")),)  # fmt: skip


def _do_not() -> tuple[Instruction, ...]:
    return (Instruction(
        text=both("Do not restart kubelet or reboot nodes", "不要重启 kubelet 或节点"),
        why=both("Evidence on the nodes would be lost and nothing is wrong with them",
                 "节点本身没有问题，重启会丢失证据")),)  # fmt: skip


def _changes() -> tuple[Change, ...]:
    return (Change(at=START - timedelta(minutes=40), what="Deployment gpu-health rolled out v2",
                   page="rollout-changed", entity=Entity(kind="service", id="gpu-health"),
                   scope_match=False, evidence=("E3",)),)  # fmt: skip


def _ruled_out() -> tuple[RuledOut, ...]:
    return (RuledOut(
        page="gpu-hardware-failure", title=both("GPU hardware failure", "GPU 硬件故障"),
        why=both("Kernel logs of the nodes cover the window without a gap and hold no Xid and no AER",
                 "节点内核日志完整覆盖时间窗，没有 Xid，也没有 AER"), evidence=("E1", "E2")),)  # fmt: skip


def _next_checks() -> tuple[NextCheck, ...]:
    return (
        NextCheck(id="c1", command="show failover history", where="server 10.0.0.10",
                  why=both("Gives the failover's own time with zone", "给出带时区的切换时刻"),
                  tells_apart=("h1",)),
        NextCheck(id="c2", command="nvidia-smi -q -d ECC,ROW_REMAPPER", where="node astra-gpu-07",
                  why=both("Shows whether a GPU failed at all", "看是否真有 GPU 故障"),
                  tells_apart=("h1", "h2")),
    )  # fmt: skip


def _missing() -> tuple[Missing, ...]:
    return (Missing(
        what=both("Time zone of the storage appliance", "存储设备的时区"),
        why=both("Its log has no zone, so its order is open by 14 h", "日志没有时区，先后误差 14 小时")),)  # fmt: skip


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
