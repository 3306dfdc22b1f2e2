"""What etcd, the API servers and the controllers print while the disks are slow."""

import json
import random
from dataclasses import dataclass

from evals import fleet
from evals.background import write_klog
from evals.model import PodLog, Recording, write_iso
from evals.pod_objects import PodSpec
from evals.scenarios.etcd_slow_disk.plan import Election, Member, Plan
from evals.training import Lines

NAMESPACE = "kube-system"
COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
IMAGES = {
    "etcd": "registry.k8s.io/etcd:3.5.16-0",
    "kube-apiserver": "registry.k8s.io/kube-apiserver:v1.32.4",
    "kube-controller-manager": "registry.k8s.io/kube-controller-manager:v1.32.4",
    "kube-scheduler": "registry.k8s.io/kube-scheduler:v1.32.4",
}
SEALED = "etcdserver: request timed out"
LONG_S = 3.0
"""A write that takes longer than this makes a client's request fail."""
MANAGER = "kube-system/kube-controller-manager"
QUOTA = '"syncing resource quota controller"'
KEYS = (
    '/registry/leases/kube-system/kube-scheduler" ',
    '/registry/health" ',
    '/registry/pods/train/" range_end:"/registry/pods/train0" limit:500 ',
    '/registry/leases/kube-node-lease/" range_end:"/registry/leases/kube-node-lease0" ',
)


def draw_pods(rng: random.Random, plan: Plan, created: float) -> dict[tuple[str, str], PodSpec]:
    """Draw the static pods: by component and host."""
    return {
        (component, member.host.name): PodSpec(
            namespace=NAMESPACE,
            name=f"{component}-{member.host.name}",
            uid=fleet.draw_uuid(rng),
            node=member.host.name,
            created=created,
            image=IMAGES[component],
            container=component,
            container_id=fleet.draw_hexadecimal(rng, 64),
            gpus=0,
            memory="512Mi",
            labels=(("component", component), ("tier", "control-plane")),
        )
        for member in plan.members
        for component in COMPONENTS
    }


def write_logs(
    recording: Recording, plan: Plan, pods: dict[tuple[str, str], PodSpec], rng: random.Random
) -> None:
    """Record the logs of all control-plane pods; the manager that gave up has an earlier one."""
    for index, member in enumerate(plan.members):
        name = member.host.name
        written = {
            "etcd": _etcd(recording, plan, index, rng),
            "kube-apiserver": _server(recording, member, plan, rng),
            "kube-scheduler": _scheduler(recording, index, plan, rng),
        }
        for component, lines in written.items():
            _keep(recording, pods[component, name], lines)
        manager = pods["kube-controller-manager", name]
        before, after = _manager(recording, index, plan, rng)
        _keep(recording, manager, after)
        if before:
            _keep(recording, manager, before, previous=True)


def _keep(recording: Recording, spec: PodSpec, lines: Lines, *, previous: bool = False) -> None:
    ordered = tuple(sorted(lines, key=lambda line: line[0]))
    recording.pod_logs.append(
        PodLog(spec.namespace, spec.name, spec.container, spec.node, ordered, previous)
    )


def _zap(level: str, at: float, caller: str, msg: str, **more: str) -> tuple[float, str]:
    body = {"level": level, "ts": write_iso(at, digits=6), "caller": caller, "msg": msg, **more}
    return at, json.dumps(body, separators=(",", ":"))


def _raft(at: float, msg: str) -> tuple[float, str]:
    return _zap("info", at, "etcdserver/zap_raft.go:77", msg, logger="raft")


