"""What is read of a host's upkeep: health checks, journal, packages, module, certificates."""

import subprocess
from pathlib import Path

import pytest

from evals.replay import journal
from tests.tools.readers.conftest import Read

SCRIPT = """\
#!/usr/bin/env bash
# the old one wrote to /mnt/shared
COUNT=$(timeout 4 nvidia-smi -L | wc -l)
echo ok > /data/checkpoints/.health
URL=http://10.0.0.9/not/a/path
"""
UNIT = """\
[Unit]
Description=GPU health check

[Service]
Type=oneshot
TimeoutStartSec=5
ExecStart=/usr/local/bin/gpu-healthcheck.sh --dir /data/health
"""
SHOWN = """\
ExecStart={ path=/usr/local/bin/check.sh ; argv[]=/usr/local/bin/check.sh -d /data/h ; pid=0 }
Id=gpu-check.service
"""
DPKG = """\
nvidia-fabricmanager-550\t550.127.08-1
libnvidia-compute-550:amd64\t550.127.08-0ubuntu1
nvidia-driver-535\t
bash\t5.2.15-2+b7
"""
RPM = """\
nvidia-fabric-manager-550.127.08-1.x86_64
bash-5.1.8-9.el9.x86_64
kernel-5.14.0-427.el9.x86_64
"""
VERSIONS = {
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 2024\n": False,
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n": True,
}
OPENSSL = "notAfter=Jun  1 12:00:00 2027 GMT\nsubject=CN = kube-apiserver\n"


def _one(read: Read, text: str, kind: str) -> dict[str, object]:
    (found,) = [one for one in read(text, "x.txt").readings if one.kind == kind]
    return dict(found.values)


def test_a_script_names_the_paths_that_it_touches(read: Read) -> None:
    """Comments and addresses are none; a time limit and the GPU are noticed."""
    values = _one(read, SCRIPT, "script")

    assert values["paths"] == "/data/checkpoints/.health"
    assert (values["bounded"], values["asks_gpu"], values["form"]) == (True, True, "shell")


@pytest.mark.parametrize(("text", "path"), [(UNIT, "/data/health"), (SHOWN, "/data/h")])
def test_a_unit_names_the_paths_of_its_command(read: Read, text: str, path: str) -> None:
    """As a file and as systemctl shows it."""
    values = _one(read, text, "script")

    assert str(values["paths"]).split(",")[-1] == path
    assert values["form"] == "unit"


def test_a_long_script_is_no_health_check(read: Read) -> None:
    """An installer names hundreds of paths."""
    assert read(SCRIPT + "echo /opt/x\n" * 9000).readings == []


@pytest.mark.skipif(not journal.is_available(), reason="systemd-journal-remote is not installed")
def test_a_real_journal_tells_its_reach(read: Read, tmp_path: Path) -> None:
    """The header of a file that systemd wrote, as journalctl prints it."""
    export = tmp_path / "n7.export"
    entry = (
        "__REALTIME_TIMESTAMP={}\n__MONOTONIC_TIMESTAMP={}\n"
        "_BOOT_ID={}\n_MACHINE_ID={}\nMESSAGE=x\n\n"
    )
    boot, machine = "0a" * 16, "0b" * 16
    export.write_text(
        entry.format(1_750_000_000_000_000, 1, boot, machine)
        + entry.format(1_750_600_000_000_000, 2, boot, machine)
    )
    journal.build([export], tmp_path / "journal")
    argv = ["journalctl", "--header", "--no-pager", f"--directory={tmp_path / 'journal'}"]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    values = _one(read, text, "journal_store")

    assert values["reach_s"] == pytest.approx(600_000)
    assert values["persistent"] is True
    assert str(values["oldest"]).startswith("2025-06-15T")
    assert isinstance(values["size_bytes"], int)
    assert values["size_bytes"] > 0


def test_a_journal_under_run_is_not_persistent(read: Read) -> None:
    """It is gone with the boot."""
    text = (
        "File path: /run/log/journal/0b/system.journal\n"
        "Head realtime timestamp: Sun 2025-06-15 15:06:40 UTC (6379da1c58000)\n"
        "Tail realtime timestamp: n/a (0)\nDisk usage: 8.0M\n"
    )
    values = _one(read, text, "journal_store")

    assert (values["persistent"], values["size_bytes"]) == (False, 8 << 20)


def test_packages_that_matter_are_read_by_their_upstream_version(read: Read) -> None:
    """A removed package has no version and is none; the list itself says that it was read."""
    found = {
        one.values["name"]: one.values["upstream"]
        for one in read(DPKG, "d.txt").readings
        if one.kind == "package"
    }
    assert found == {
        "nvidia-fabricmanager-550": "550.127.08",
        "libnvidia-compute-550": "550.127.08",
    }
    assert _one(read, DPKG, "package_list") == {"host": "", "count": 4}
    assert _one(read, RPM, "package")["upstream"] == "550.127.08"


@pytest.mark.parametrize(("text", "is_open"), VERSIONS.items())
def test_the_loaded_module_tells_its_version(read: Read, text: str, is_open: bool) -> None:  # noqa: FBT001 -- a table's column
    """Both forms that the driver writes."""
    values = _one(read, text, "nvidia_module")

    assert values["version"] in text
    assert values["open"] is is_open


def test_a_certificate_tells_its_end(read: Read) -> None:
    """Days are not reckoned where nobody knows when it was looked at."""
    values = _one(read, OPENSSL, "certificate")

    assert values["ends"] == "2027-06-01T12:00:00+00:00"
    assert values["days_left"] is None
