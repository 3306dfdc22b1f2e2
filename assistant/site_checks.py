"""Examines the sources that only some sites have: Slurm, Loki, DCGM, InfiniBand and RoCE."""

import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from assistant.check import Check, Patient
from assistant.source_checks import check_from_answer
from tools.loki_client import Loki
from tools.probes.infiniband import ports
from tools.shell import Answer

_IN_UTC = ("env", "TZ=UTC")
_SLURM_LIMIT_S = 15.0
_HOUR_S = 3600
_MISSING = "is not installed here"
_NO_CLUSTER = "Could not establish a configuration source"


def check_slurm(patient: Patient) -> Iterator[Check]:
    """Ask the controller one question, and accounting another."""
    answer = _slurm(patient, "sinfo", "-R")
    if answer.detail.endswith(_MISSING):
        yield Check(
            name="slurm",
            state="absent",
            detail="Slurm's client programs are not installed here",
            mend="on a Slurm site look from a login or admin node, or install slurm-client",
        )
    elif _NO_CLUSTER in answer.detail:
        yield Check(
            name="slurm",
            state="absent",
            detail="Slurm's programs are here, but nothing tells them of a cluster",
            mend="where there is one, put its slurm.conf in place or set SLURM_CONF",
        )
    elif answer.outcome != "ok":
        yield Check(
            name="slurm",
            state="fail",
            detail=answer.detail,
            mend="see that slurmctld answers (scontrol ping), slurm.conf is here and munge runs",
        )
    else:
        yield Check(name="slurm", state="ok", detail=f"slurmctld answers, {answer.seconds:.1f} s")
        yield _accounting(patient)


def _accounting(patient: Patient) -> Check:
    now = int(time.time())
    answer = _slurm(patient, "sacct", "-X", "-P", f"--starttime=uts{now}", f"--endtime=uts{now}")
    if answer.outcome in {"ok", "empty"}:
        return Check(name="slurm accounting", state="ok", detail="sacct answers")
    return Check(
        name="slurm accounting",
        state="warn",
        detail=answer.detail,
        mend="without slurmdbd a job is forgotten minutes after its end; see that it answers",
    )


def _slurm(patient: Patient, *words: str) -> Answer:
    return patient.context.run([*_IN_UTC, *words], limit_s=_SLURM_LIMIT_S)


def check_loki(patient: Patient) -> Iterator[Check]:
    """Ask which labels the last hour's streams have."""
    context = patient.context
    if not context.loki:
        yield Check(
            name="loki", state="absent", detail="no URL is set", mend="set FIRSTFAULT_LOKI_URL"
        )
        return
    headers = {"Authorization": f"Bearer {context.loki_token}"} if context.loki_token else {}
    headers |= {"X-Scope-OrgID": context.loki_tenant} if context.loki_tenant else {}
    now = int(context.clock().timestamp())
    with httpx.Client(base_url=context.loki, headers=headers) as client:
        server = Loki(client, context.loki_token, lambda: context.limit_s)
        said, labels = server.labels((now - _HOUR_S) * 10**9, now * 10**9)
    if said.outcome != "ok":
        mend = "check FIRSTFAULT_LOKI_URL, the token, the tenant and the route to it"
        yield Check(name="loki", state="fail", detail=said.detail, mend=mend)
    elif not labels:
        yield Check(
            name="loki",
            state="warn",
            detail="answers, but no stream came in the last hour",
            mend="see that a collector sends to it; FIRSTFAULT_LOKI_TENANT may be wrong",
        )
    else:
        yield Check(name="loki", state="ok", detail=f"streams have {', '.join(labels[:8])}")


def check_dcgm(patient: Patient) -> Iterator[Check]:
    """See whether the host engine answers, and whether it watches anything."""
    found = patient.context.run(["dcgmi", "discovery", "-l"])
    if found.outcome != "ok":
        yield check_from_answer(
            "dcgm",
            found,
            "expected on GPU nodes only: install datacenter-gpu-manager and start nvidia-dcgm",
        )
        return
    health = patient.context.run(["dcgmi", "health", "-c", "-g", "0"])
    if b"watches not enabled" in health.stdout + health.stderr:
        yield Check(
            name="dcgm",
            state="warn",
            detail="answers, but nobody set health watches: it notes nothing",
            mend="an administrator may run dcgmi health -s a; this program sets nothing",
        )
    elif health.outcome != "ok":
        yield check_from_answer("dcgm", health, "look at the journal of nvidia-dcgm")
    else:
        yield Check(name="dcgm", state="ok", detail="answers, and its health watches are set")


def check_infiniband(patient: Patient) -> Iterator[Check]:
    """Find the ports of this host, and see whether the fabric lets itself be asked."""
    found = ports(patient.context.sys)
    if not found:
        yield Check(
            name="infiniband",
            state="absent",
            detail="no InfiniBand or RoCE port is here",
            mend="expected on nodes with such adapters only: look there by ssh or an agent",
        )
        return
    first = _asked_of_fabric(patient, found[0])
    if first.outcome != "ok":
        yield Check(
            name="infiniband",
            state="warn",
            detail=f"counters of {len(found)} ports can be read; perfquery: {first.detail}",
            mend="for what the fabric itself counted install infiniband-diags and run as root",
        )
    else:
        yield Check(name="infiniband", state="ok", detail=f"{len(found)} ports, the fabric answers")


def _asked_of_fabric(patient: Patient, port: Path) -> Answer:
    device = port.parents[1].name
    return patient.context.run(["perfquery", "-x", "-C", device, "-P", port.name])
