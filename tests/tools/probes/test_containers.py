# ruff: noqa: E501  (what programs say stands as it is)
"""Containers, through stand-ins for docker and crictl."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tools.context import ProbeContext
from tools.evidence import Window
from tools.probes.containers import (
    container_events,
    container_processes,
    containers_cri,
    containers_docker,
)
from tools.request import Request

Program = Callable[[str, str], Path]
ID = "ab12" * 16
DOCKER = f"""#!/bin/sh
case "$1" in
  ps) echo '{{"ID":"{ID}","Image":"train:1","State":"exited"}}';;
  inspect) echo '[{{"Id":"{ID}","State":{{"ExitCode":137,"OOMKilled":true}},"Config":{{"Env":["RANK=3","DB=geheim"]}}}}]';;
  logs) echo '2025-06-20T02:00:00Z step 5 token=geheim12';;
  events) echo "{{\\"Action\\":\\"oom\\",\\"asked\\":\\"$*\\"}}";;
esac
"""
CRICTL = f"""#!/bin/sh
case "$1" in
  ps) echo '{{"containers":[{{"id":"{ID}"}}]}}';;
  inspect) echo '{{"status":{{"id":"{ID}"}},"info":{{"config":{{"envs":[{{"key":"DB","value":"geheim"}}]}}}}}}';;
esac
"""
SINCE = datetime(2025, 6, 20, 2, tzinfo=UTC)


def test_docker_is_listed_inspected_and_read(context: ProbeContext, program: Program) -> None:
    program("docker", DOCKER)
    listed, inspected, log = containers_docker(Request(window=Window(since=SINCE)), context)
    texts = [(context.workspace.root / each.path).read_text() for each in (listed, inspected, log)]

    assert ID in texts[0]
    assert json.loads(texts[1])[0]["State"] == {"ExitCode": 137, "OOMKilled": True}
    assert json.loads(texts[1])[0]["Config"]["Env"] == ["RANK=3", "DB=<masked>"]
    assert "step 5" in texts[2]
    assert not [text for text in texts if "geheim" in text]
    assert "--since=2025-06-20T02:00:00Z" in log.command


def test_events_are_asked_with_an_end_so_that_docker_comes_back(
    context: ProbeContext, program: Program
) -> None:
    program("docker", DOCKER)
    (capture,) = container_events(Request(window=Window(since=SINCE)), context)

    assert capture.outcome == "ok"
    assert "--since=1750384800 --until=" in capture.command


def test_a_cri_runtime_is_listed_and_inspected(context: ProbeContext, program: Program) -> None:
    program("crictl", CRICTL)
    listed, inspected = containers_cri(Request(), context)

    assert listed.outcome == inspected.outcome == "ok"
    assert "geheim" not in (context.workspace.root / inspected.path).read_text()


def test_without_a_runtime_that_is_said(
    context: ProbeContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert [each.outcome for each in containers_docker(Request(), context)] == ["absent"]
    assert [each.outcome for each in containers_cri(Request(), context)] == ["absent"]


def test_processes_are_related_to_pods_and_ranks(context: ProbeContext, tmp_path: Path) -> None:
    proc = tmp_path / "proc"
    (proc / "9").mkdir(parents=True)
    (proc / "stat").write_text("btime 1750380000\n")
    (proc / "9" / "stat").write_text("9 (python) R 1 9 " + "0 " * 40)
    (proc / "9" / "cgroup").write_text(f"0::/docker/{ID}\n")
    (proc / "9" / "environ").write_bytes(b"RANK=3\0DB_PASSWORD=geheim\0WORLD_SIZE=16\0")
    context.proc = proc
    (capture,) = container_processes(Request(), context)
    content = (context.workspace.root / capture.path).read_text()
    (process,) = json.loads(content)["processes"]

    assert (process["pid"], process["container"]) == (9, ID)
    assert process["environment"] == {"RANK": "3", "WORLD_SIZE": "16"}
    assert "geheim" not in content
