"""Slurm: the real one, with jobs that fail and nodes that are taken out."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.tools.probes.slurm_cluster import SlurmCluster, run_slurm, why_not
from tools.bundle import Bundle
from tools.capture import Capture
from tools.context import ProbeContext
from tools.evidence import Gap, ObjectState, Reading, Window
from tools.hangs import Hangs
from tools.probes.slurm import slurm_accounting, slurm_settings, slurm_state
from tools.request import Request
from tools.shell import Shell
from tools.workspace import Workspace

needs_slurm = pytest.mark.skipif(bool(why_not()), reason=why_not() or "runs")
Program = Callable[[str, str], Path]


@pytest.fixture(name="slurm", scope="module")
def _slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    """A cluster in which one job failed and one node was drained by the controller's own hand."""
    with run_slurm(tmp_path_factory.mktemp("slurm")) as cluster:
        job = cluster.submit("sleep 1; exit 3")
        done = f"sacct -n -X -P -j {job} --format=State".split()
        cluster.wait(lambda: cluster.ask(*done).strip() == "FAILED", "the job is accounted for")
        cluster.ask(
            "scontrol", "update", "nodename=gpu-n02", "state=drain", "reason=Kill task failed"
        )
        yield cluster


def looking(cluster: SlurmCluster, context: ProbeContext, **variables: str) -> ProbeContext:
    """Look with the cluster's client settings."""
    return replace(context, shell=Shell(Hangs(), {**cluster.variables, **variables}))


def text(context: ProbeContext, capture: Capture) -> str:
    return (context.workspace.root / capture.path).read_text()


def around_now() -> Request:
    now = datetime.now(UTC)
    return Request(window=Window(since=now - timedelta(hours=1), until=now + timedelta(minutes=1)))


def refreshed(context: ProbeContext, folder: Path) -> ProbeContext:
    return replace(context, workspace=Workspace(folder))


@needs_slurm
def test_nodes_jobs_and_reasons_are_read_from_the_controller(
    slurm: SlurmCluster, context: ProbeContext
) -> None:
    context = looking(slurm, context)
    captures = {Path(each.path).stem: each for each in slurm_state(Request(), context)}

    assert [*captures] == [
        "sinfo-R", "squeue", "scontrol-show-job", "scontrol-show-node", "sinfo-N",
    ]  # fmt: skip
    assert {each.outcome for each in captures.values()} == {"ok"}
    assert "Kill task failed" in text(context, captures["sinfo-R"])
    assert "JobState=FAILED Reason=NonZeroExitCode" in text(context, captures["scontrol-show-job"])
    assert "NodeName=gpu-n03" in text(context, captures["scontrol-show-node"])
    assert captures["sinfo-R"].command == "env TZ=UTC sinfo -R"


@needs_slurm
def test_the_jobs_of_the_window_are_read_from_accounting(
    slurm: SlurmCluster, context: ProbeContext
) -> None:
    context = looking(slurm, context)
    (capture,) = slurm_accounting(around_now(), context)
    head, first, *_ = text(context, capture).splitlines()
    row = dict(zip(head.split("|"), first.split("|"), strict=True))

    assert (row["State"], row["ExitCode"], row["NodeList"]) == ("FAILED", "3:0", "gpu-n01")
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    window = Window(since=long_ago, until=long_ago + timedelta(hours=1))
    (nothing,) = slurm_accounting(Request(window=window), context)
    assert text(context, nothing).count("\n") == 1


@needs_slurm
def test_times_are_utc_whatever_the_zone_of_the_machine(
    slurm: SlurmCluster, context: ProbeContext
) -> None:
    context = looking(slurm, context, TZ="Asia/Shanghai")
    (capture,) = slurm_accounting(around_now(), context)
    head, first, *_ = text(context, capture).splitlines()
    start = dict(zip(head.split("|"), first.split("|"), strict=True))["Start"]
    ago = datetime.now(UTC) - datetime.fromisoformat(start).replace(tzinfo=UTC)

    assert timedelta(0) <= ago < timedelta(minutes=10)


@needs_slurm
def test_settings_and_load_of_the_controller_are_read(
    slurm: SlurmCluster, context: ProbeContext
) -> None:
    context = looking(slurm, context)
    config, load = slurm_settings(Request(), context)

    assert "SlurmdTimeout           = 300 sec" in text(context, config)
    assert "Jobs submitted: 1" in text(context, load)


@needs_slurm
def test_what_was_captured_live_is_read_like_any_bundle(
    slurm: SlurmCluster, context: ProbeContext
) -> None:
    context = looking(slurm, context)
    now = around_now()
    list(slurm_state(now, context))
    items = list(Bundle.open([context.workspace.root]).read(now))
    nodes = [i for i in items if isinstance(i, Reading) and i.kind == "slurm_node"]
    out = [i for i in nodes if i.values["node"] == "gpu-n02" and "reason" in i.values]

    assert {each.host for each in nodes} == {context.host}
    assert {each.values["node"] for each in nodes} == {"gpu-n01", "gpu-n02", "gpu-n03"}
    assert [each.values["reason"] for each in out] == ["Kill task failed"] * 3
    since = [str(each.values["since"]) for each in out if "since" in each.values]
    assert [text[-6:] for text in since] == ["+00:00"] * 2
    assert [i for i in items if isinstance(i, Gap)] == []


