"""The things of a cluster that can be at fault, under identities that stay."""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

EntityKind = Literal[
    "cluster", "rack", "pdu", "psu", "sensor", "node", "gpu", "nvlink", "nvswitch", "pcie_port",
    "nic", "cable", "switch", "switch_port", "subnet_manager", "disk", "filesystem", "mount",
    "volume", "storage_server", "package", "service", "control_plane", "webhook", "certificate",
    "queue", "job", "rank", "pod", "container", "process",
]  # fmt: skip
"""The kinds that the contract names. A new kind is added there first."""

ENTITY_KINDS: frozenset[str] = frozenset(get_args(EntityKind))


class Entity(BaseModel):
    """One thing, by kind and stable identity.

    The identity outlives restarts and renumbering: a GPU is its UUID (its PCI address on a host
    only where no UUID was seen, written ``HOST/0000:9b:00``), a pod ``NAMESPACE/NAME``, a mount
    ``HOST:PATH``, a storage server its service address, a rank ``JOB/RANK``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: EntityKind
    id: str
    names: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Kind and identity in one word, for indexes."""
        return f"{self.kind}:{self.id}"
