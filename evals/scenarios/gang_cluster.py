"""A Kubernetes cluster that runs one training gang: its objects, and metrics of its hosts."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from evals import background, node_objects, objects, pod_objects
from evals.background import pair_samples
from evals.model import Body, Gpu, Host, PodLog, Recording, write_iso
from evals.node_objects import Ready
from evals.objects import Involved
from evals.training import Gang, Lines

SCRAPE_S = 30.0


@dataclass
class GangCluster:
    """Objects of the cluster as listed once, after the fault."""

    recording: Recording
    gang: Gang
    rng: random.Random
    items: list[Body] = field(default_factory=list)
    events: list[Body] = field(default_factory=list)

    def nodes(self, allocatable: dict[str, int] | None = None) -> None:
        """List the namespaces, nodes and leases; `allocatable` names hosts that lost GPUs."""
        recording, at = self.recording, self.recording.taken
        for name in ("kube-system", self.gang.namespace, "gpu-operator"):
            self.items.append(objects.write_namespace(self.rng, name, recording.since - 9e6))
        for host in recording.hosts.values():
            ready = Ready("True", host.booted + 60)
            lost = (allocatable or {}).get(host.name)
            self.items.append(
                node_objects.write_node(self.rng, host, at=at, ready=ready, allocatable=lost)
            )
            self.items.append(node_objects.write_lease(self.rng, host, at - self.rng.uniform(0, 9)))

    def job(self, started: float, failed: float | None, *, reason: str = "PodFailed") -> None:
        """List the job; `failed` is when it failed for good."""
        gang = self.gang
        status: Body = {"active": 0 if failed else len(gang.pods)}
        if failed:
            status |= {
                "failed": len(gang.pods),
                "conditions": [
                    {
                        "type": "Failed",
                        "status": "True",
                        "reason": reason,
                        "message": "Job has reached the specified backoff limit",
                        "lastTransitionTime": write_iso(failed),
                        "lastProbeTime": write_iso(failed),
                    }
                ],
            }
            about = Involved("Job", gang.name, gang.namespace, gang.uid)
            self.tell(
                about,
                failed,
                "BackoffLimitExceeded",
                "Job has reached the specified backoff limit",
                component="job-controller",
            )
        self.items.append(
            pod_objects.write_job(
                self.rng,
                gang.name,
                uid=gang.uid,
                namespace=gang.namespace,
                started=started,
                width=len(gang.pods),
                status=status,
            )
        )

    def pod_running(self, index: int, since: float) -> None:
        """List a pod that runs."""
        spec = self.gang.pods[index]
        self.items.append(
            pod_objects.write_pod(
                spec, phase="Running", status=pod_objects.write_running(spec, since)
            )
        )

    def pod_failed(
        self, index: int, since: float, until: float, *, code: int, reason: str = "Error"
    ) -> None:
        """List a pod whose container ended with `code`."""
        spec = self.gang.pods[index]
        status = pod_objects.write_ended(spec, since, until, code=code, reason=reason)
        self.items.append(pod_objects.write_pod(spec, phase="Failed", status=status))

    def pods_failed(self, victim: int, died: float, late: float) -> None:
        """List a job whose pod `victim` died; the others gave up some time after `late`."""
        for index, spec in enumerate(self.gang.pods):
            until = died if index == victim else late + self.rng.uniform(16, 32)
            self.pod_failed(index, spec.created + 40, until, code=1)
        self.job(self.gang.pods[0].created, late + 40)

    def gpu_unhealthy(self, name: str, gpu: Gpu, at: float, xid: int) -> None:
        """Record that the device plugin took a GPU of `name` out of service."""
        self.tell(
            Involved("Node", name, uid=name),
            at,
            "GPUUnhealthy",
            f"Device {gpu.uuid} is marked unhealthy: XidCriticalError: Xid={xid}",
            component="nvidia-device-plugin",
            host=name,
        )

    def tell(
        self,
        about: Involved,
        at: float,
        reason: str,
        message: str,
        *,
        component: str = "kubelet",
        host: str = "",
        kind: str = "Warning",
    ) -> None:
        """Record an event at true time `at`, stamped by its reporter's clock."""
        stamped = self.recording.stamped(host, at)
        self.events.append(
            objects.write_event(
                self.rng,
                about,
                first=stamped,
                reason=reason,
                message=message,
                component=component,
                host=host,
                kind=kind,
            )
        )

    def list(self) -> None:
        """Put everything into the recording as one listing."""
        self.recording.snapshots[self.recording.taken] = [*self.items, *self.events]

    def log(self, index: int, lines: Lines) -> None:
        """Record the log of a pod's container."""
        spec = self.gang.pods[index]
        ordered = tuple(sorted(lines, key=lambda line: line[0]))
        self.recording.pod_logs.append(
            PodLog(spec.namespace, spec.name, spec.container, spec.node, ordered)
        )


def add_metrics(
    recording: Recording,
    rng: random.Random,
    busy: Callable[[str, float], bool],
    *,
    step: float = SCRAPE_S,
    hours: float = 1.2,
) -> list[float]:
    """Add the everyday samples of all hosts and return the scrape times."""
    since = max(recording.since, recording.until - hours * 3600)
    times = background.list_ticks(since, recording.until, step)
    background.add_gpu_metrics(recording, rng, times, busy)
    background.add_host_metrics(recording, rng, times)
    for host in recording.hosts.values():
        labels = {"node": host.name, "job": "kube-state-metrics"}
        for status, value in (("true", 1.0), ("false", 0.0)):
            ready = {**labels, "condition": "Ready", "status": status}
            recording.metrics.append(
                pair_samples("kube_node_status_condition", ready, times, [value] * len(times))
            )
    return times


def hold_xid(recording: Recording, uuid: str, since: float, code: float) -> None:
    """Make the exporter's last-Xid gauge of one GPU show `code` from `since` on."""
    for place, metric in enumerate(recording.metrics):
        if metric.name == "DCGM_FI_DEV_XID_ERRORS" and metric.labels["UUID"] == uuid:
            samples = tuple((at, code if at >= since else value) for at, value in metric.samples)
            recording.metrics[place] = type(metric)(metric.name, metric.labels, samples)


def name_gpu(host: Host, gpu: Gpu) -> dict[str, str]:
    """Name the GPU at fault for the truth."""
    return {"gpu": gpu.uuid, "gpu_bdf": f"{host.name}/{gpu.bdf}", "host": host.name}


def draw_names(rng: random.Random, count: int) -> list[str]:
    """Draw a naming of hosts."""
    style = rng.choice(("gpu-a{:03d}", "dgx-{:03d}", "h100-node-{:03d}", "gn{:03d}", "hgx{:03d}"))
    first = rng.randrange(1, 40)
    return [style.format(first + index) for index in range(count)]


def draw_moment(rng: random.Random, anchor: float) -> float:
    """Draw a day and time within half a year of `anchor`."""
    return anchor + rng.uniform(-180, 180) * 86400


def draw_pid(rng: random.Random) -> int:
    """Draw a host pid."""
    return rng.randrange(20_000, 900_000)