def _etcd(recording: Recording, plan: Plan, index: int, rng: random.Random) -> Lines:
    member = plan.members[index]
    lines = _routine(recording, rng)
    for sync in member.syncs:
        took = f"{sync.took:.9f}s"
        lines.append(
            _zap(
                "warn", sync.end, "wal/wal.go:806", "slow fdatasync",
                took=took, **{"expected-duration": "1s"},
            )
        )  # fmt: skip
        lines += _slow_applies(sync.end, sync.took, rng)
        if _leads(plan, index, sync.begin):
            lines.append(_overloaded(plan, index, sync.end, sync.took))
    for election in plan.elections:
        lines += _change(plan, index, election)
    return lines


def _routine(recording: Recording, rng: random.Random) -> Lines:
    """Write what etcd says on any day."""
    lines: Lines = []
    at, revision = recording.since + 20, rng.randrange(10**7, 10**9)
    while at < recording.until:
        lines.append(
            _zap("info", at, "mvcc/index.go:214", "compact tree index", revision=str(revision))
        )
        lines.append(
            _zap(
                "info", at + 0.3, "mvcc/kvstore_compaction.go:68",
                "finished scheduled compaction", took=f"{rng.uniform(30, 190):.6f}ms",
            )
        )  # fmt: skip
        at, revision = at + 300, revision + rng.randrange(2000, 9000)
    return lines


def _slow_applies(at: float, took: float, rng: random.Random) -> Lines:
    return [
        _zap(
            "warn", at + 0.05 * place, "txn/util.go:93", "apply request took too long",
            took=f"{max(0.12, took * rng.uniform(0.3, 1.0)):.6f}s",
            prefix="read-only range ",
            request="key:" + rng.choice(KEYS),
            response=f"range_response_count:{rng.randrange(40)} size:{rng.randrange(400, 90000)}",
            **{"expected-duration": "100ms"},
        )
        for place in range(rng.randrange(1, 4))
    ]  # fmt: skip


def _leads(plan: Plan, index: int, at: float) -> bool:
    leader = 0
    for election in plan.elections:
        if election.at <= at:
            leader = election.won
    return leader == index


def _overloaded(plan: Plan, index: int, at: float, took: float) -> tuple[float, str]:
    other = plan.members[(index + 1) % len(plan.members)].id
    return _zap(
        "warn",
        at + 0.002,
        "etcdserver/raft.go:416",
        "leader failed to send out heartbeat on time; took too long, leader is overloaded likely "
        "from slow disk",
        to=other,
        **{
            "heartbeat-interval": "100ms",
            "expected-duration": "200ms",
            "exceeded-duration": f"{took - 0.2:.6f}s",
        },
    )


def _change(plan: Plan, index: int, election: Election) -> Lines:
    """Write how one member sees the leader change; the old one only when its disk returns."""
    own, old, new = (plan.members[i].id for i in (index, election.lost, election.won))
    at, term = election.at, election.term
    if index == election.won:
        return [
            _raft(at, f"{own} is starting a new election at term {term}"),
            _raft(at + 1e-4, f"{own} became candidate at term {term + 1}"),
            _raft(at + 2e-4, f"raft.node: {own} lost leader {old} at term {term + 1}"),
            _raft(at + 0.05, f"{own} became leader at term {term + 1}"),
            _raft(at + 0.0501, f"raft.node: {own} elected leader {own} at term {term + 1}"),
        ]
    if index == election.lost:
        back = next((s.end for s in plan.members[index].syncs if s.begin <= at < s.end), at + 1)
        return [
            _raft(back + 0.01, f"{own} became follower at term {term + 1}"),
            _raft(
                back + 0.02,
                f"raft.node: {own} changed leader from {old} to {new} at term {term + 1}",
            ),
        ]
    return [
        _raft(at + 0.02, f"raft.node: {own} lost leader {old} at term {term + 1}"),
        _raft(at + 0.07, f"raft.node: {own} elected leader {new} at term {term + 1}"),
    ]


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes the lines of one host's components by its own clock."""

    recording: Recording
    host: str

    def write(self, at: float, level: str, where: str, text: str) -> tuple[float, str]:
        """Write a line at true time `at`."""
        stamp = self.recording.stamped(self.host, at)
        return at, write_klog(level, stamp, where, text, pid=1)


