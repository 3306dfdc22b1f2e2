"""A hand-made Investigation of a storage outage, rich enough to render every part of a report."""
# ruff: noqa: E501 -- Chinese sentences are wide on the screen

from datetime import UTC, datetime, timedelta

from assistant.event import ClockCorrection, Coverage, Setting, Timeline
from assistant.incident import Incident, PriorityDecision
from assistant.investigation import Cluster, Investigation, Versions
from tests.integrations.sample_diagnosis import build_diagnosis
from tests.integrations.sample_events import build_events
from tests.integrations.sample_world import NODES, START, both, quote
from tools.evidence import Evidence, Gap, Window


def build_evidence() -> tuple[Evidence, ...]:
    """Return the captures that the events cite, one that hung and one that was denied."""
    window = Window(since=START, until=START + timedelta(hours=1))

    def capture(number: int, source: str, command: str, target: str, **more: object) -> Evidence:
        values = {"id": f"E{number}", "source": source, "command": command, "target": target}
        observed = START + timedelta(hours=1, minutes=number)
        base = {"window": window, "observed_at": observed, "sha256": f"{number:064x}", "size": 4096}
        return Evidence.model_validate({**base, **values, **more})

    return (
        capture(1, "journal", "journalctl -o export --since @1750384800", "astra-gpu-01"),
        capture(2, "journal", "journalctl -o export --since @1750384800", "astra-gpu-07"),
        capture(3, "kubernetes", "kubectl get events -A -o json", "astra"),
        capture(4, "file", "storage/controller.log", "storage/controller.log", observed_at=None),
        capture(5, "file", "app/healthcheck.log", "app/healthcheck.log"),
        capture(6, "host", "df -h /data", "astra-gpu-07", outcome="hung", size=0,
                detail="gave up after 10 s", live=True),
        capture(7, "prometheus", "nfs_rtt_p99", "prometheus"),
        capture(8, "kubernetes", "kubectl logs -n train llm-70b-0 --previous", "train/llm-70b-0"),
        capture(9, "nvml", "nvidia-smi -q", "astra-gpu-07", live=True),
        capture(10, "network", "ssh leaf-3 show interface", "leaf-3", outcome="denied", size=0,
                detail="Permission denied (publickey)"),
    )  # fmt: skip


def build_investigation() -> Investigation:
    """Return the whole, as a finished investigation of a bundle."""
    covered = tuple(
        Coverage(source="journal", target=node, state="abnormal", since=START,
                 until=START + timedelta(hours=1), evidence=("E1",))
        for node in NODES[:2]
    )  # fmt: skip
    setting = Setting(name="nfs_timeo_s", value=60.0, citation=quote("E1", 12, "timeo=600"))
    return Investigation(
        incident=Incident(id="I-20250620-1", title="Nodes flap, GPUs at zero"),
        step="diagnosed",
        window=Window(since=START, until=START + timedelta(hours=1)),
        evidence=build_evidence(),
        gaps=(Gap(source="network", target="leaf-3", why="permission denied",
                  window=Window(since=START, until=START + timedelta(hours=1))),
              Gap(source="prometheus", target="dcgm", why="no samples before 02:10Z",
                  window=Window(since=START, until=START + timedelta(minutes=10)))),
        timeline=Timeline(
            events=build_events(), settings=(setting,),
            corrections=(ClockCorrection(clock="host:astra-gpu-12", offset_s=-91.0,
                                         uncertainty_s=0.5, why="chrony offset", evidence=("E1",)),),
            unresolved_zones=("file:E4",)),
        coverage=(
            *covered,
            Coverage(source="host", target="astra-gpu-07", state="hung", evidence=("E6",),
                     why="df -h /data did not return within 10 s"),
            Coverage(source="network", target="leaf-3", state="not_checked", evidence=("E10",),
                     why="permission denied"),
            Coverage(source="bmc", target="all nodes", state="not_visible",
                     why="this tenant cannot see the host layer"),
            Coverage(source="nvml", target="astra-gpu-07", state="normal", evidence=("E9",)),
        ),
        priority=PriorityDecision(level="P0", rule=both("shared storage down for every node", "所有节点的共享存储不可用"),
                                  respond_by=START + timedelta(minutes=38)),
        diagnosis=build_diagnosis(),
        cluster=Cluster(context="astra", uid="5f7c"),
        versions=Versions(product="0.1.0", handbook="a1b2c3d4"),
        generated_at=datetime(2025, 6, 20, 3, 12, 5, tzinfo=UTC),
    )  # fmt: skip
