"""The reader itself, in this process, on the stand-in for the driver's library."""

import ctypes
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pynvml
import pytest

from tools.probes import nvml_names, nvml_reader

Gpus = Callable[[str], None]


@pytest.fixture(name="read")
def _read(
    nvml_library: Path,
    gpus: Gpus,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, dict[str, object], str]]:
    """Run the reader with what is said of the GPUs; give exit status, report and complaint."""
    # Loaded by its path first, the library answers to its name as well.
    ctypes.CDLL(str(nvml_library / "libnvidia-ml.so.1"))

    def run(
        more: str, watch_s: str = "0", proc: Path = Path("/proc")
    ) -> tuple[int, dict[str, object], str]:
        gpus(more)
        arguments = ["nvml_reader", f"--watch-s={watch_s}", f"--proc={proc}"]
        monkeypatch.setattr(sys, "argv", arguments)
        code = nvml_reader.main()
        said = capsys.readouterr()
        return code, json.loads(said.out or "{}"), said.err

    return run


def gpu(report: dict[str, object], index: int) -> dict[str, object]:
    found = report["gpus"]
    assert isinstance(found, list)
    one: dict[str, object] = found[index]
    return one


def test_everything_is_read_in_one_go(
    read: Callable[..., tuple[int, dict[str, object], str]],
) -> None:
    code, report, _ = read("gpu.6.mig_mode=1\ngpu.6.mig_count=0\ngpu.3.clock_reasons=0x84\n")

    assert (code, report["count"], report["driver_version"]) == (0, 8, "550.127.08")
    assert gpu(report, 3)["clock_event_names"] == "software power cap, hardware power brake"
    assert gpu(report, 6)["mig_mode"] == 1
    assert gpu(report, 0)["ecc_aggregate_uncorrectable"] == 0
    assert gpu(report, 0)["ecc_aggregate_correctable"] is None


def test_a_process_is_told_with_its_start_and_its_control_group(
    read: Callable[..., tuple[int, dict[str, object], str]], tmp_path: Path
) -> None:
    """A login session's process is told from a pod's; a pid that proc does not show stays bare."""
    (tmp_path / "4242").mkdir()
    (tmp_path / "stat").write_text("cpu 1 2 3\nbtime 1767225600\n")
    started = f"4242 (py thon) S {' '.join('1' for _ in range(18))} 6000 0\n"
    (tmp_path / "4242" / "stat").write_text(started)
    (tmp_path / "4242" / "cgroup").write_text("0::/user.slice/user-7.slice/session-8.scope\n")
    _, report, _ = read("", proc=tmp_path)
    _, bare, _ = read("", proc=tmp_path / "none")

    process = {"pid": 4242, "memory_used_bytes": 1 << 30, "name": "/usr/bin/python3"}
    owner = {
        "started": "2026-01-01T00:01:00Z",
        "cgroup": "/user.slice/user-7.slice/session-8.scope",
    }
    assert gpu(report, 2)["processes"] == [{**process, **owner}]
    assert gpu(bare, 2)["processes"] == [process]


def test_what_the_driver_wants_done_is_named(
    read: Callable[..., tuple[int, dict[str, object], str]],
) -> None:
    field = pynvml.NVML_FI_DEV_GET_GPU_RECOVERY_ACTION
    _, report, _ = read(f"gpu.4.field.{field}=1\n")

    assert gpu(report, 4)["recovery_action"] == "gpu reset"
    assert gpu(report, 5)["recovery_action"] is None
    assert nvml_names.recovery_action(pynvml, 99) == "99"


def test_a_gpu_that_is_lost_before_or_while_it_is_read(
    read: Callable[..., tuple[int, dict[str, object], str]],
) -> None:
    _, report, _ = read("gpu.5.lost=15\ngpu.2.remapped=!15\n")

    assert (gpu(report, 5)["lost"], gpu(report, 2)["lost"], gpu(report, 1)["lost"]) == (
        True,
        True,
        False,
    )
    assert gpu(report, 2)["uuid"] == "GPU-00000002-1111-2222-3333-444444444444"


def test_events_of_the_watch_are_reported(
    read: Callable[..., tuple[int, dict[str, object], str]],
) -> None:
    _, report, _ = read("event=20:1:94\n", "0.2")
    events = report["xid_events"]
    assert isinstance(events, list)

    assert [(each["xid"], each["uuid"]) for each in events] == [
        (94, "GPU-00000001-1111-2222-3333-444444444444")
    ]


def test_without_a_driver_the_reader_says_why(
    read: Callable[..., tuple[int, dict[str, object], str]],
) -> None:
    assert read("init=9\n")[0::2] == (1, "not found: NVML: Driver Not Loaded\n")
    assert read("init=18\n")[2] == "NVML: RM has detected an NVML/RM version mismatch.\n"
