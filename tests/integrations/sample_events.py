"""The sample's events: what the storage did, what the control plane did, what stopped."""

from assistant.event import Anchor, Event
from tests.integrations.sample_world import NODES, SERVER, TITLES, at, node, quote
from tools.entity import Entity
from tools.evidence import UNKNOWN_ZONE_S, Instant

JOB = Entity(kind="job", id="train/llm-70b")
WHERE = tuple(Anchor(kind="node", id=name) for name in NODES)


def _event(number: int, page: str, entity: Entity, start: Instant, **more: object) -> Event:
    role, layer, plane, severity, *_ = TITLES[page]
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


def _mounts() -> tuple[Entity, ...]:
    return tuple(Entity(kind="mount", id=f"{name}:/data") for name in NODES)


def _nodes() -> tuple[Entity, ...]:
    return tuple(node(name) for name in NODES)


def build_events() -> tuple[Event, ...]:
    """Return the outage's events, in order."""
    return (*_of_the_storage(), *_of_the_cluster(), *_of_the_work())


def _of_the_storage() -> tuple[Event, ...]:
    disk = Entity(kind="disk", id="controller-a/disk-5")
    unsure = {"error_s": UNKNOWN_ZONE_S, "zone": "unknown"}
    return (
        _event(1, "storage-disk-media-error", disk, at(19, **unsure), last=at(23, **unsure),  # type: ignore[arg-type]  # mixed keywords
               count=14, text="Controller A: Disk firmware error on disk 5",
               citations=(quote("E4", 12, "Controller A: Disk firmware error on disk 5"),)),
        _event(2, "storage-controller-failover", SERVER, at(23.2, error_s=1), end=at(28.4),
               last=at(28.4), text="Controller A: Starting failover to Controller B", damage=0,
               citations=(
                   quote("E4", 88, "Controller A: Starting failover to Controller B"),
                   quote("E4", 89, "Controller B: Received failover request"),
                   quote("E4", 90, "Controller B: takeover complete, grace period 90 s"),
               )),
        _event(3, "nfs-server-not-responding", Entity(kind="mount", id="astra-gpu-01:/data"),
               at(26.4), before_s=180, end=at(28.9), last=at(28.9), members=_mounts(),
               anchors=WHERE, text="nfs: server 10.0.0.10 not responding, still trying", count=30,
               citations=(
                   quote("E1", 120, "kernel: nfs: server 10.0.0.10 not responding, still trying"),
                   quote("E1", 141, "kernel: nfs: server 10.0.0.10 OK"),
                   quote("E2", 77, "kernel: nfs: server 10.0.0.10 not responding, still trying"),
               )),
        _event(4, "storage-latency-high", SERVER, at(23.9), last=at(28), end=at(28.5),
               citations=(quote("E7", 0, 'nfs_rtt_p99{server="10.0.0.10"} 41.2'),)),
        _event(5, "checkpoint-io-stalled", JOB, at(24.1), last=at(28.6),
               citations=(quote("E8", 501, "[rank0] saving checkpoint step 88000 ... stalled"),)),
    )  # fmt: skip


def _of_the_cluster() -> tuple[Event, ...]:
    return (
        _event(6, "health-check-coupled-to-storage", node("astra-gpu-07"), at(24.3), count=60,
               members=_nodes(), anchors=WHERE, last=at(28.8), end=at(29.4),
               text="ERROR: cannot write temp file to /data/checkpoints/.healthcheck",
               citations=(
                   quote("E5", 3, "[2025-06-20 10:24:15] ERROR: cannot write temp file to "
                                   "/data/checkpoints/.healthcheck"),
                   quote("E5", 4, "[2025-06-20 10:24:16] ERROR: healthcheck failed for node "
                                   "astra-gpu-07"),
               )),
        _event(7, "node-tainted-by-health-check", node("astra-gpu-07"), at(24.6),
               members=_nodes(), anchors=WHERE, last=at(29), end=at(31),
               citations=(quote("E3", 210, "taint gpu-health=failed:NoExecute added"),)),
        _event(8, "node-not-ready", node("astra-gpu-01"), at(25), members=_nodes()[:28],
               anchors=WHERE[:28], last=at(29), end=at(31.5), damage=2,
               text="Node astra-gpu-01 status is now: NodeNotReady",
               citations=(quote("E3", 233, "Node astra-gpu-01 status is now: NodeNotReady"),)),
        _event(9, "pod-evicted-by-taint", Entity(kind="pod", id="train/llm-70b-0"), at(25.1),
               count=42, anchors=WHERE, last=at(27),
               citations=(quote("E3", 240, "TaintManagerEviction: Marking for deletion "
                                            "Pod train/llm-70b-0"),)),
    )  # fmt: skip


def _of_the_work() -> tuple[Event, ...]:
    return (
        _event(10, "command-hung-on-mount", Entity(kind="mount", id="astra-gpu-07:/data"),
               at(27.5), anchors=(Anchor(kind="node", id="astra-gpu-07"),), last=at(27.5),
               text="HUNG after 10 s: df -h /data",
               citations=(quote("E6", 1, "HUNG after 10 s: df -h /data"),)),
        _event(11, "job-failed", JOB, at(25.6), damage=3, last=at(25.6), count=3,
               text="Job has reached the specified backoff limit",
               citations=(quote("E3", 255, "Job has reached the specified backoff limit"),)),
        _event(12, "training-progress", JOB, at(36), last=at(58), count=40,
               citations=(quote("E8", 990, "step 88040 loss 1.92"),)),
    )  # fmt: skip
