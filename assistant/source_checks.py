"""Examines the sources: is each there, may it be read, does it hold what is needed?"""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx

from assistant.check import Check, Patient, State
from tools.evidence import Outcome
from tools.kube import Kube
from tools.shell import Answer

_STATES: dict[Outcome, State] = {
    "ok": "ok",
    "empty": "warn",
    "hung": "fail",
    "denied": "fail",
    "absent": "absent",
    "failed": "fail",
}
READS = (
    "nodes",
    "pods",
    "pods/log",
    "events",
    "namespaces",
    "persistentvolumes",
    "persistentvolumeclaims",
    "endpoints",
    "leases.coordination.k8s.io",
    "deployments.apps",
    "replicasets.apps",
    "daemonsets.apps",
    "statefulsets.apps",
    "controllerrevisions.apps",
    "jobs.batch",
    "horizontalpodautoscalers.autoscaling",
    "storageclasses.storage.k8s.io",
    "volumeattachments.storage.k8s.io",
    "nodes.metrics.k8s.io",
    "pods.metrics.k8s.io",
)
_ROLE = "kubectl apply -f integrations/deploy/clusterrole.yaml (an administrator, once)"
_KEEP = "set Storage=persistent in journald.conf"
_JOIN = f"add the user to the group systemd-journal, or {_KEEP}"
_EXPECTED_METRICS = {
    "DCGM_FI_DEV_GPU_TEMP": "dcgm-exporter",
    "DCGM_FI_DEV_XID_ERRORS": "dcgm-exporter",
    "kube_node_status_condition": "kube-state-metrics",
    "node_uname_info": "node-exporter",
    "node_nfs_requests_total": "node-exporter's nfs collector",
}
_HOST_COMMANDS = {
    "dmesg": "util-linux", "lspci": "pciutils", "nfsstat": "nfs-common (nfs-utils)",
    "ibstat": "infiniband-diags", "rdma": "iproute2", "chronyc": "chrony",
}  # fmt: skip


def check_kubernetes(patient: Patient) -> Iterator[Check]:
    """Ask the API server who it is."""
    answer = _kubectl(patient, "get", "--raw=/version")
    if answer.outcome != "ok":
        yield check_from_answer(
            "kubernetes", answer, "set --context or KUBECONFIG, or give a bundle instead"
        )
        return
    version = json.loads(answer.stdout).get("gitVersion", "?")
    identity = _kubectl(patient, "get", "--raw=/api/v1/namespaces/kube-system")
    uid = (
        json.loads(identity.stdout)["metadata"].get("uid", "?") if identity.outcome == "ok" else "?"
    )
    context = (
        patient.context.kube_context
        or _kubectl(patient, "config", "current-context").stdout.decode().strip()
    )
    yield Check(
        name="kubernetes",
        state="ok",
        detail=f"{version}, context {context or '(none)'}, cluster {uid}, {answer.seconds:.1f} s",
    )


def check_permissions(patient: Patient) -> Iterator[Check]:
    """Ask the API server what may be read, and whether too much may be."""
    first = _may(patient, READS[0])
    if first is None:
        yield Check(name="permissions", state="absent", detail="the API server was not reached")
        return
    with ThreadPoolExecutor(4) as pool:
        answers = dict(zip(READS, pool.map(lambda each: _may(patient, each), READS), strict=True))
    missing = [name for name, may in answers.items() if not may]
    if missing:
        yield Check(
            name="permissions",
            state="warn",
            detail=f"not permitted: {', '.join(missing)}",
            mend=_ROLE,
        )
    else:
        yield Check(name="permissions", state="ok", detail=f"all {len(READS)} kinds can be read")
    if _may(patient, "secrets", verb="get"):
        yield Check(
            name="permissions: too much",
            state="warn",
            detail="this identity may read secrets, which is never needed",
            mend=_ROLE,
        )


def _may(patient: Patient, resource: str, verb: str = "") -> bool | None:
    verb = verb or ("get" if "/" in resource else "list")
    answer = _kubectl(patient, "auth", "can-i", verb, resource, "-A")
    said = answer.stdout.strip()
    return said == b"yes" if said in {b"yes", b"no"} else None


def _kubectl(patient: Patient, *words: str) -> Answer:
    argv = Kube(patient.context).argv(*words)
    if words[0] == "config":
        argv = [word for word in argv if not word.startswith(("--request", "--context"))]
    return patient.context.run(argv)


def check_prometheus(patient: Patient) -> Iterator[Check]:
    """Ask for the metrics that the queries stand on."""
    url = patient.settings.prometheus_url
    if not url:
        yield Check(
            name="prometheus",
            state="absent",
            detail="no URL is set",
            mend="set FIRSTFAULT_PROMETHEUS_URL",
        )
        return
    try:
        missing = _missing_metrics(patient, url)
    except (httpx.HTTPError, ValueError) as error:
        yield Check(
            name="prometheus",
            state="fail",
            detail=f"{url}: {error}",
            mend="check the URL, the token and the route to it",
        )
        return
    if missing:
        exporters = sorted({_EXPECTED_METRICS[metric] for metric in missing})
        yield Check(
            name="prometheus",
            state="warn",
            detail=f"answers, but has now no {', '.join(missing)}",
            mend=f"see that these are scraped: {', '.join(exporters)}",
        )
    else:
        yield Check(name="prometheus", state="ok", detail=f"{url} has what is needed")


