"""What the shipped health check advises, and what others say of it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.deploy.gpu_node import (
    LIMIT_S,
    SCRIPT,
    Node,
    roster,
)
from tests.tools.probes import slurm_cluster
from tests.tools.probes.slurm_cluster import why_not
from tools.command_text import Printed
from tools.readers import shell_script
from tools.request import Request
from tools.stamps import Dating


def test_the_inspection_finds_no_fault_with_it() -> None:
    """Bounded in time, and none of its paths is a shared one."""
    printed = Printed(SCRIPT.read_text(), "gpu-n01", None, Dating(Request()))
    [typed] = shell_script.parse(printed)

    assert (typed.values["bounded"], typed.values["asks_gpu"]) == (True, True)
    paths = str(typed.values["paths"]).split(",")
    assert not {path.split("/")[1] for path in paths} & {"data", "home", "mnt", "shared"}


@pytest.mark.parametrize("script", sorted(SCRIPT.parent.glob("*.s[hb]*")), ids=lambda s: s.name)
def test_shellcheck_has_nothing_to_say(script: Path) -> None:
    beside = Path(sys.executable).with_name("shellcheck")
    program = str(beside) if beside.exists() else shutil.which("shellcheck")
    if not program:
        pytest.skip("needs shellcheck")

    done = subprocess.run(
        [program, "-S", "style", str(script)], capture_output=True, text=True, check=False
    )

    assert done.stdout == ""


def advice(begin: str) -> str:
    """A piece of advice in the script's own head, without its comment signs."""
    head = [
        line.removeprefix("#   ") for line in SCRIPT.read_text().split("set -u")[0].splitlines()
    ]
    start = next(number for number, line in enumerate(head) if line.startswith(begin))
    return "\n".join(head[start : start + 2])


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_wrapper_advised_for_slurm_drains_for_a_failure_alone(
    each_node: Node, tmp_path: Path, code: int
) -> None:
    asked = tmp_path / "asked"
    program = each_node.folder / "bin" / "scontrol"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{asked}\n')
    check = each_node.folder / "bin" / "check"
    check.write_text(f"#!/bin/sh\necho 'FAIL: 7 of 8 GPUs answer'\nexit {code}\n")
    for file in (program, check):
        file.chmod(0o755)
    wrapper = advice("why=").replace("/usr/local/bin/gpu-healthcheck.sh", str(check))

    named = {**each_node.environment(), "SLURMD_NODENAME": "gpu-n01"}
    subprocess.run([each_node.shell, "-c", wrapper], env=named, check=False)

    assert asked.exists() is (code == 1)
    if code == 1:
        assert asked.read_text().splitlines()[1:] == [
            "nodename=gpu-n01",
            "state=drain",
            "reason=FAIL: 7 of 8 GPUs answer",
        ]


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "runs")
def test_a_real_slurmd_takes_the_node_out_by_it_and_says_why(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm itself would only log the failure."""
    check = " ".join(node.argv("--count", "8"))
    program = tmp_path / "health.sh"
    advised = advice("why=").replace("/usr/local/bin/gpu-healthcheck.sh", check)
    rig = tmp_path / "slurm"
    rig.mkdir()
    known = f"export PATH={node.folder}/bin:$PATH SLURM_CONF={rig}/slurm.conf"
    program.write_text(f"#!/bin/sh\n{known}\n{advised}\n")
    program.chmod(0o755)
    settings = f"{slurm_cluster._SETTINGS}HealthCheckProgram={program}\nHealthCheckInterval=2\n"
    monkeypatch.setattr(slurm_cluster, "_SETTINGS", settings)

    with slurm_cluster.run_slurm(rig) as cluster:
        node.answers("roster", *(roster(n) for n in range(7)))
        shown = ["sinfo", "--noheader", "--nodes=gpu-n01", "-o", "%T %E"]
        drained = "drained FAIL: 7 of 8 GPUs answer"
        cluster.wait(lambda: cluster.ask(*shown).strip() == drained, "the node is drained")


def test_the_plugin_advised_for_kubernetes_gives_it_more_time_than_it_takes() -> None:
    """node-problem-detector kills a plugin after its own time-out, and calls that unknown."""
    rule = json.loads(advice('{"type": "permanent"'))

    assert float(rule["timeout"].removesuffix("s")) > LIMIT_S
    assert Path(rule["path"]).name == SCRIPT.name
