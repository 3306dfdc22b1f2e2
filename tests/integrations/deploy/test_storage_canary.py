"""The storage canary, run as it is shipped, on real file systems that work, are full, or hang."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "integrations/deploy/health/storage-canary.sh"
SHELLS = [name for name in ("dash", "bash") if shutil.which(name)]
LIMIT_S = 2
Mounted = Callable[[str], Path]


@dataclass
class Said:
    """What a run printed, its exit code and how long it took."""

    code: int
    line: str
    seconds: float


@dataclass
class Canary:
    """One shell's canary; whatever it looks at counts as a network mount."""

    folder: Path
    shell: str
    path: str = os.environ["PATH"]

    @property
    def textfile(self) -> Path:
        return self.folder / "collected" / "data.prom"

    def look(self, mount: Path, *options: str, mounted: bool = True) -> Said:
        table = self.folder / "mounts"
        network = f"10.0.0.10:/data {mount} nfs4 rw,hard 0 0\n" if mounted else ""
        text = f"/dev/vda / ext4 rw 0 0\n{network}"
        if not table.exists() or table.read_text() != text:  # others may be reading it
            table.write_text(text)
        ours = ("--mounts", str(table), "--state", str(self.folder / "state"))
        limits = ("--textfile", str(self.textfile), "--limit", str(LIMIT_S))
        started = time.monotonic()
        done = subprocess.run(
            [self.shell, str(SCRIPT), str(mount), *ours, *limits, *options],
            env={"PATH": self.path}, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert (done.stderr, done.stdout.count("\n")) == ("", 1)
        return Said(done.returncode, done.stdout.strip(), time.monotonic() - started)

    def metrics(self) -> dict[str, float]:
        """The samples written, by name and labels other than the path."""
        samples = {}
        for line in self.textfile.read_text().splitlines():
            if found := re.fullmatch(r'([a-z_]+)\{path="[^"]*",?(.*?)\} (\S+)', line):
                name = found[1].removeprefix("firstfault_storage_canary_")
                samples[f"{name} {found[2]}".strip()] = float(found[3])
        return samples


@pytest.fixture(name="canary", params=SHELLS)
def _canary(request: pytest.FixtureRequest, tmp_path: Path) -> Canary:
    (tmp_path / "canary" / "collected").mkdir(parents=True)
    return Canary(tmp_path / "canary", request.param)


@pytest.fixture(name="mount")
def _mount(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture(name="tmpfs")
def _tmpfs(mount: Path) -> Iterator[Mounted]:
    """Mount a small file system of its own with such options."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount")

    def make(options: str) -> Path:
        argv = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(mount)]
        if subprocess.run(argv, capture_output=True, check=False).returncode != 0:
            pytest.skip("no file system can be mounted here")
        return mount

    yield make
    subprocess.run(["umount", str(mount)], capture_output=True, check=False)


def test_a_mount_that_works_passes_and_is_left_clean(canary: Canary, mount: Path) -> None:
    said = canary.look(mount)

    assert said.code == 0
    assert said.line.startswith(f"PASS: {mount}: written, read and removed (write=")
    assert list(mount.iterdir()) == []
    samples = canary.metrics()
    assert samples["ok"] == 1
    assert {name for name in samples if "step" in name} == {
        f'step_seconds step="{step}"' for step in ("write", "read", "remove")
    }
    assert abs(samples["last_run_timestamp_seconds"] - time.time()) < 60


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool")
def test_the_metrics_are_in_the_format_of_prometheus(canary: Canary, mount: Path) -> None:
    for prepare in ((lambda: None), mount.rmdir):
        prepare()
        canary.look(mount)
        done = subprocess.run(
            ["promtool", "check", "metrics"],
            input=canary.textfile.read_bytes(), capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout + done.stderr) == (0, b"")


def test_a_full_file_system_is_named_so(canary: Canary, tmpfs: Mounted) -> None:
    full = tmpfs("size=64k")
    with pytest.raises(OSError, match="No space left"):
        (full / "ballast").write_bytes(b"x" * (1 << 20))

    said = canary.look(full)

    assert (said.code, canary.metrics()['failed_info reason="full"']) == (1, 1)
    assert said.line.startswith(f"FAIL: {full}: write: full (")
    assert [file.name for file in full.iterdir()] == ["ballast"]


def test_a_file_system_without_inodes_is_full_too(canary: Canary, tmpfs: Mounted) -> None:
    assert canary.look(tmpfs("nr_inodes=1")).line.split(": ")[3].startswith("full")


def test_a_read_only_file_system_is_named_so(canary: Canary, tmpfs: Mounted) -> None:
    said = canary.look(tmpfs("ro"))

    assert said.code == 1
    samples = canary.metrics()
    assert (samples["ok"], samples['failed_info reason="readonly"']) == (0, 1)


def test_a_write_that_hangs_is_reported_in_time_and_not_joined_by_another(
    canary: Canary, frozen: Path | None
) -> None:
    """It cannot be killed; the metric says so all the same, at every run."""
    if frozen is None:
        pytest.skip("no mount can be frozen here (needs root, losetup, fsfreeze)")

    first = canary.look(frozen)
    assert canary.metrics()['failed_info reason="hung"'] == 1
    canary.textfile.unlink()
    second = canary.look(frozen)

    assert (first.code, first.line) == (
        1, f"FAIL: {frozen}: write: no answer within {LIMIT_S} s"
    )  # fmt: skip
    assert first.seconds < LIMIT_S + 2
    assert re.match(rf"FAIL: {frozen}: the file of an earlier run \(pid \d+\)", second.line)
    assert second.seconds < LIMIT_S
    assert canary.metrics()['failed_info reason="hung"'] == 1


def test_after_a_hang_the_file_left_behind_is_removed(canary: Canary, mount: Path) -> None:
    """The write went through when the storage came back; nobody was there to remove its file."""
    left = mount / ".storage-canary.gpu-n01.4242"
    left.write_text("")
    other = mount / "other"
    other.write_text("")
    state = canary.folder / "state" / str(mount).replace("/", "_")
    state.parent.mkdir()
    for named in (left, other, Path("/etc/hostname")):
        state.write_text(f"999999 1 {named}\n")

        assert canary.look(mount).code == 0
        assert not state.exists()
    assert list(mount.iterdir()) == [other]
    assert Path("/etc/hostname").exists()


def test_a_folder_where_nothing_is_mounted_does_not_pass(canary: Canary, mount: Path) -> None:
    """The local disk beneath takes files as well; jobs would fill it."""
    said = canary.look(mount, mounted=False)

    assert (said.code, canary.metrics()['failed_info reason="unmounted"']) == (1, 1)
    assert canary.look(mount, "--any", mounted=False).code == 0


def test_a_folder_that_is_gone_fails(canary: Canary, mount: Path) -> None:
    mount.rmdir()

    canary.look(mount)
    assert canary.metrics()['failed_info reason="absent"'] == 1


def replace_dd(canary: Canary, folder: Path, text: str) -> None:
    """Let the program that copies do something else with `$file`, where it should write."""
    program = folder / "bin" / "dd"
    program.parent.mkdir(exist_ok=True)
    program.write_text(
        f"#!/bin/sh\nfor word; do case $word in of=*) file=${{word#of=}};; esac; done\n{text}\n"
    )
    program.chmod(0o755)
    canary.path = f"{program.parent}:{os.environ['PATH']}"


def test_a_write_that_could_be_ended_leaves_its_file_to_the_next_run(
    canary: Canary, mount: Path, tmp_path: Path
) -> None:
    replace_dd(canary, tmp_path, "echo x >$file; exec sleep 60")
    assert canary.look(mount).line.endswith(f"write: no answer within {LIMIT_S} s")
    canary.path = os.environ["PATH"]

    assert canary.look(mount).code == 0
    assert list(mount.iterdir()) == []


def test_interrupted_it_takes_its_file_away(canary: Canary, mount: Path, tmp_path: Path) -> None:
    replace_dd(canary, tmp_path, "echo x >$file; exec sleep 60")
    argv = [canary.shell, str(SCRIPT), str(mount), "--any", "--state", str(tmp_path / "state")]
    process = subprocess.Popen(argv, env={"PATH": canary.path}, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 10
    while not any(mount.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.terminate()
    said, _ = process.communicate(timeout=20)

    assert (process.returncode, said) == (2, "UNKNOWN: interrupted\n")
    assert list(mount.iterdir()) == []


def test_damage_on_the_way_is_seen(canary: Canary, mount: Path, tmp_path: Path) -> None:
    replace_dd(canary, tmp_path, "echo x >$file")

    canary.look(mount)

    assert canary.metrics()['failed_info reason="mismatch"'] == 1
    assert list(mount.iterdir()) == []


def test_runs_side_by_side_do_not_meet(canary: Canary, mount: Path) -> None:
    canary.look(mount)

    with ThreadPoolExecutor(4) as pool:
        codes = set(pool.map(lambda _: canary.look(mount).code, range(4)))

    assert codes == {0}
    assert list(mount.iterdir()) == []
    assert [file.name for file in canary.textfile.parent.iterdir()] == ["data.prom"]


def test_a_collector_that_cannot_be_written_is_no_fault_of_the_storage(
    canary: Canary, mount: Path
) -> None:
    said = canary.look(mount, "--textfile", str(canary.folder / "absent" / "x.prom"))

    assert said.code == 2
    assert "cannot be written; PASS" in said.line


@pytest.mark.parametrize(
    "options",
    [("--limit", "0"), ("--limit",), ("--frequency", "1"), ("data",), ("--textfile", "x.prom")],
)
def test_a_wrong_command_line_tries_nothing(
    canary: Canary, mount: Path, options: tuple[str, ...]
) -> None:
    assert canary.look(mount, *options).code == 2
    assert not canary.textfile.exists()


def test_its_own_files_may_not_lie_on_the_mount(canary: Canary, mount: Path) -> None:
    said = canary.look(mount, "--textfile", str(mount / "data.prom"))

    assert said.code == 2
    assert "must be local" in said.line


def test_it_cannot_touch_the_state_of_a_node() -> None:
    """Neither it nor what runs it speaks to Kubernetes, Slurm or the kubelet."""
    commands = re.sub(r"(?m)^\s*#.*$", "", SCRIPT.read_text())

    assert not re.search(r"kubectl|scontrol|curl|taint|drain|cordon", commands)
