"""The test jobs for a repaired node: taken by the real kubectl and Slurm, their commands run."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from evals.replay.kubernetes.serving import serve
from evals.replay.kubernetes.store import Store
from tests.tools.probes.slurm_cluster import SlurmCluster, run_slurm, why_not

FOLDER = Path(__file__).parents[3] / "integrations/deploy/health"
JOB, BATCH, CANARY = (
    FOLDER / name for name in ("recovery-job.yaml", "recovery-job.sbatch", "storage-canary.yaml")
)
GPUS = "".join(f"{n}, GPU-0000000{n}-1111-2222-3333-444444444444, 0000:1{n}\n" for n in range(8))


def filled() -> str:
    """The manifest as its own instructions fill it in."""
    done = subprocess.run(
        ["sed", "-e", "s/NODE_UNDER_TEST/gpu-07/", "-e", "s/GPU_COUNT/8/", str(JOB)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.fixture(name="kubectl", scope="module")
def _kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The real kubectl before a server that knows the kinds and holds nothing."""
    if not shutil.which("kubectl"):
        pytest.skip("kubectl is not installed")
    folder = tmp_path_factory.mktemp("kubectl")
    with serve(Store(), datetime(2025, 6, 20, tzinfo=UTC)) as served:
        config = served.kubeconfig(folder / "config")
        yield ["kubectl", "--kubeconfig", str(config), "--cache-dir", str(folder / "cache")]


def created(kubectl: list[str], text: str) -> Mapping[str, object]:
    done = subprocess.run(
        [*kubectl, "create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-"],
        input=text, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    return document


def test_kubectl_takes_the_job(kubectl: list[str]) -> None:
    """One try, within a time, on the one node, with all its GPUs."""
    job = created(kubectl, filled())

    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    spec = yaml.safe_load(filled())["spec"]
    assert job["spec"] == spec
    assert (spec["backoffLimit"], spec["activeDeadlineSeconds"]) == (0, 600)
    pod = spec["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    assert pod["nodeSelector"] == {"kubernetes.io/hostname": "gpu-07"}
    assert "nodeName" not in pod
    [container] = pod["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "8"


def test_no_placeholder_is_left_in_the_job() -> None:
    assert not {"NODE_UNDER_TEST", "GPU_COUNT"} & set(filled().replace('"', " ").split())


def test_the_job_waits_for_no_shared_storage() -> None:
    """Its volumes are memory only."""
    pod = yaml.safe_load(filled())["spec"]["template"]["spec"]

    assert [set(volume) - {"name"} for volume in pod["volumes"]] == [{"emptyDir"}]


def test_kubectl_takes_the_canary(kubectl: list[str]) -> None:
    """It mounts the storage, and holds no account by which it could change a node."""
    pod = created(kubectl, CANARY.read_text())["spec"]
    assert isinstance(pod, dict)
    spec = pod["template"]["spec"]

    assert spec["automountServiceAccountToken"] is False
    [container] = spec["containers"]
    assert not {"livenessProbe", "readinessProbe", "startupProbe"} & set(container)
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert f"storage-canary.sh {mounts['data']} --textfile {mounts['textfile']}/" in str(
        container["command"]
    )


@pytest.fixture(name="stubs")
def _stubs(tmp_path: Path) -> Path:
    """An nvidia-smi with eight GPUs and an all-reduce whose sums are right."""
    folder = tmp_path / "bin"
    folder.mkdir()
    write(folder, "nvidia-smi", f"cat <<END\n{GPUS}END")
    write(folder, "all_reduce_perf", 'echo "# Out of bounds values : 0 OK ($*)"')
    return folder


def write(folder: Path, name: str, text: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)


def commands() -> dict[str, list[str]]:
    container = yaml.safe_load(filled())["spec"]["template"]["spec"]["containers"][0]
    return {"kubernetes": container["command"], "slurm": ["sh", str(BATCH)]}


def run(which: str, stubs: Path) -> tuple[int, str]:
    done = subprocess.run(
        commands()[which],
        env={"PATH": f"{stubs}:/usr/bin:/bin", "GPUS": "8"},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stdout.splitlines()[-1]


BOTH = pytest.mark.parametrize("which", ["kubernetes", "slurm"])


@BOTH
def test_a_node_that_answers_and_adds_up_passes(which: str, stubs: Path) -> None:
    assert run(which, stubs) == (0, "PASS: 8 GPUs answer and add up")


@BOTH
def test_a_node_with_a_gpu_too_few_fails_before_the_sum(which: str, stubs: Path) -> None:
    seven = GPUS.rsplit("\n", 2)[0]
    write(stubs, "nvidia-smi", f"cat <<END\n{seven}\nEND")

    assert run(which, stubs) == (1, "FAIL: 7 of 8 GPUs answer")


@BOTH
def test_no_gpu_at_all_fails(which: str, stubs: Path) -> None:
    write(stubs, "nvidia-smi", "echo 'No devices were found'")

    assert run(which, stubs) == (1, "FAIL: 0 of 8 GPUs answer")


@BOTH
@pytest.mark.parametrize("code", [1, 124])
def test_a_sum_that_is_wrong_or_never_ends_fails(which: str, stubs: Path, code: int) -> None:
    write(stubs, "all_reduce_perf", f"exit {code}")

    assert run(which, stubs) == (1, f"FAIL: the all-reduce ended with {code}")


@BOTH
def test_a_driver_that_does_not_answer_fails(which: str, stubs: Path) -> None:
    write(stubs, "nvidia-smi", "exit 9")

    assert run(which, stubs) == (1, "FAIL: nvidia-smi gives no answer")


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "runs")
def test_slurm_runs_the_batch_script(stubs: Path, tmp_path: Path) -> None:
    """A real controller takes its directives, and a real node runs it once."""
    rig = tmp_path / "slurm"
    rig.mkdir()
    out = tmp_path / "out"
    with run_slurm(rig) as cluster:
        path = f"{stubs}:{os.environ['PATH']}"
        job = _submit(cluster, f"--export=GPUS=8,PATH={path}", f"--output={out}")
        shown = cluster.ask("scontrol", "show", "job", job)
        cluster.wait(lambda: out.exists() and "PASS" in out.read_text(), "the job has run")

    assert "Requeue=0" in shown
    assert "TimeLimit=00:10:00" in shown
    assert out.read_text().splitlines()[-1] == "PASS: 8 GPUs answer and add up"


def _submit(cluster: SlurmCluster, *options: str) -> str:
    return cluster.ask("sbatch", "--parsable", "--nodelist=gpu-n01", *options, str(BATCH)).strip()
