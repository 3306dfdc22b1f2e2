"""The agent as it is deployed: a process of its own, its manifests, the product that asks it."""

import configparser
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from evals.replay.kubernetes.serving import serve
from evals.replay.kubernetes.store import fill_store
from evals.replay.ports import await_ready, find_port
from tests.kept_pages import cache_home

DEPLOY = Path(__file__).parents[2] / "integrations" / "deploy"
TOKEN = "a-long-random-word"


@contextmanager
def agent(folder: Path, **variables: str) -> Iterator[str]:
    """Run the agent on loopback and give its address."""
    address = f"127.0.0.1:{find_port()}"
    argv = [sys.executable, "-m", "integrations.agent", "--listen", address]
    own = {"HOME": str(folder), "XDG_CACHE_HOME": str(cache_home())}
    environment = {**os.environ, **own, "FIRSTFAULT_LIMIT_S": "3", **variables}
    with (folder / "agent.log").open("wb") as log:
        process = subprocess.Popen(argv, env=environment, cwd="/", stdout=log, stderr=log)
        try:
            await_ready(f"http://{address}/healthz", process)
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0


@pytest.fixture(name="host")
def _host(tmp_path: Path) -> Path:
    """A host as an agent in a container sees it: below a folder."""
    root = tmp_path / "host"
    init = root / "proc" / "1"
    init.mkdir(parents=True)
    (root / "proc" / "stat").write_text("btime 1750380000\n")
    (init / "stat").write_text("1 (systemd) S 0" + " 0" * 48)
    (init / "mounts").write_text("10.0.0.10:/data /data nfs4 rw,hard 0 0\n")
    (root / "etc").mkdir()
    (root / "etc" / "os-release").write_text('NAME="Debian"\n')
    return root


def test_the_product_asks_an_agent_and_gets_the_host_that_it_stands_for(
    host: Path, tmp_path: Path
) -> None:
    """The bundle speaks of the node by its cluster's name, and of the host's mounts."""
    token = tmp_path / "token"
    token.write_text(TOKEN)
    common = {"FIRSTFAULT_AGENT_TOKEN_FILE": str(token)}
    place = {"FIRSTFAULT_HOST_ROOT": str(host), "FIRSTFAULT_NODE_NAME": "astra-gpu-07"}
    with agent(tmp_path, **common, **place) as address:
        out = tmp_path / "bundle"
        environment = {
            **os.environ,
            "HOME": str(tmp_path),
            "XDG_CACHE_HOME": str(cache_home()),
            "FIRSTFAULT_TRANSPORT": "agent",
            "FIRSTFAULT_AGENTS": f"astra-gpu-07=http://{address}/bundle",
            **common,
        }
        argv = [str(Path(sys.executable).with_name("firstfault")), "collect", "--out", str(out)]
        done = subprocess.run(
            [*argv, "--deadline", "30"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]
    mounts = next(line for line in lines if line["command"] == "cat /proc/self/mounts")
    assert mounts["target"] == "astra-gpu-07"
    assert b"10.0.0.10:/data" in (out / mounts["path"]).read_bytes()
    assert "df -h /data" in {line["command"] for line in lines}
    assert {line["target"] for line in lines if line["source"] == "host"} == {"astra-gpu-07"}


def test_an_agent_that_would_serve_anybody_does_not_start(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "integrations.agent", "--listen", "0.0.0.0:0"]
    done = subprocess.run(
        argv, env={**os.environ, "HOME": str(tmp_path)}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "name a token file" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_daemonset_sees_the_host_read_only_and_holds_no_right() -> None:
    """No service account, no capability, no writable host path, not the host's root."""
    workload, policy = yaml.safe_load_all((DEPLOY / "daemonset.yaml").read_text())
    spec = workload["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    security = container["securityContext"]
    hosts = {each["name"]: each["hostPath"] for each in spec["volumes"] if "hostPath" in each}
    mounts = {each["name"]: each for each in container["volumeMounts"]}

    assert spec["automountServiceAccountToken"] is False
    assert not any(spec.get(name) for name in ("hostNetwork", "hostPID", "hostIPC"))
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["readOnlyRootFilesystem"]
    assert not security["privileged"]
    assert not security["allowPrivilegeEscalation"]
    assert all(mounts[name]["readOnly"] for name in hosts)
    assert not {"/", "/etc", "/root", "/var", "/run"} & {each["path"] for each in hosts.values()}
    assert policy["spec"]["egress"] == []
    assert policy["spec"]["podSelector"] == workload["spec"]["selector"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kubectl_takes_the_daemonset(tmp_path: Path) -> None:
    """The real kubectl would create it; nothing is sent."""
    workload = (DEPLOY / "daemonset.yaml").read_text().split("\n---\n")[0]
    file = tmp_path / "daemonset.yaml"
    file.write_text(workload)
    with serve(fill_store([], {}), datetime.now(UTC)) as served:
        config = served.kubeconfig(tmp_path / "config")
        argv = ["kubectl", f"--kubeconfig={config}", f"--cache-dir={tmp_path}/cache", "apply"]
        done = subprocess.run(
            [*argv, "--dry-run=client", "--validate=false", "-f", str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        written = [each for each in served.requests if not each.line.startswith("GET ")]

    assert done.returncode == 0, done.stderr
    assert "daemonset.apps/firstfault-agent created (dry run)" in done.stdout
    assert written == []


def test_the_unit_may_read_and_change_nothing() -> None:
    """systemd reads the unit; what it grants is the kernel's log and the GPUs' devices."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way to keep case
    unit.read(DEPLOY / "firstfault-agent.service")
    service = unit["Service"]

    assert service["DynamicUser"] == "yes"
    assert service["CapabilityBoundingSet"] == "CAP_SYSLOG"
    assert service["ProtectSystem"] == "strict"
    assert "127.0.0.1" in (DEPLOY / "firstfault-agent.service").read_text()
    if shutil.which("systemd-analyze"):
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(DEPLOY / "firstfault-agent.service")],
            capture_output=True,
            text=True,
            check=False,
        )
        said = [line for line in done.stderr.splitlines() if "firstfault" in line]
        assert all("is not executable" in line for line in said), said
