"""The training pods of Astra by generation: evicted, tried again elsewhere, back at last.

Eviction is not the node lifecycle's: with most of a zone NotReady that one stops evicting. Here a
named controller adds a NoExecute taint of its own, which the taint-eviction controller obeys at
once. A replacement needs a new mount, and a new mount waits for the dead server just as long.
"""

import random
from dataclasses import dataclass, field, replace

from evals import fleet, objects, pod_objects
from evals.model import Body, write_iso
from evals.objects import Involved
from evals.pod_objects import PodSpec
from evals.scenarios.astra_storage_failover.plan import JobStory, NodeStory, Plan

NAMESPACE = "train"
CLAIM = "astra-data"
MOUNT_GIVES_UP_S = 125.0
"""mount.nfs retries for two minutes in the foreground before it reports."""
EVICTOR = "taint-eviction-controller"
CRASH_SHARE = 0.8
UNTOLERATED = (
    "0/{all} nodes are available: {tainted} node(s) had untolerated taint "
    "{{gpu-health.astra.io/unhealthy: true}}, {full} Insufficient nvidia.com/gpu, 3 node(s) had "
    "untolerated taint {{node-role.kubernetes.io/control-plane: }}. preemption: 0/{all} nodes are "
    "available: {all} Preemption is not helpful for scheduling."
)


@dataclass
class PodStory:
    """One pod from creation to deletion."""

    spec: PodSpec
    job: JobStory
    index: int
    generation: int
    deleted: float | None = None
    """When its deletion was asked for."""
    gone: float | None = None
    started: float | None = None
    crashed: float | None = None
    """When the container ended by itself, its peers gone."""