@needs_slurm
def test_a_job_that_waits_and_the_controllers_load_are_read_live(
    slurm: SlurmCluster, context: ProbeContext
) -> None:
    """The queue names the node that the job waits for; it never starts."""
    waiting = slurm.ask("sbatch", "--parsable", "-o", "/dev/null", "-w", "gpu-n02", "--wrap", "id")
    context = looking(slurm, context)
    try:
        queue = ["squeue", "-h", "-o", "%r", "-j", waiting.strip()]
        slurm.wait(lambda: "UnavailableNodes" in slurm.ask(*queue), "the job is considered")
        list(slurm_state(Request(), context))
        list(slurm_settings(Request(), context))
    finally:
        slurm.ask("scancel", waiting.strip())
    items = [each for each in Bundle.open([context.workspace.root]).read(Request())
             if isinstance(each, Reading)]  # fmt: skip
    jobs = [each.values for each in items if each.kind == "slurm_job"]
    (load,) = [each.values for each in items if each.kind == "slurm_controller"]

    told = [(one["state"], one.get("unavailable")) for one in jobs if one["job"] == waiting.strip()]
    assert told == [("PENDING", "gpu-n02")] * 2, "by squeue and by scontrol"
    assert load["accounting_queue"] == 0


@needs_slurm
def test_accounts_captured_live_are_read_like_any_bundle(
    slurm: SlurmCluster, context: ProbeContext
) -> None:
    context = looking(slurm, context)
    now = around_now()
    list(slurm_accounting(now, context))
    items = list(Bundle.open([context.workspace.root]).read(now))
    jobs = [i.values for i in items if isinstance(i, Reading) and i.kind == "slurm_job"]
    places = [(i.name, i.content["job"]) for i in items if isinstance(i, ObjectState)]

    assert (jobs[0]["state"], jobs[0]["exit_code"]) == ("FAILED", 3)
    assert ("gpu-n01", jobs[0]["job"]) in places


@needs_slurm
def test_looking_changes_nothing(slurm: SlurmCluster, context: ProbeContext) -> None:
    before = slurm.ask("scontrol", "show", "node"), slurm.ask("sinfo", "-R")
    context = looking(slurm, context)
    for probe in (slurm_state, slurm_accounting, slurm_settings):
        list(probe(around_now(), context))
    after = slurm.ask("scontrol", "show", "node"), slurm.ask("sinfo", "-R")

    def lasting(told: tuple[str, str]) -> list[str]:
        return [line for part in told for line in part.splitlines() if "CPULoad" not in line
                and "FreeMem" not in line]  # fmt: skip

    assert lasting(before) == lasting(after)


@needs_slurm
def test_a_controller_that_is_stopped_is_hung_and_asked_once(
    slurm: SlurmCluster, context: ProbeContext
) -> None:
    impatient = context.workspace.root / "slurm.conf"
    impatient.write_text(
        (slurm.folder / "slurm.conf").read_text().replace("MessageTimeout=4", "MessageTimeout=2")
    )
    context = looking(slurm, context, SLURM_CONF=str(impatient))
    controller = slurm.processes["controller"]
    os.kill(controller.pid, signal.SIGSTOP)
    try:
        (capture,) = slurm_state(Request(), context)
        (accounted,) = slurm_accounting(around_now(), context)
    finally:
        os.kill(controller.pid, signal.SIGCONT)

    assert (capture.outcome, capture.path) == ("hung", "")
    assert "timed out" in capture.detail
    assert accounted.outcome == "ok", "accounting does not need the controller"


@needs_slurm
def test_a_cluster_without_accounting_says_so(
    slurm: SlurmCluster, context: ProbeContext, tmp_path: Path
) -> None:
    settings = (slurm.folder / "slurm.conf").read_text().splitlines()
    kept = [line for line in settings if not line.startswith("AccountingStorage")]
    (tmp_path / "slurm.conf").write_text("\n".join(kept))
    context = looking(slurm, context, SLURM_CONF=str(tmp_path / "slurm.conf"))
    (capture,) = slurm_accounting(around_now(), context)

    assert capture.outcome == "absent"
    assert "accounting storage is disabled" in capture.detail


def test_without_its_programs_slurm_is_absent_and_asked_once(
    context: ProbeContext, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = program("env", '#!/bin/sh\nexec /usr/bin/env "$@"\n').parent
    monkeypatch.setenv("PATH", str(folder))
    (capture,) = slurm_state(Request(), context)

    assert (capture.outcome, capture.detail) == ("absent", "sinfo is not installed here")
    assert list(slurm_settings(Request(), context)) == []


def test_a_job_that_is_asked_for_narrows_accounting(
    context: ProbeContext, program: Program
) -> None:
    program("sacct", '#!/bin/sh\necho "$TZ $*"\n')
    since = datetime(2025, 6, 20, 2, tzinfo=UTC)
    window = Window(since=since, until=since + timedelta(hours=1))
    (capture,) = slurm_accounting(Request(window=window, job="63532"), context)

    assert text(context, capture).startswith("UTC -a -D -P --starttime=uts1750384800 --endtime=")
    assert text(context, capture).endswith("-j 63532\n")
    assert capture.target == context.host