def _missing_metrics(patient: Patient, url: str) -> list[str]:
    token = patient.settings.prometheus_token.get_secret_value()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    missing = []
    with httpx.Client(base_url=url, headers=headers, timeout=patient.context.limit_s) as client:
        for metric in _EXPECTED_METRICS:
            answer = client.get("/api/v1/query", params={"query": f"count({metric})"})
            answer.raise_for_status()
            if not answer.json().get("data", {}).get("result"):
                missing.append(metric)
    return missing


def check_journal(patient: Patient) -> Iterator[Check]:
    """Read the last kernel line of each journal."""
    for folder in patient.context.journals or (None,):
        place = [f"--directory={folder}"] if folder else []
        answer = patient.context.run(
            ["journalctl", *place, "-q", "--no-pager", "-n", "1", "-o", "cat", "_TRANSPORT=kernel"]
        )
        name = f"journal {folder}" if folder else "journal"
        if answer.outcome == "ok":
            yield Check(name=name, state="ok", detail="kernel lines can be read")
        elif answer.outcome == "empty":
            yield Check(
                name=name,
                state="warn",
                detail="no kernel line can be read",
                mend=_KEEP if os.geteuid() == 0 else _JOIN,
            )
        else:
            yield check_from_answer(name, answer, "give a journal folder or exported files instead")


def check_gpus(patient: Patient) -> Iterator[Check]:
    """Read NVML, in a process of its own."""
    answer = patient.context.run(
        [sys.executable, "-m", "tools.probes.nvml_reader", "--watch-s=0"], limit_s=15
    )
    if answer.outcome != "ok":
        yield check_from_answer(
            "gpu",
            answer,
            "expected on a GPU node only: load the driver, or look there by ssh or an agent",
        )
        return
    report = json.loads(answer.stdout)
    lost = [str(gpu["index"]) for gpu in report["gpus"] if gpu.get("lost")]
    detail = f"{report['count']} GPUs, driver {report['driver_version']}"
    if lost:
        yield Check(
            name="gpu",
            state="warn",
            detail=f"{detail}; lost: {', '.join(lost)}",
            mend="diagnose this node",
        )
    else:
        yield Check(name="gpu", state="ok", detail=detail)


def check_containers(patient: Patient) -> Iterator[Check]:
    """See whether a container runtime answers."""
    asked = (["docker", "version", "--format={{json .}}"], ["crictl", "pods", "-o", "json"])
    answers = [patient.context.run(argv) for argv in asked]
    works = [argv[0] for argv, answer in zip(asked, answers, strict=True) if answer.outcome == "ok"]
    if works:
        yield Check(name="containers", state="ok", detail=f"{', '.join(works)} answers")
        return
    worst = next((each for each in answers if each.outcome != "absent"), answers[0])
    yield check_from_answer(
        "containers",
        worst,
        "expected on nodes only: run as root or add the user to the runtime's group",
    )


def check_host_commands(patient: Patient) -> Iterator[Check]:
    """See which programs of the host probe are installed."""
    path = patient.variables.get("PATH")
    missing = {
        name: package
        for name, package in _HOST_COMMANDS.items()
        if not shutil.which(name, path=path)
    }
    if missing:
        packages = ", ".join(dict.fromkeys(missing.values()))
        yield Check(
            name="host commands",
            state="absent",
            detail=f"not installed: {', '.join(missing)}",
            mend=f"where they matter, install {packages}",
        )
    else:
        yield Check(name="host commands", state="ok", detail="all are installed")


def check_clock(patient: Patient) -> Iterator[Check]:
    """See whether this host's clock is disciplined: it stamps what is collected."""
    answer = patient.context.run(["chronyc", "-n", "tracking"])
    if answer.outcome == "ok":
        good = b"Leap status     : Normal" in answer.stdout
        yield Check(
            name="clock",
            state="ok" if good else "warn",
            detail="disciplined by chrony" if good else "chrony is not synchronised",
            mend="" if good else "see chronyc sources",
        )
        return
    answer = patient.context.run(["timedatectl", "show"])
    if b"NTPSynchronized=yes" in answer.stdout:
        yield Check(name="clock", state="ok", detail="synchronised")
    else:
        yield Check(
            name="clock",
            state="warn",
            detail="nothing says that this clock is synchronised",
            mend="run chrony or systemd-timesyncd",
        )


def check_from_answer(name: str, answer: Answer, mend: str) -> Check:
    """Say what a command's failure means for a source."""
    detail = answer.detail or f"{answer.command}: no output"
    return Check(name=name, state=_STATES[answer.outcome], detail=detail, mend=mend)
