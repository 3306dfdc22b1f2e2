"""Examines what the assistant itself stands on: would it still work when the cluster does not?"""

import ipaddress
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from assistant.check import Check, Patient
from tools.errors import TargetRefusedError
from tools.workspace import NETWORK, filesystem_of, refuse_bad_target

_IN_CLUSTER = (".svc", ".cluster.local")
_ELSEWHERE = "keep it on a local disk of a machine outside the cluster"


def check_data_directory(patient: Patient) -> Iterator[Check]:
    """Refuse a data directory that can hang, or that is full."""
    try:
        refuse_bad_target(patient.data_dir, patient.mounts)
    except TargetRefusedError as error:
        yield Check(
            name="data directory",
            state="fail",
            detail=str(error),
            mend="set FIRSTFAULT_DATA_DIR to a folder on a local disk",
        )
        return
    point, kind = filesystem_of(patient.data_dir, patient.mounts)
    yield Check(
        name="data directory",
        state="ok",
        detail=f"{patient.data_dir} on {point} ({kind or 'local'})",
    )


def check_store(patient: Patient) -> Iterator[Check]:
    """Open the store where there is one already."""
    url = patient.settings.database_url.get_secret_value()
    if url and not url.startswith("sqlite"):
        host = urlsplit(url).hostname or ""
        yield Check(name="store", state="ok", detail=f"a database server at {host or 'a socket'}")
        return
    files = sorted(patient.data_dir.glob("*.db")) + sorted(patient.data_dir.glob("*.sqlite*"))
    if not files:
        yield Check(name="store", state="ok", detail="empty; it is made when first needed")
        return
    try:
        with closing(
            sqlite3.connect(f"file:{files[0]}?mode=ro", uri=True, timeout=2)
        ) as connection:
            (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        yield Check(
            name="store",
            state="fail",
            detail=f"{files[0]}: {error}",
            mend="move it away and restore a copy",
        )
        return
    sound = said == "ok"
    yield Check(name="store", state="ok" if sound else "fail", detail=f"{files[0]}: {said}")


def check_environment(patient: Patient) -> Iterator[Check]:
    """See that the program itself does not lie on a mount that can hang."""
    places = {"program": Path(sys.prefix), "home": Path(patient.variables.get("HOME", "/"))}
    for name, path in places.items():
        point, kind = filesystem_of(path, patient.mounts)
        if kind in NETWORK:
            yield Check(
                name=f"{name} folder",
                state="fail" if name == "program" else "warn",
                detail=f"{path} lies on {point} ({kind}), which can hang with the cluster",
                mend=_ELSEWHERE,
            )
    python = sys.version.split()[0]
    yield Check(
        name="program", state="ok", detail=f"{sys.prefix}, Python {python}, uid {os.getuid()}"
    )


def check_kubeconfig(patient: Patient) -> Iterator[Check]:
    """See that the way into the cluster does not lie on one of its mounts."""
    named = patient.settings.kubeconfig or patient.variables.get("KUBECONFIG", "").split(":")[0]
    path = Path(named or Path(patient.variables.get("HOME", "/")) / ".kube" / "config")
    point, kind = filesystem_of(path, patient.mounts)
    if kind in NETWORK:
        yield Check(
            name="kubeconfig",
            state="warn",
            detail=f"{path} lies on {point} ({kind}), which can hang with the cluster",
            mend="copy it to a local disk and set KUBECONFIG",
        )


def check_names(patient: Patient) -> Iterator[Check]:
    """See whether names are resolved by the cluster's own DNS."""
    try:
        lines = patient.resolver.read_text().splitlines()
    except OSError:
        return
    search = " ".join(line for line in lines if line.startswith("search"))
    servers = [line.split()[1] for line in lines if line.startswith("nameserver ")]
    if "cluster.local" in search or any(map(_is_cluster_address, servers)):
        yield Check(
            name="name resolution",
            state="warn",
            detail=f"{patient.resolver} asks the watched cluster's DNS",
            mend="run outside the cluster, or set addresses instead of names",
        )
    else:
        yield Check(name="name resolution", state="ok", detail="not by the watched cluster")


def check_place(patient: Patient) -> Iterator[Check]:
    """See whether this runs inside what it watches."""
    if patient.variables.get("KUBERNETES_SERVICE_HOST"):
        yield Check(
            name="place",
            state="warn",
            detail="runs as a pod: it is evicted with the node and gone with the cluster",
            mend="run a second one outside, on a machine that shares no storage with the cluster",
        )
    else:
        yield Check(name="place", state="ok", detail="not a pod of the cluster")


def check_addresses(patient: Patient) -> Iterator[Check]:
    """See which configured servers are themselves served by the cluster."""
    settings = patient.settings
    servers = {
        "prometheus": settings.prometheus_url,
        "loki": settings.loki_url,
        "model": settings.model_base_url,
        "database": settings.database_url.get_secret_value(),
    }
    for name, url in servers.items():
        host = urlsplit(url).hostname or ""
        if host.endswith(_IN_CLUSTER):
            yield Check(
                name=f"{name} depends on the cluster",
                state="warn",
                detail=f"{host} is a service of the watched cluster",
                mend="give an address that works without the cluster's DNS and proxy",
            )
        elif _is_cluster_address(host):
            yield Check(
                name=f"{name} depends on the cluster",
                state="warn",
                detail=f"{host} looks like a cluster-internal address",
                mend="give an address outside the service network",
            )
    if not settings.model:
        yield Check(
            name="model",
            state="absent",
            detail="none is set; everything but conversation works without",
        )


_SERVICE_NETWORKS = tuple(ipaddress.ip_network(net) for net in ("10.96.0.0/12", "172.20.0.0/16"))
"""The service networks that kubeadm and EKS use unless told otherwise."""


def _is_cluster_address(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in network for network in _SERVICE_NETWORKS)
