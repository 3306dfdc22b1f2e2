"""Folders that support asks for: sos reports, must-gathers, as folders and as archives."""

import io
import tarfile
from pathlib import Path

from tests.tools.readers import samples
from tests.tools.readers.conftest import read_paths

SOS = "sosreport-gpu-7-03412345-2025-06-20-abcdefg"
GATHERED = "must-gather.local.42/quay-io-x-sha256-ab/"
LOG = "2025-06-20T02:23:12.123456789Z RuntimeError: CUDA error: uncorrectable ECC error\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_sos_report_names_its_host(tmp_path: Path) -> None:
    """For outputs whose lines name none; the kernel's lines stay the kernel's."""
    files = {
        f"{SOS}/sos_commands/kernel/dmesg": samples.DMESG,
        f"{SOS}/sos_commands/pci/lspci_-nnvv": samples.LSPCI,
        f"{SOS}/sos_commands/host/uptime": " 02:30:00 up 2 days,  1:00,  1 user\n",
        f"{SOS}/var/log/messages": samples.SYSLOG,
    }
    write(tmp_path, files)
    reads = read_paths(tmp_path / SOS)

    assert {one.host for one in reads.readings} == {"gpu-7"}
    kernel = {(one.host, "Xid" in one.text) for one in reads.records if one.channel == "kernel"}
    assert {("gpu-7", False), ("astra-gpu-07", True)} <= kernel


def test_a_packed_sos_report_says_the_same(tmp_path: Path) -> None:
    """As sos writes it."""
    path = tmp_path / f"{SOS}.tar.xz"
    with tarfile.open(path, "w:xz") as archive:
        data = samples.LSPCI.encode()
        info = tarfile.TarInfo(f"{SOS}/sos_commands/pci/lspci_-nnvv")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))

    assert {one.host for one in read_paths(path).readings} == {"gpu-7"}


def test_a_must_gather_tells_pods_and_containers(tmp_path: Path) -> None:
    """Now and before; a platform's pod is a service, a workload's an application."""
    pods = f"{GATHERED}namespaces/train/pods/job-0/main/main/logs"
    plugin = f"{GATHERED}namespaces/nvidia-gpu-operator/pods/plugin-x/ctr/ctr/logs"
    write(
        tmp_path,
        {f"{pods}/current.log": LOG, f"{pods}/previous.log": LOG, f"{plugin}/current.log": LOG},
    )
    write(tmp_path, {f"{GATHERED}cluster-scoped-resources/core/nodes/gpu-1.yaml": samples.YAML})
    reads = read_paths(tmp_path)

    assert {
        (one.channel, one.fields["pod"], one.fields["container"], one.fields.get("previous"))
        for one in reads.records
    } == {
        ("app", "job-0", "main", None), ("app", "job-0", "main", "true"),
        ("service", "plugin-x", "ctr", None),
    }  # fmt: skip
    assert [one.name for one in reads.states if one.kind == "Node"] == ["gpu-1"]
