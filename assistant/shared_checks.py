"""Examines what this machine shares with the cluster that it watches, as the cluster tells it."""

from collections.abc import Iterator, Mapping

import msgspec

from assistant.check import Check, Patient
from tools.kube import Kube
from tools.workspace import NETWORK

_OUTSIDE = "run a second one on a machine that is no node of the cluster and mounts none of it"


class _Named(msgspec.Struct):
    name: str = ""


class _Nfs(msgspec.Struct):
    server: str = ""


class _Csi(msgspec.Struct):
    volumeAttributes: Mapping[str, str] = {}


class _Spec(msgspec.Struct):
    nfs: _Nfs | None = None
    csi: _Csi | None = None


class _Item(msgspec.Struct):
    metadata: _Named = msgspec.field(default_factory=_Named)
    spec: _Spec = msgspec.field(default_factory=_Spec)


class _Listed(msgspec.Struct):
    items: list[_Item] = []


def check_own_node(patient: Patient) -> Iterator[Check]:
    """See whether this machine is itself a node of the cluster."""
    nodes = _listed(patient, "/api/v1/nodes")
    if nodes is None:
        yield Check(name="own node", state="absent", detail="the nodes could not be listed")
        return
    own = patient.context.host
    named = next((name for name in _names(nodes) if name.partition(".")[0] == own), "")
    if named:
        yield Check(
            name="own node",
            state="warn",
            detail=f"this machine is node {named} of the watched cluster, and falls with it",
            mend=_OUTSIDE,
        )
    else:
        yield Check(name="own node", state="ok", detail=f"{own} is no node of the cluster")


def check_shared_mounts(patient: Patient) -> Iterator[Check]:
    """See whether a file server that the cluster's volumes lie on is mounted here too."""
    volumes = _listed(patient, "/api/v1/persistentvolumes")
    servers = {_server(volume) for volume in volumes or ()} - {""}
    shared = [(server, point) for server, point in _network_mounts(patient) if server in servers]
    for server, point in shared:
        yield Check(
            name="shared mount",
            state="warn",
            detail=f"{point} lies on {server}, as volumes of the watched cluster do: "
            "when they hang, it does",
            mend="unmount it here, or keep program, data and shell away from it",
        )
    if not shared:
        known = "no file server of the cluster's volumes is mounted here"
        unknown = "the cluster's volumes could not be listed"
        yield Check(
            name="shared mount",
            state="absent" if volumes is None else "ok",
            detail=unknown if volumes is None else known,
        )


def _listed(patient: Patient, path: str) -> list[_Item] | None:
    argv = Kube(patient.context).argv("get", f"--raw={path}?limit=500&resourceVersion=0")
    answer = patient.context.run(argv)
    if answer.outcome != "ok":
        return None
    try:
        return msgspec.json.decode(answer.stdout, type=_Listed).items
    except msgspec.DecodeError:
        return None


def _names(items: list[_Item]) -> Iterator[str]:
    return (item.metadata.name for item in items)


def _server(volume: _Item) -> str:
    if volume.spec.nfs:
        return volume.spec.nfs.server
    attributes = volume.spec.csi.volumeAttributes if volume.spec.csi else {}
    return attributes.get("server", "")


def _network_mounts(patient: Patient) -> Iterator[tuple[str, str]]:
    for line in patient.mounts.read_text().splitlines():
        device, point, kind, *_ = line.split(" ")
        if kind in NETWORK:
            yield device.partition(":")[0].strip("/"), point.replace("\\040", " ")
