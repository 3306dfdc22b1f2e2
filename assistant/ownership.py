"""Who made a pod: the job that it is of, and the deployment or set whose roll-out replaced it."""

from assistant.object_content import list_at, map_at, names_of, word_at
from assistant.topology import Ties
from tools.evidence import ObjectState
from tools.late_patterns import compile_late

_JOB_LABELS = (
    "training.kubeflow.org/job-name", "jobset.sigs.k8s.io/jobset-name", "volcano.sh/job-name",
    "ray.io/cluster", "leaderworkerset.sigs.k8s.io/name", "batch.kubernetes.io/job-name",
    "job-name",
)  # fmt: skip
_JOB_KINDS = frozenset({"Job", "PyTorchJob", "MPIJob", "TFJob", "TrainJob", "JobSet", "RayJob"})
_REPLICATED = frozenset({"ReplicaSet", "Deployment", "DaemonSet", "StatefulSet"})
_HASH = "pod-template-hash"
_MEETING_NAMES = frozenset({"MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "RDZV_ENDPOINT"})
_MEETING_OPTION = compile_late(r"--(?:master[_-]addr|rdzv[_-]endpoint)[=\s]+(\S+)")
_PLACE = compile_late(r"[\"']?(?!localhost\b|127\.|0\.0\.0\.0)([A-Za-z0-9][\w.-]*)(?::\d+)?[\"']?")


def job_of(state: ObjectState) -> str:
    """Return the job that an object's labels or owners name, or nothing."""
    labels = map_at(state.content, "metadata", "labels")
    for label in _JOB_LABELS:
        if word_at(labels, label):
            return f"{state.namespace}/{word_at(labels, label)}"
    for owner in list_at(state.content, "metadata", "ownerReferences"):
        if word_at(owner, "kind") in _JOB_KINDS:
            return f"{state.namespace}/{word_at(owner, 'name')}"
    return ""


def rendezvous_of(state: ObjectState) -> str:
    """Return the job of a pod that no name tells: all that meet at one address are of one.

    It is called by the address, within the pod's namespace, because the platform gave it no name.
    """
    for container in list_at(state.content, "spec", "containers"):
        values = [
            word_at(one, "value")
            for one in list_at(container, "env")
            if word_at(one, "name") in _MEETING_NAMES
        ]
        words = [word for key in ("command", "args") for word in names_of(container.get(key))]
        values += _MEETING_OPTION.findall(" ".join(words))
        for value in values:
            if found := _PLACE.fullmatch(value):
                place = found[1]
                label = place if place[0].isdigit() else place.partition(".")[0]
                return f"{state.namespace}/{label}"
    return ""


def learn_owners(ties: Ties, state: ObjectState) -> None:
    """Take that a pod is of a service, and that a replica set is its deployment's."""
    for owner in list_at(state.content, "metadata", "ownerReferences"):
        if word_at(owner, "kind") not in _REPLICATED:
            continue
        service = f"{state.namespace}/{word_at(owner, 'name')}"
        if state.kind == "Pod":
            ties.relate(("pod", f"{state.namespace}/{state.name}"), ("service", service))
            revision = word_at(map_at(state.content, "metadata", "labels"), _HASH)
            if revision and service.endswith(f"-{revision}"):
                ties.equate("service", service, service.removesuffix(f"-{revision}"))
        elif state.kind == "ReplicaSet":
            ties.equate("service", f"{state.namespace}/{state.name}", service)