def _server(recording: Recording, member: Member, plan: Plan, rng: random.Random) -> Lines:
    """Write an API server's log: it asks the etcd of its own host."""
    pen = Pen(recording, member.host.name)
    lines = [
        pen.write(at, "I", "handler.go:286", "Adding GroupVersion metrics.k8s.io v1beta1")
        for at in _every(recording, 420, rng)
    ]
    error = f'rpctypes.EtcdError{{code:0xe, desc:"{SEALED}"}}: {SEALED}'
    for sync in (s for s in member.syncs if s.took > LONG_S):
        at = sync.end + rng.uniform(0, 0.4)
        text = f"apiserver received an error that is not an metav1.Status: {error}"
        lines.append(pen.write(at, "E", "status.go:71", text))
        node = rng.choice([silence.node for silence in plan.silences])
        path = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{node}"
        text = f'"Timeout or abort while handling" logger="UnhandledError" method="PUT" URI="{path}'
        lines.append(pen.write(at + 0.2, "E", "timeout.go:140", f'{text}?timeout=10s"'))
    return lines


def _every(recording: Recording, gap: float, rng: random.Random) -> list[float]:
    count = int((recording.until - recording.since) / gap)
    return [recording.since + (place + rng.random()) * gap for place in range(count)]


def _manager(
    recording: Recording, index: int, plan: Plan, rng: random.Random
) -> tuple[Lines, Lines]:
    """Write a controller manager's logs before and after it gave up; only the first one did."""
    pen = Pen(recording, plan.members[index].host.name)
    calm = [
        pen.write(at, "I", "resource_quota_controller.go:443", QUOTA)
        for at in _every(recording, 500, rng)
    ]
    if not index:
        every = sorted([*calm, *_give_up(pen, plan)])
        ended = plan.lost_lease
        return [x for x in every if x[0] <= ended], [x for x in every if x[0] > ended]
    won = plan.lost_lease + rng.uniform(16, 19)
    text = f"successfully acquired lease {MANAGER}"
    taken = pen.write(won, "I", "leaderelection.go:271", text)
    return [], [*calm, *([taken] if index == 1 else [])]


def _give_up(pen: Pen, plan: Plan) -> Lines:
    """Write how a manager loses its lease, ends itself and starts anew."""
    address = plan.members[0].host.address
    url = f"https://{address}:6443/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
    late = "context deadline exceeded"
    tried = f'Get "{url}/kube-controller-manager?timeout=5s": {late}'
    said: tuple[tuple[float, str, str, str], ...] = (
        (-5, "E", "leaderelection.go:436", f"error retrieving resource lock {MANAGER}: {tried}"),
        (-0.01, "I", "leaderelection.go:297", f"failed to renew lease {MANAGER}: {late}"),
        (0, "E", "controllermanager.go:340", '"leaderelection lost"'),
        (3, "I", "serving.go:386", '"Generated self-signed cert in-memory"'),
        (4, "I", "leaderelection.go:257", f"attempting to acquire leader lease {MANAGER}"),
    )
    return [pen.write(plan.lost_lease + after, *words) for after, *words in said]


def _scheduler(recording: Recording, index: int, plan: Plan, rng: random.Random) -> Lines:
    """Write a scheduler's log: the standby ones only fail to read the lease."""
    member = plan.members[index]
    pen, lease = Pen(recording, member.host.name), "kube-system/kube-scheduler"
    text = f"attempting to acquire leader lease {lease}"
    lines = [pen.write(recording.since + 15, "I", "leaderelection.go:257", text)]
    for sync in (s for s in member.syncs if s.took > LONG_S + 1):
        at = sync.end + rng.uniform(0, 0.3)
        text = f"error retrieving resource lock {lease}: {SEALED}"
        lines.append(pen.write(at, "E", "leaderelection.go:436", text))
    return lines