@dataclass
class Pods:
    """All pods of the outage and the events about them."""

    plan: Plan
    rng: random.Random
    stories: list[PodStory] = field(default_factory=list)
    events: list[Body] = field(default_factory=list)
    free: set[str] = field(default_factory=set)
    """Nodes whose GPUs nobody holds."""

    def play(self) -> None:
        """Run the outage for every job."""
        used = {node for job in self.plan.jobs for node in job.nodes}
        self.free = set(self.plan.nodes) - used
        first = [
            self._first(job, index, node)
            for job in self.plan.jobs
            for index, node in enumerate(job.nodes)
        ]
        for story in sorted(first, key=lambda story: self.plan.nodes[story.spec.node].tainted):
            if story.crashed is None:
                self._evict(story, self.plan.nodes[story.spec.node])
                self._retry(story, story.deleted or 0.0)
                self._crash_peers(story, first)
        for job in self.plan.jobs:
            self._finish(job)

    def _crash_peers(self, gone: PodStory, first: list[PodStory]) -> None:
        """End members of the same job that wait in a collective, not in a write."""
        at = (gone.deleted or 0.0) + 32
        for peer in first:
            node = self.plan.nodes[peer.spec.node]
            same = peer.job is gone.job and peer is not gone and peer.crashed is None
            if same and node.tainted > at + 5 and self.rng.random() < CRASH_SHARE:
                peer.crashed = at + self.rng.uniform(0.2, 2)
                self.free.add(node.host.name)
                self._retry(peer, peer.crashed)

    def _spec(self, job: JobStory, index: int, node: str, created: float) -> PodSpec:
        return PodSpec(
            namespace=NAMESPACE,
            name=f"{job.name}-{index}-{fleet.draw_suffix(self.rng)}",
            uid=fleet.draw_uuid(self.rng),
            node=node,
            created=created,
            job=job.name,
            job_uid=job.uid,
            container_id=fleet.draw_hexadecimal(self.rng, 64),
            claim=CLAIM,
            labels=(("batch.kubernetes.io/job-completion-index", str(index)),),
        )

    def _about(self, story: PodStory) -> Involved:
        return Involved("Pod", story.spec.name, NAMESPACE, story.spec.uid)

    def _tell(self, story: PodStory, at: float, reason: str, message: str, **more: object) -> None:
        host = str(more.get("host", ""))
        clock = self.plan.nodes[host].host.clock_offset_s if host else 0.0
        last = more.get("last")
        self.events.append(
            objects.write_event(
                self.rng,
                self._about(story),
                first=at + clock,
                last=float(last) + clock if isinstance(last, float) else None,
                reason=reason,
                message=message,
                component=str(more.get("component", "kubelet")),
                host=host,
                kind=str(more.get("kind", "Warning")),
                count=count if isinstance(count := more.get("count", 1), int) else 1,
            )
        )

    def _first(self, job: JobStory, index: int, node: str) -> PodStory:
        born = self.plan.since - self.rng.uniform(2, 50) * 3600
        story = PodStory(self._spec(job, index, node, born), job, index, 0, started=born + 40)
        self.stories.append(story)
        return story

    def _evict(self, story: PodStory, node: NodeStory) -> None:
        story.deleted = node.tainted + self.rng.uniform(0.05, 0.9)
        stuck = node.pleg is not None and story.generation == 0
        end = self.plan.outage.stalls[node.host.name].end
        story.gone = end + self.rng.uniform(2, 15) if stuck else story.deleted + 31
        self._tell(
            story,
            story.deleted,
            "TaintManagerEviction",
            f"Marking for deletion Pod {NAMESPACE}/{story.spec.name}",
            component=EVICTOR,
            kind="Normal",
        )
        if story.started:
            self._tell(
                story,
                story.deleted + 0.4,
                "Killing",
                f"Stopping container {story.spec.container}",
                host=node.host.name,
                kind="Normal",
            )

    def _retry(self, before: PodStory, ended: float) -> None:
        """Create the replacement; where a node is still free of the taint it tries to mount."""
        created = ended + self.rng.uniform(0.8, 3)
        node = self._untainted(created)
        story = PodStory(
            self._spec(before.job, before.index, node, created), before.job, before.index, 1
        )
        self.stories.append(story)
        if not node:
            self._pending(story, created)
            return
        self.free.discard(node)
        self._mount_fails(story, node, created + 1)
        self._evict(story, self.plan.nodes[node])
        again = PodStory(
            self._spec(before.job, before.index, "", (story.deleted or 0.0) + 2),
            before.job,
            before.index,
            2,
        )
        self.stories.append(again)
        self._pending(again, again.spec.created)

    def _untainted(self, at: float) -> str:
        names = [n for n in sorted(self.free) if self.plan.nodes[n].tainted > at + 4]
        return self.rng.choice(names) if names else ""

    def _pending(self, story: PodStory, at: float) -> None:
        tainted = sum(1 for node in self.plan.nodes.values() if node.tainted <= at)
        message = UNTOLERATED.format(
            tainted=tainted,
            full=len(self.plan.nodes) - tainted,
            all=len(self.plan.nodes) + 3,
        )
        over = self.plan.outage.over()
        self._tell(
            story,
            at + 0.1,
            "FailedScheduling",
            message,
            component="default-scheduler",
            last=over - self.rng.uniform(1, 30),
            count=self.rng.randrange(3, 9),
        )

    def _mount_fails(self, story: PodStory, node: str, assigned: float) -> None:
        failed = assigned + MOUNT_GIVES_UP_S + self.rng.uniform(0, 4)
        server = self.plan.outage.server
        self._tell(
            story,
            assigned,
            "Scheduled",
            f"Successfully assigned {NAMESPACE}/{story.spec.name} to {node}",
            component="default-scheduler",
            kind="Normal",
        )
        folder = f"/var/lib/kubelet/pods/{story.spec.uid}/volumes/kubernetes.io~nfs/data-volume"
        self._tell(
            story,
            failed,
            "FailedMount",
            'MountVolume.SetUp failed for volume "data-volume" : mount failed: exit status 32\n'
            f"Mounting command: mount\nMounting arguments: -t nfs -o hard,vers=4.1 {server}:/data "
            f"{folder}\nOutput: mount.nfs: Connection timed out",
            host=node,
            count=self.rng.randrange(1, 3),
        )

    def _finish(self, job: JobStory) -> None:
        """Bring the job back, or fail it when its back-off limit is used up."""
        over = self.plan.outage.over()
        ready = max(self.plan.nodes[node].untainted for node in job.nodes)
        last = {s.index: s for s in self.stories if s.job is job}
        if job.fails:
            failed = over - self.rng.uniform(2, 40)
            self.events.append(
                objects.write_event(
                    self.rng,
                    Involved("Job", job.name, NAMESPACE, job.uid),
                    first=failed,
                    reason="BackoffLimitExceeded",
                    message="Job has reached the specified backoff limit",
                    component="job-controller",
                )
            )
            for story in last.values():
                story.deleted = story.gone = failed + 0.5
            return
        for story in last.values():
            node = job.nodes[story.index]
            story.spec = replace(story.spec, node=node)
            story.started = ready + self.rng.uniform(4, 30)
            self._tell(
                story,
                story.started - 3,
                "Scheduled",
                f"Successfully assigned {NAMESPACE}/{story.spec.name} to {node}",
                component="default-scheduler",
                kind="Normal",
            )

    def failed_at(self, job: JobStory) -> float | None:
        """Return when the job failed for good."""
        stories = [s for s in self.stories if s.job is job and s.generation > 0]
        ends = [s.deleted for s in stories if s.deleted and not s.started]
        return max(ends) if job.fails and ends else None

    def listed(self, at: float) -> list[Body]:
        """Return the Pod objects as the API server had them at `at`."""
        return [
            self._object(story, at)
            for story in self.stories
            if story.spec.created <= at and (story.gone is None or story.gone > at)
        ]

    def _object(self, story: PodStory, at: float) -> Body:
        if story.started and story.started <= at:
            body = pod_objects.write_pod(
                story.spec,
                phase="Running",
                status=pod_objects.write_running(story.spec, story.started),
            )
            if story.crashed and story.crashed <= at:
                status = pod_objects.write_ended(
                    story.spec, story.started, story.crashed, code=1, reason="Error"
                )
                return pod_objects.write_pod(story.spec, phase="Failed", status=status)
            if story.deleted and story.deleted <= at:
                meta = body["metadata"]
                if isinstance(meta, dict):
                    meta["deletionTimestamp"] = write_iso(story.deleted + 30)
                    meta["deletionGracePeriodSeconds"] = 30
            return body
        waiting = not story.spec.node or story.started is not None
        condition = {
            "type": "PodScheduled",
            "status": "False" if waiting else "True",
            "lastTransitionTime": write_iso(story.spec.created),
            **({"reason": "Unschedulable"} if waiting else {}),
        }
        spec = replace(story.spec, node="") if waiting else story.spec
        return pod_objects.write_pod(spec, phase="Pending", status={"conditions": [condition]})
