"""A world of storage, GPUs and jobs, and the outage of a storage server in it."""

from assistant.event import Event
from assistant.topology import Ties
from tests.assistant.diagnosis.world import event, kernel, page

SERVER = ("storage_server", "10.0.0.10")

FAILOVER = page(
    "failover",
    entity={"kind": "storage_server"},
    damage=1,
    persists=True,
    effects=[{"effect": "stall", "scope": "server", "strength": "always"}],
    signatures=[{**kernel("failover"), "source": "device"}],
)
UNREACHABLE = page(
    "unreachable",
    entity={"kind": "storage_server"},
    infer={"over": "server", "effects": ["stall"], "min_entities": 3},
    effects=[{"effect": "stall", "scope": "server", "strength": "always"}],
    why_unknown={"en": "failover, network or load", "zh": "切换、网络或过载"},
    checks=[
        {
            "id": "log",
            "command": ["show", "events", "{server}"],
            "where": "server",
            "tells": {"en": "why", "zh": "原因"},
        }
    ],
)
STALL = page(
    "stall",
    "mechanism",
    effects=[{"effect": "check-failed"}, {"effect": "pod-failed"}],
    signatures=[kernel("stall")],
)
CHECK = page(
    "check-failed",
    "mechanism",
    detector=True,
    effects=[{"effect": "pod-failed", "strength": "often"}],
    signatures=[kernel("check")],
)
FAILED = page("pod-failed", "symptom", damage=2, signatures=[kernel("pod failed")])
BAD_GPU = page(
    "bad-gpu",
    entity={"kind": "gpu"},
    damage=1,
    effects=[
        {"effect": "rank-died", "scope": "node", "strength": "always"},
        {"effect": "timeout", "scope": "job"},
    ],
    signatures=[kernel("Xid 95")],
)
HARDWARE = page(
    "hardware",
    stands_for=["bad-gpu"],
    refuted_by=[
        {"condition": "gpu-fine", "scope": "node", "why": {"en": "reads well", "zh": "读数正常"}}
    ],
    effects=[{"effect": "pod-failed", "strength": "sometimes"}],
)
GPU_FINE = page("gpu-fine", "benign", severity="info")
RANK_DIED = page("rank-died", "symptom", damage=2, signatures=[kernel("rank died")])
TIMEOUT = page("timeout", "symptom", damage=3, collateral_of=["bad-gpu", "rank-died"])
DECOY = page("decoy", effects=[{"effect": "pod-failed"}], signatures=[kernel("decoy")])
PROGRESS = page("progress", "benign", severity="info", progress=True)
OLD_FAULT = page("old-fault", severity="critical", damage=1, signatures=[kernel("old")])
WORLD = [
    FAILOVER, UNREACHABLE, STALL, CHECK, FAILED, BAD_GPU, HARDWARE, GPU_FINE, RANK_DIED, TIMEOUT,
    DECOY, PROGRESS, OLD_FAULT,
]  # fmt: skip


def storage_outage(nodes: int = 4, *, with_log: bool = True) -> list[Event]:
    """Return a storage outage that hits some nodes, one after another."""
    events = []
    if with_log:
        events.append(
            event("root", FAILOVER, 0, node="", anchors=[SERVER], channels=frozenset({"device"}))
        )
    for i in range(nodes):
        node = f"n{i}"
        events += [
            event(f"stall{i}", STALL, 30 + i, node=node, anchors=[SERVER], end=300 + i),
            event(f"check{i}", CHECK, 60 + i, node=node),
            event(f"pod{i}", FAILED, 90 + i, node=node),
        ]
    return events


def ties_of(nodes: int) -> Ties:
    """Return what is known of the nodes: all mount from the server."""
    ties = Ties()
    for i in range(nodes):
        ties.relate(("node", f"n{i}"), SERVER)
    return ties
