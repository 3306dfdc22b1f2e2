"""What the Astra nodes wrote themselves: kubelet, health check, kernel, and commands run there."""

import random
from dataclasses import dataclass

from evals.background import write_klog
from evals.model import Body, Command, Recording, TextFile, write_iso
from evals.scenarios import gpu_health, nfs_outage
from evals.scenarios.astra_storage_failover.plan import NodeStory, Plan

SCRIPT = """#!/bin/bash
# /usr/local/bin/gpu-healthcheck.sh - run every minute by gpu-healthcheck.timer
export PATH=/usr/bin:/bin
NODE=$(hostname)
GPU_READY=$(timeout 10 nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)
if [ "$GPU_READY" -lt 8 ]; then
  echo "ERROR: only $GPU_READY of 8 GPUs answer"; exit 1
fi
if ! timeout 15 sh -c "echo ok > /data/checkpoints/.healthcheck"; then
  echo "ERROR: cannot write temp file to /data/checkpoints/.healthcheck"
  echo "ERROR: healthcheck failed for node $NODE"
  exit 1
fi
echo "PASS: 8 GPUs answer, /data/checkpoints writable"
"""
CHECK_UNIT = "gpu-healthcheck"


def write(recording: Recording, plan: Plan, rng: random.Random) -> None:
    """Write every node's own records."""
    for story in plan.nodes.values():
        _health_check(recording, plan, story)
        _kubelet(recording, story, rng)
        if story.keeps_log:
            recording.files.append(_check_log(recording, plan, story))
    nfs_outage.log_kernel(recording, plan.outage, rng, share=0.4)
    nfs_outage.add_host_commands(recording, plan.outage, rng, plan.looked, hung_share=0.6)
    gpu_health.add_readings(recording, rng, plan.looked + 20)
    for name in plan.nodes:
        recording.commands.append(
            Command(
                name,
                ("cat", "/usr/local/bin/gpu-healthcheck.sh"),
                "gpu-healthcheck-script",
                plan.looked + 60,
                SCRIPT,
            )
        )


def _health_check(recording: Recording, plan: Plan, story: NodeStory) -> None:
    name = story.host.name
    stall = plan.outage.stalls[name]
    for begin in story.checks:
        if begin in _stuck(story, stall.end):
            continue
        recording.log(
            name, begin + 1.2, CHECK_UNIT, "PASS: 8 GPUs answer, /data/checkpoints writable"
        )
    for at in story.failed:
        cannot, failed = _failure(name)
        recording.log(name, at, CHECK_UNIT, cannot, priority=3)
        recording.log(name, at + 0.6, CHECK_UNIT, failed, priority=3)
        recording.log(
            name,
            at + 0.6 + 0.6 + 0.2,
            "systemd",
            "gpu-healthcheck.service: Main process exited, code=exited, status=1/FAILURE",
            priority=5,
        )


def _stuck(story: NodeStory, end: float) -> frozenset[float]:
    first = story.failed[0] - 15.0
    return frozenset(at for at in story.checks if first - 0.01 <= at < end)


def _failure(name: str) -> tuple[str, str]:
    return (
        f"ERROR: cannot write temp file to {nfs_outage.PROBE_FILE}",
        f"ERROR: healthcheck failed for node {name}",
    )


def _check_log(recording: Recording, plan: Plan, story: NodeStory) -> TextFile:
    """Write the script's own file: the node's wall clock in Beijing time, no zone."""
    name = story.host.name
    lines: list[tuple[float, str]] = []
    for at in story.failed:
        first, second = _failure(name)
        lines += [(at, first), (at + 0.6, second)]
    recent = [at for at in story.checks if at > plan.outage.failover - 900]
    stuck = _stuck(story, plan.outage.stalls[name].end)
    lines += [
        (at + 1.2, "PASS: 8 GPUs answer, /data/checkpoints writable")
        for at in recent
        if at not in stuck
    ]
    text = "".join(
        f"[{nfs_outage.write_wall(at + story.host.clock_offset_s)}] {words}\n"
        for at, words in sorted(lines)
    )
    return TextFile(
        path=f"host/{name}/gpu-healthcheck.log",
        text=text,
        source="host",
        target=name,
        command="cat /var/log/gpu-healthcheck.log",
        taken=recording.taken,
    )


def _not_ready(story: NodeStory, at: float, message: str) -> str:
    condition = (
        f'{{"type":"Ready","status":"False","lastHeartbeatTime":"{write_iso(at)}",'
        f'"lastTransitionTime":"{write_iso(at)}","reason":"KubeletNotReady","message":"{message}"}}'
    )
    return f'"Node became not ready" node="{story.host.name}" condition={condition}'


def write_pleg(seconds: float) -> str:
    """Write the runtime-health sentence as kubelet does."""
    minutes, rest = divmod(seconds, 60)
    ago = f"{minutes:.0f}m{rest:.9f}s"
    return f"PLEG is not healthy: pleg was last seen active {ago} ago; threshold is 3m0s"


@dataclass(frozen=True, slots=True)
class _Kubelet:
    """The kubelet of one node; it stamps by its host's clock."""

    recording: Recording
    story: NodeStory
    rng: random.Random

    def say(self, at: float, level: str, where: str, text: str) -> None:
        """Log one line."""
        host = self.story.host
        line = write_klog(level, at + host.clock_offset_s, where, text)
        priority = 3 if level == "E" else 6
        self.recording.log(host.name, at, "kubelet", line, priority=priority)

    def lose_runtime(self, begin: float, end: float) -> None:
        """Tell of a runtime that missed its own status check."""
        failed = (
            '"Status from runtime service failed" err="rpc error: code = DeadlineExceeded '
            'desc = context deadline exceeded"'
        )
        self.say(begin, "E", "remote_runtime.go:633", failed)
        words = _not_ready(self.story, begin, "container runtime is down")
        self.say(begin + 0.1, "I", "setters.go:600", words)
        self._recover(end)

    def lose_pleg(self, begin: float, end: float) -> None:
        """Tell every ten seconds that the relist does not come back."""
        words = _not_ready(self.story, begin, write_pleg(183 + self.rng.random()))
        self.say(begin, "I", "setters.go:600", words)
        at, seen = begin, 183.0
        while at < end:
            skipped = f'"Skipping pod synchronization" err="{write_pleg(seen + self.rng.random())}"'
            self.say(at, "E", "kubelet.go:2412", skipped)
            at, seen = at + 10, seen + 10
        self._recover(end)

    def _recover(self, at: float) -> None:
        name = self.story.host.name
        text = f'"Recording event message for node" node="{name}" event="NodeReady"'
        self.say(at, "I", "kubelet_node_status.go:729", text)


def _kubelet(recording: Recording, story: NodeStory, rng: random.Random) -> None:
    kubelet = _Kubelet(recording, story, rng)
    if story.runtime_down:
        kubelet.lose_runtime(*story.runtime_down)
    if story.pleg:
        kubelet.lose_pleg(*story.pleg)


def write_taint(added: float) -> Body:
    """Write the taint that the health controller adds."""
    return {
        "key": "gpu-health.astra.io/unhealthy",
        "value": "true",
        "effect": "NoExecute",
        "timeAdded": write_iso(added),
    }
