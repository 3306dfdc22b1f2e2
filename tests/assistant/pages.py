"""A handbook of a few pages, small enough to hold in the head."""

from collections.abc import Mapping

from knowledge.catalog import Catalog
from knowledge.page import Page

BOTH = {"en": "text", "zh": "文字"}


def page(name: str, **changes: object) -> Page:
    """Build a page of sane defaults."""
    kind = changes.pop("kind", "node")
    content: dict[str, object] = {
        "id": name,
        "title": BOTH,
        "summary": BOTH,
        "layer": "system",
        "plane": "compute",
        "role": "symptom",
        "entity": {"kind": kind},
        "severity": "error",
        "priority": "P2",
        **changes,
    }
    return Page.model_validate(content)


def line(
    literal: str, regex: str, entity: Mapping[str, str], **changes: object
) -> dict[str, object]:
    """Build a text signature."""
    return {
        "id": literal.split(maxsplit=1)[0].strip(":").lower() or "s",
        "source": "kernel",
        "literal": literal,
        "regex": regex,
        "entity": dict(entity),
        "examples": [literal],
        **changes,
    }


def catalog(*pages: Page) -> Catalog:
    """Bind pages to a catalog."""
    return Catalog({p.id: p for p in pages}, "digest")


NFS = page(
    "nfs-server-not-responding",
    kind="mount",
    role="mechanism",
    plane="storage",
    persists=True,
    damage=1,
    begins_before={"min_s": 60, "max_s": 200, "setting": "nfs_major_timeout_s"},
    signatures=[
        line(
            "not responding",
            r"nfs: server (?P<server>\S+) not responding",
            {"mount": "{host}:{server}", "storage_server": "{server}"},
            peer={"storage_server": "{server}"},
            ends={"literal": "OK", "regex": r"nfs: server (?P<server>\S+) OK"},
        )
    ],
)
NFS_OPTIONS = page(
    "nfs-mount-options",
    kind="mount",
    role="context",
    signatures=[
        {
            "id": "mount",
            "source": "reading",
            "kind": "mount",
            "where": [{"field": "fstype", "op": "in", "value": ["nfs", "nfs4"]}],
            "entity": {"mount": "{host}:{target}", "node": "{host}"},
            "fields": {"nfs_major_timeout_s": "major_s"},
            "examples": [{"fstype": "nfs4"}],
        }
    ],
)
XID = page(
    "xid-79-fell-off-bus",
    kind="gpu",
    role="mechanism",
    layer="hardware",
    severity="critical",
    persists=True,
    damage=2,
    signatures=[
        line(
            "NVRM: Xid",
            r"Xid \(PCI:(?P<bdf>[0-9a-fA-F:.]+)\): 79",
            {"gpu": "{host}/{bdf}", "node": "{host}"},
        ),
        line("GpuXid79", "GpuXid79", {"gpu": "{node}/{bdf}"}, source="alert"),
    ],
)
NOT_READY = page(
    "node-not-ready",
    layer="orchestration",
    damage=2,
    persists=True,
    signatures=[
        line(
            "Node became not ready", "Node became not ready", {"node": "{host}"},
            source="service", unit="kubelet",
        ),
        line("NodeNotReady", "status is now: NodeNotReady", {"node": "{name}"}, source="event"),
        {
            "id": "condition",
            "source": "object",
            "kind": "Node",
            "each": "status.conditions",
            "where": [
                {"field": "type", "op": "==", "value": "Ready"},
                {"field": "status", "op": "!=", "value": "True"},
            ],
            "since": "lastTransitionTime",
            "entity": {"node": "{metadata.name}"},
            "examples": [{}],
        },
    ],
)  # fmt: skip
GPUS_SHORT = page(
    "gpu-allocatable-below-capacity",
    signatures=[
        {
            "id": "short",
            "source": "object",
            "kind": "Node",
            "where": [
                {
                    "field": 'status.allocatable."nvidia.com/gpu"',
                    "op": "<",
                    "value_of": 'status.capacity."nvidia.com/gpu"',
                }
            ],
            "entity": {"node": "{metadata.name}"},
            "examples": [{}],
        }
    ],
)
HOT = page(
    "gpu-thermal-slowdown",
    kind="gpu",
    severity="warning",
    signatures=[
        {
            "id": "hot",
            "source": "metric",
            "query": "gpu_temperature",
            "expr": "DCGM_FI_DEV_GPU_TEMP",
            "op": ">",
            "value": 85,
            "entity": {"gpu": "{UUID}", "node": "{Hostname}"},
            "examples": [{"value": 90}],
        }
    ],
)
FAILOVER = page(
    "storage-controller-failover",
    kind="storage_server",
    role="root",
    plane="storage",
    severity="critical",
    signatures=[
        line(
            "failover", r"failover of (?P<server>\S+)", {"storage_server": "{server}"},
            source="device", severity="critical",
        )
    ],
)  # fmt: skip
STEPS = page(
    "training-progress",
    kind="pod",
    role="benign",
    severity="info",
    progress=True,
    signatures=[
        line("step", r"step (?P<step>\d+)", {"pod": "{namespace}/{pod}"}, source="app",
             fields={"step": "int"})
    ],
)  # fmt: skip
HANDBOOK = catalog(
    NFS, NFS_OPTIONS, XID, NOT_READY, GPUS_SHORT, HOT, FAILOVER, STEPS,
    page("package-upgraded", role="change", severity="info", persists=True, signatures=[
        line("Upgrade: ", "Upgrade: libnvidia", {"node": "{host}"}, source="service"),
    ]),
    page("node-cordoned", role="change", severity="info", persists=True, signatures=[
        line("cordoned", "cordoned", {"node": "{host}"}, source="service"),
    ]),
)  # fmt: skip
