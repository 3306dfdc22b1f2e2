"""What the doctor says of sources that only some sites have, and how to mend what is missing."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.check import Check, Patient
from assistant.settings import Settings
from assistant.site_checks import check_dcgm, check_infiniband, check_loki, check_slurm
from tests.tools.probes.loki_server import Recorded, serve
from tools.context import ProbeContext
from tools.hangs import Hangs
from tools.shell import Shell
from tools.workspace import Workspace

Program = Callable[[str, str], None]


@pytest.fixture(name="program")
def _program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The only programs on PATH are those that a test puts there, and `env`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.fspath(folder))
    (folder / "env").symlink_to("/usr/bin/env")

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    return write


@pytest.fixture(name="patient")
def _patient(tmp_path: Path) -> Patient:
    context = ProbeContext(Workspace(tmp_path / "work"), shell=Shell(Hangs()), limit_s=2)
    context.sys = tmp_path / "sys"
    return Patient(context, Settings(), tmp_path / "data")


def one(checks: Iterator[Check]) -> Check:
    (check,) = checks
    assert check.state == "ok" or check.mend
    return check


def test_a_site_without_slurm_is_told_where_to_look(patient: Patient, program: Program) -> None:
    del program
    check = one(check_slurm(patient))

    assert check.state == "absent"
    assert "slurm-client" in check.mend


def test_programs_without_a_cluster_are_no_fault(patient: Patient, program: Program) -> None:
    said = "sinfo: fatal: Could not establish a configuration source"
    program("sinfo", f"#!/bin/sh\necho '{said}' >&2; exit 1\n")
    check = one(check_slurm(patient))

    assert check.state == "absent"
    assert "SLURM_CONF" in check.mend


def test_a_controller_that_does_not_answer_must_be_mended(
    patient: Patient, program: Program
) -> None:
    said = "slurm_load_partitions: Unable to contact slurm controller (connect failure)"
    program("sinfo", f"#!/bin/sh\necho '{said}' >&2; exit 1\n")
    check = one(check_slurm(patient))

    assert (check.state, check.detail) == ("fail", said)
    assert "scontrol ping" in check.mend


def test_a_slurm_without_accounting_works_with_a_reserve(
    patient: Patient, program: Program
) -> None:
    program("sinfo", "#!/bin/sh\necho 'REASON USER TIMESTAMP NODELIST'\n")
    program("sacct", "#!/bin/sh\necho 'Slurm accounting storage is disabled' >&2; exit 1\n")
    controller, accounting = check_slurm(patient)

    assert controller.state == "ok"
    assert (accounting.state, "slurmdbd" in accounting.mend) == ("warn", True)
    program("sacct", "#!/bin/sh\necho 'JobID|State'\n")
    assert [each.state for each in check_slurm(patient)] == ["ok", "ok"]


def test_loki_is_asked_for_the_labels_of_the_last_hour(patient: Patient) -> None:
    recorded = Recorded([({"job": "journal", "host": "gpu-n07"}, 1, "line")])
    assert one(check_loki(patient)).mend == "set FIRSTFAULT_LOKI_URL"
    with serve(recorded) as url:
        asked = replace(patient, context=replace(patient.context, loki=url, loki_tenant="a"))
        good = one(check_loki(asked))
        recorded.lines = []
        nothing = one(check_loki(asked))
        recorded.refusals.append((401, {}, "no org id"))
        refused = one(check_loki(asked))

    assert (good.state, good.detail) == ("ok", "streams have host, job")
    assert recorded.headers[0]["X-Scope-OrgID"] == "a"
    assert (nothing.state, "collector" in nothing.mend) == ("warn", True)
    assert (refused.state, "no org id" in refused.detail) == ("fail", True)
    gone = replace(patient, context=replace(patient.context, loki="http://127.0.0.1:9"))
    assert one(check_loki(gone)).state == "fail"


def test_dcgm_without_watches_is_told_and_none_is_set(patient: Patient, program: Program) -> None:
    assert one(check_dcgm(patient)).state == "absent"
    said = "Error: Health watches not enabled. Please enable watches."
    program("dcgmi", f'#!/bin/sh\n[ "$1" = discovery ] && echo "8 GPUs found." || echo "{said}"\n')
    watchless = one(check_dcgm(patient))
    program("dcgmi", "#!/bin/sh\necho '| Overall Health | Healthy |'\n")

    assert (watchless.state, "dcgmi health -s a" in watchless.mend) == ("warn", True)
    assert one(check_dcgm(patient)).state == "ok"


def test_ports_are_found_and_whether_the_fabric_answers(patient: Patient, program: Program) -> None:
    none = one(check_infiniband(patient))
    (patient.context.sys / "class/infiniband/mlx5_0/ports/1").mkdir(parents=True)
    closed = one(check_infiniband(patient))
    program("perfquery", "#!/bin/sh\necho '# Port extended counters: Lid 7 port 1'\n")

    assert none.state == "absent"
    assert (closed.state, "infiniband-diags" in closed.mend) == ("warn", True)
    assert one(check_infiniband(patient)).detail == "1 ports, the fabric answers"
