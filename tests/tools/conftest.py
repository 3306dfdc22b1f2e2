"""Real things to look at: a mount that hangs, programs that misbehave."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(name="program")
def _program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Put a program of that name and text first on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def write(name: str, text: str) -> Path:
        file = folder / name
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return file

    return write


EIGHT_GPUS = """\
driver=550.127.08
nvml=12.550.127.08
cuda=12040
count=8
gpu.*.name=NVIDIA H100 80GB HBM3
gpu.*.temp.0=44
gpu.*.temp_threshold.1=90
gpu.*.power_mw=612345
gpu.*.power_limit_mw=700000
gpu.*.clock.1=1980
gpu.*.clock_max.1=1980
gpu.*.clock_reasons=0
gpu.*.ecc_mode=1
gpu.*.ecc.0.0=0
gpu.*.ecc.1.0=0
gpu.*.ecc.1.1=0
gpu.*.remapped=0,0,0,0
gpu.*.mig_mode=0
gpu.*.pcie_gen=5
gpu.*.pcie_gen_max=5
gpu.*.pcie_width=16
gpu.*.pcie_width_max=16
gpu.*.pcie_replay=0
gpu.*.memory_total=85520809984
gpu.*.memory_used=73014444032
gpu.*.util_gpu=98
gpu.*.util_memory=61
gpu.*.nvlink.0=1
gpu.*.nvlink.0.errors.0=0
gpu.*.nvlink.1=1
gpu.*.process=4242
process.4242=/usr/bin/python3
""" + "".join(
    f"gpu.{n}.uuid=GPU-0000000{n}-1111-2222-3333-444444444444\n"
    f"gpu.{n}.pci=00000000:{n + 27:02X}:00.0\n"
    for n in range(8)
)


@pytest.fixture(name="gpus")
def _gpus(
    nvml_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], None]:
    """Make this machine one with eight healthy GPUs, but for what is said of them."""
    file = tmp_path / "gpus.conf"
    monkeypatch.setenv("NVML_STUB_FILE", str(file))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(nvml_library))

    def write(more: str = "") -> None:
        file.write_text(EIGHT_GPUS + more)

    return write
