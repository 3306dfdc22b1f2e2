"""The shipped health check on a node where things hang, are shared, or were left behind."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.integrations.deploy.gpu_node import EIGHT, LIMIT_S, SCRIPT, STUB, SYSTEM, Node
from tests.integrations.deploy.watching import events_below


def test_a_hung_driver_fails_the_node_in_time(node: Node) -> None:
    """Xid 119 hangs nvidia-smi: the check must not hang with it."""
    node.program("#!/bin/sh\nexec sleep 60\n")

    said = node.check(*EIGHT)

    assert said.code == 1
    assert said.line == "FAIL: nvidia-smi gave no answer in 3.4 s (driver or GSP hung?)"
    assert said.seconds < LIMIT_S


def test_a_node_with_thousands_of_mounts_is_judged_as_fast(each_node: Node) -> None:
    """Those of its containers: megabytes, which some shells would read byte by byte."""
    layers = ":".join(f"/var/lib/containerd/snapshots/{n}/fs" for n in range(20))
    each_node.crowd = [
        f"overlay /run/containerd/io.containerd.task/{n:064d}/rootfs overlay lowerdir={layers} 0 0"
        for n in range(3000)
    ]

    said = each_node.check(*EIGHT)

    assert (said.code, said.seconds < LIMIT_S) == (0, True)


def test_one_that_ignores_the_request_to_end_is_killed_in_time(node: Node) -> None:
    node.program("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n")

    said = node.check(*EIGHT)

    assert (said.code, said.seconds < LIMIT_S) == (1, True)
    node.program(STUB.format(folder=node.folder))
    assert node.check(*EIGHT).code == 0, "it is gone, so the next run asks anew"


def test_a_hang_in_a_file_system_is_not_held_against_the_gpus(
    each_node: Node, frozen: Path | None
) -> None:
    """What cannot be killed is left alone, and a later run does not start another beside it."""
    if frozen is None:
        pytest.skip("no mount can be frozen here (needs root, losetup, fsfreeze)")
    each_node.program(f"#!/bin/sh\nexec /bin/sh -c ': > {frozen}/{each_node.shell}'\n")

    first, second = each_node.check(*EIGHT), each_node.check(*EIGHT)

    assert (first.code, first.seconds < LIMIT_S) == (2, True)
    assert re.match(r"UNKNOWN: nvidia-smi gave no answer .* waits for a file system \(", first.line)
    assert (second.code, second.seconds < 2) == (2, True)
    assert re.match(r"UNKNOWN: nvidia-smi of an earlier run \(pid \d+\) still hangs", second.line)


def test_a_local_disk_that_hangs_costs_time_but_no_verdict(node: Node, frozen: Path | None) -> None:
    if frozen is None:
        pytest.skip("no mount can be frozen here (needs root, losetup, fsfreeze)")
    node.variables["TMPDIR"] = str(frozen)

    said = node.check(*EIGHT)

    assert (said.code, said.seconds < LIMIT_S) == (0, True)


def test_what_an_earlier_run_left_does_not_matter(node: Node) -> None:
    """The process it names is gone, or is another one by now."""
    state = node.folder / "hung"
    for left in ("999999 1 ", f"{os.getpid()} 1 ", "nonsense", ""):
        state.write_text(left)

        assert node.check(*EIGHT).code == 0
        assert not state.exists()


def test_the_same_state_gives_the_same_line_and_leaves_nothing(node: Node, tmp_path: Path) -> None:
    room = tmp_path / "tmp"
    room.mkdir()
    node.variables["TMPDIR"] = str(room)

    assert {(said.code, said.line) for said in (node.check(*EIGHT) for _ in range(3))} == {
        (0, "PASS: 8 of 8 GPUs answer")
    }
    assert list(room.iterdir()) == []


def test_runs_side_by_side_do_not_meet(node: Node, tmp_path: Path) -> None:
    room = tmp_path / "tmp"
    room.mkdir()
    node.variables["TMPDIR"] = str(room)
    node.mounts()

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: node.check(*EIGHT), range(4)))

    assert {(one.code, one.line) for one in said} == {(0, "PASS: 8 of 8 GPUs answer")}
    assert list(room.iterdir()) == []


def test_a_folder_that_takes_no_file_is_replaced_by_another(node: Node, tmp_path: Path) -> None:
    """The temporary file is the check's own affair, not the GPUs'."""
    (tmp_path / "file").write_text("")
    for folder in ("/proc", str(tmp_path / "absent"), str(tmp_path / "file"), "relative", ""):
        node.variables["TMPDIR"] = folder

        assert node.check(*EIGHT).code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")
def test_an_ordinary_user_can_run_it(node: Node, tmp_path: Path) -> None:
    """Without /run, without the right to look into other processes."""
    folder = Path("/dev/shm") / f"healthcheck-{os.getpid()}-{node.shell}"
    shutil.copytree(node.folder, folder)
    try:
        there = Node(folder, node.shell, variables={"TMPDIR": str(tmp_path)})
        there.program(STUB.format(folder=folder))
        script = shutil.copy(SCRIPT, folder)
        setpriv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        done = subprocess.run(
            [*setpriv, node.shell, script, "--mounts", str(there.mounts()), *EIGHT],
            env=there.environment(), capture_output=True, text=True, check=False, timeout=30,
        )  # fmt: skip
    finally:
        shutil.rmtree(folder)

    assert (done.returncode, done.stdout) == (0, "PASS: 8 of 8 GPUs answer\n"), done.stderr


def lean_on(shared: Path, node: Node) -> None:
    """Let everything that a careless environment can name lie on the shared mount."""
    for name in ("bin", "lib", "tmp", "home"):
        (shared / name).mkdir(parents=True)
    node.shared.append(shared)
    node.variables.update(
        {
            "PATH": f"{shared}/bin:{shared}/tmp/../bin:{node.folder / 'bin'}:{SYSTEM}:{shared}:.",
            "LD_LIBRARY_PATH": f"{shared}/lib:{node.folder}",
            "TMPDIR": f"{shared}/tmp",
            "HOME": f"{shared}/home",
            "PWD": str(shared),
        }
    )


def test_nothing_beneath_a_shared_mount_is_touched(each_node: Node, tmp_path: Path) -> None:
    """Not even by looking for a program there: a dead mount would hang that."""
    shared = tmp_path / "shared"
    lean_on(shared, each_node)

    said, events = events_below(shared, lambda: each_node.check(*EIGHT))

    assert (said.code, events) == (0, [])


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_no_system_call_names_a_shared_mount(node: Node, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    lean_on(shared, node)
    trace = tmp_path / "trace"

    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=%file", "-o", str(trace), *node.argv(*EIGHT)],
        env=node.environment(), cwd=shared, capture_output=True, check=False, timeout=60,
    )  # fmt: skip

    calls = [line for line in trace.read_text().splitlines() if f'"{shared}' in line]
    # The first program of all is looked up by strace and linked before the script can say a word.
    ours = [line for line in calls if "execve" not in line or SCRIPT.name not in line]
    linked = {f"{shared}/lib", str(shared)}
    assert done.returncode == 0
    assert [line for line in ours if not any(f'"{path}' in line for path in linked)] == []


def test_an_expectation_on_shared_storage_is_refused(node: Node, tmp_path: Path) -> None:
    node.shared.append(tmp_path / "shared")

    said, events = events_below(
        _made(tmp_path / "shared"),
        lambda: node.check("--config", str(tmp_path / "shared" / "gpu.conf")),
    )

    assert (said.code, events) == (2, [])
    assert "keep it on a local disk" in said.line


def test_interrupted_it_says_so_and_leaves_nothing(each_node: Node, tmp_path: Path) -> None:
    each_node.program("#!/bin/sh\nexec sleep 60\n")
    room = _made(tmp_path / "tmp")
    each_node.variables["TMPDIR"] = str(room)
    process = subprocess.Popen(
        each_node.argv(*EIGHT), env=each_node.environment(), stdout=subprocess.PIPE, text=True
    )
    _wait(lambda: any(room.iterdir()))
    process.terminate()
    said, _ = process.communicate(timeout=20)

    assert (process.returncode, said) == (2, "UNKNOWN: interrupted\n")
    assert list(room.iterdir()) == []


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
