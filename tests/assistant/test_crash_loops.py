"""A container that keeps ending is no health, however long it has done so."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped
from tools.evidence import Window

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
T = datetime(2025, 10, 11, tzinfo=UTC)
UID = "8d0f7b1e-2c4d-4b7f-9a51-0f0f6ad2c111"


def _moments(minutes: int) -> list[datetime]:
    """Return moments from midnight to half past three."""
    return [T + timedelta(minutes=n) for n in range(0, 210, minutes)]


def _kernel() -> str:
    return "".join(
        f'{at.isoformat()} gpu-01 kernel: audit: type=1400 audit({n}): apparmor="STATUS"\n'
        for n, at in enumerate(_moments(5))
    )


def _work() -> str:
    lines = enumerate(_moments(1))
    return "".join(f"{at.isoformat()} INFO step {n} loss 2.31\n" for n, at in lines)


def _events() -> str:
    """Write the kubelet's reports, every ten minutes since midnight."""
    message = f"Back-off restarting failed container t in pod inf-0_serve({UID})"
    about = {"kind": "Pod", "namespace": "serve", "name": "inf-0"}
    items = [
        {
            "apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "BackOff",
            "metadata": {"name": f"e{n}", "namespace": "serve"}, "message": message,
            "involvedObject": about, "source": {"component": "kubelet", "host": "gpu-01"},
            "firstTimestamp": at.isoformat(), "lastTimestamp": at.isoformat(), "count": 1,
        }
        for n, at in enumerate(_moments(10))
    ]  # fmt: skip
    return json.dumps({"kind": "List", "apiVersion": "v1", "items": items})


def _kubelet() -> str:
    return _kernel() + "".join(
        f"{at.isoformat()} gpu-01 kubelet[1200]: E1011 {at:%H:%M:%S}.100000    1200"
        ' pod_workers.go:1301] "Error syncing pod, skipping" err="failed to'
        ' \\"StartContainer\\" for \\"t\\" with CrashLoopBackOff: \\"back-off 5m0s restarting'
        f' failed container=t pod=inf-0_serve({UID})\\"" pod="serve/inf-0" podUID="{UID}"\n'
        for at in _moments(10)
    )


def _samples(metric: str, labels: str, step: int) -> str:
    rows = "".join(
        f"{metric}{{{labels}}} {1 + n * step} {int(at.timestamp())}\n"
        for n, at in enumerate(_moments(5))
    )
    return f"{rows}# EOF\n"


POD = 'namespace="serve",pod="inf-0",container="t"'
WAITING = "kube_pod_container_status_waiting_reason"
RESTARTS = "kube_pod_container_status_restarts_total"


def _diagnose(folder: Path, files: Mapping[str, str]) -> Diagnosis:
    whole = {"journal/gpu-01.log": _kernel(), "app/train.log": _work(), **files}
    for name, text in whole.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    window = Window(since=T + timedelta(hours=2), until=T + timedelta(hours=3))
    found = investigate([folder], Incident(window=window), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


def test_without_it_the_hour_is_healthy(tmp_path: Path) -> None:
    """Work goes on and the logs are quiet."""
    assert _diagnose(tmp_path, {}).verdict == "healthy"


@pytest.mark.parametrize(
    "files",
    [
        {"k8s/events.json": _events()},
        {"journal/gpu-01.log": _kubelet()},
        {"prometheus/w.om": _samples(WAITING, f'{POD},reason="CrashLoopBackOff"', 0)},
        {"prometheus/r.om": _samples(RESTARTS, POD, 1)},
    ],
    ids=["events", "kubelet", "waiting", "restarts"],
)
def test_a_loop_that_began_long_before_the_window_is_not_healthy(
    tmp_path: Path, files: Mapping[str, str]
) -> None:
    """It is the same as yesterday, and as bad: it stays open, with what to look at."""
    found = _diagnose(tmp_path, files)
    assert found.verdict == "inconclusive"
    assert found.unexplained
    assert found.next_checks
