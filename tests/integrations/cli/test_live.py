"""The live commands on a machine where nothing is installed, or where what is there is silent."""

import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.archive import unpack
from tools.workspace import Workspace

FIRSTFAULT = str(Path(sys.executable).with_name("firstfault"))


@dataclass(frozen=True)
class Bare:
    """A machine with an empty PATH and a home of its own."""

    home: Path
    cache: Path

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
        empty = self.home / "bin"
        empty.mkdir(exist_ok=True)
        place = {"PATH": str(empty), "HOME": str(self.home), "XDG_CACHE_HOME": str(self.cache)}
        done = subprocess.run(
            [FIRSTFAULT, *arguments],
            env=place | variables,
            capture_output=True,
            check=False,
            timeout=90,
        )
        assert b"Traceback" not in done.stderr
        return done


@pytest.fixture(name="bare")
def _bare(tmp_path: Path, cache: Path) -> Bare:
    return Bare(tmp_path, cache)


def test_a_diagnosis_says_what_it_could_not_look_at(bare: Bare) -> None:
    """Inconclusive, with each source that was not there; never healthy."""
    done = bare.run("diagnose", "--since", "1h", "-o", "json")
    answer = json.loads(done.stdout)
    unseen = {row["source"] for row in answer["coverage"] if row["state"] == "not_checked"}

    assert done.returncode == 5
    assert answer["verdict"] == "inconclusive"
    assert answer["root_causes"] == []
    assert unseen >= {"journal", "kubernetes", "nvml", "containers"}


def test_a_collection_is_a_valid_bundle_of_what_there_is(bare: Bare) -> None:
    """It keeps the kernel's tables, notes what is absent, and can be diagnosed."""
    out = bare.home / "bundle"
    done = bare.run("collect", "--out", str(out))
    lines = [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]
    again = bare.run("diagnose", str(out), "-o", "json")

    assert done.returncode == 0
    assert done.stdout.decode().strip() == str(out)
    assert {line.get("outcome", "ok") for line in lines} >= {"ok", "absent"}
    assert json.loads(again.stdout)["verdict"] == "inconclusive"


def test_the_doctor_names_what_is_missing_and_how_to_get_it(bare: Bare) -> None:
    """Every source has its line; nothing that is not there is called a failure."""
    done = bare.run("doctor", "-o", "json")
    checks = {item["name"]: item for item in json.loads(done.stdout)["items"]}

    assert done.returncode == 0
    for name in ("kubernetes", "prometheus", "journal", "gpu", "containers", "host commands"):
        assert checks[name]["state"] == "absent", checks[name]
        assert checks[name]["mend"]
    assert not [item for item in checks.values() if item["state"] == "fail"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_an_api_server_that_is_silent_is_given_up(bare: Bare) -> None:
    """It takes the connection and says nothing; that is told as hung, and the rest is there."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config = bare.home / "config"
        server = f"http://127.0.0.1:{silent.getsockname()[1]}"
        config.write_text(
            "{apiVersion: v1, kind: Config, current-context: a, users: [], "
            f"clusters: [{{name: a, cluster: {{server: '{server}'}}}}], "
            "contexts: [{name: a, context: {cluster: a, user: ''}}]}"
        )
        done = bare.run(
            "diagnose", "-o", "json", "--since", "1h",
            PATH=os.environ["PATH"], KUBECONFIG=str(config), FIRSTFAULT_DEADLINE_S="4",
        )  # fmt: skip
    states = {(row["source"], row["state"]) for row in json.loads(done.stdout)["coverage"]}

    assert ("kubernetes", "hung") in states
    assert done.returncode == 5


def test_one_hosts_part_of_a_fan_out_is_its_own_and_for_the_window_asked(bare: Bare) -> None:
    """What the forced command runs: no cluster, and no window wider than the caller's."""
    asked = ["--since", "@1750384800", "--until", "@1750388400", "--deadline", "8"]
    done = bare.run("collect", "--out", "-", *asked)
    workspace = Workspace(bare.home / "merged")
    captures = list(unpack(done.stdout, workspace, "n7"))
    journal = next(each.command for each in captures if each.source == "journal")

    assert done.returncode == 0
    assert "--since=@1750384800 --until=@1750388400" in journal
    assert not [each for each in captures if each.source in {"kubernetes", "prometheus"}]
