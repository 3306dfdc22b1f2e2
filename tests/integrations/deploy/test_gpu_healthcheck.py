"""The node health check, run as it is shipped, against a stand-in for nvidia-smi."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.integrations.deploy.watching import events_below
from tools.command_text import Printed
from tools.readers import shell_script
from tools.request import Request
from tools.stamps import Dating

SCRIPT = Path(__file__).parents[3] / "integrations/deploy/health/gpu-healthcheck.sh"
UUIDS = tuple(f"GPU-0000000{n}-1111-2222-3333-444444444444" for n in range(8))
LIMIT_S = 5.0
SHELLS = [name for name in ("dash", "bash") if shutil.which(name)]
SYSTEM = "/usr/bin:/bin"
STUB = """\
#!/bin/sh
case $1 in
  --query-gpu=uuid,pci.bus_id,temperature.gpu) file={folder}/roster ;;
  --query-gpu=uuid,gpu_recovery_action) file={folder}/recovery ;;
  --query-remapped-rows=*) file={folder}/rows ;;
  *) echo "Invalid combination of input arguments."; exit 2 ;;
esac
cat "$file"
exit "$(cat "$file.code" 2>/dev/null || echo 0)"
"""


@dataclass
class Said:
    """What a run printed, its exit code and how long it took."""

    code: int
    line: str
    seconds: float


@dataclass
class Node:
    """A node as the check sees it: what nvidia-smi answers, and what lies on a network mount."""

    folder: Path
    shell: str
    variables: dict[str, str] = field(default_factory=dict)
    shared: list[Path] = field(default_factory=list)
    crowd: list[str] = field(default_factory=list)
    """Further lines of its mount table."""

    def answers(self, question: str, *lines: str, code: int = 0) -> None:
        (self.folder / question).write_text("".join(f"{line}\n" for line in lines))
        (self.folder / f"{question}.code").write_text(str(code))

    def program(self, text: str) -> None:
        program = self.folder / "bin" / "nvidia-smi"
        program.write_text(text)
        program.chmod(0o755)

    def mounts(self) -> Path:
        table = self.folder / "mounts"
        lines = ["/dev/vda / ext4 rw 0 0", "tmpfs /run tmpfs rw 0 0", "tmpfs /dev/shm tmpfs rw 0 0"]
        lines += [f"10.0.0.10:/data {path} nfs4 rw,hard 0 0" for path in self.shared]
        lines += self.crowd
        text = "".join(f"{line}\n" for line in lines)
        if not table.exists() or table.read_text() != text:  # others may be reading it
            table.write_text(text)
        return table

    def argv(self, *options: str) -> list[str]:
        ours = ("--mounts", str(self.mounts()), "--state", str(self.folder / "hung"))
        return [self.shell, str(SCRIPT), *ours, *options]

    def environment(self) -> Mapping[str, str]:
        return {"PATH": f"{self.folder / 'bin'}:{SYSTEM}", **self.variables}

    def check(self, *options: str) -> Said:
        started = time.monotonic()
        done = subprocess.run(
            self.argv(*options),
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        seconds = time.monotonic() - started
        assert done.stderr == ""
        assert done.stdout.count("\n") == 1, "one line, whatever happens"
        return Said(done.returncode, done.stdout.strip(), seconds)


@pytest.fixture(name="node")
def _node(tmp_path: Path) -> Node:
    """Eight healthy GPUs, looked at by the plainest shell there is."""
    return healthy(tmp_path / "node", SHELLS[0])


@pytest.fixture(name="each_node", params=SHELLS)
def _each_node(request: pytest.FixtureRequest, tmp_path: Path) -> Node:
    """The same, by every shell."""
    return healthy(tmp_path / "node", request.param)


def healthy(folder: Path, shell: str) -> Node:
    (folder / "bin").mkdir(parents=True)
    node = Node(folder, shell)
    node.program(STUB.format(folder=folder))
    node.answers("roster", *(roster(n) for n in range(8)))
    node.answers("recovery", *(f"{uuid}, None" for uuid in UUIDS))
    node.answers("rows", *(f"{uuid}, No, No" for uuid in UUIDS))
    return node


def roster(number: int, temperature: str = "44") -> str:
    return f"{UUIDS[number]}, 00000000:{27 + number:02X}:00.0, {temperature}"


EIGHT = ("--count", "8", "--uuid", ",".join(UUIDS))


def test_a_node_with_all_its_gpus_passes(each_node: Node) -> None:
    said = each_node.check(*EIGHT)

    assert (said.code, said.line) == (0, "PASS: 8 of 8 GPUs answer")
    assert said.seconds < LIMIT_S


def test_what_is_expected_stands_in_a_local_file(each_node: Node, tmp_path: Path) -> None:
    config = tmp_path / "conf"
    lines = ["# this node", "gpu_count = 8", *(f"gpu_uuid={uuid}" for uuid in UUIDS)]
    config.write_text("\r\n".join(lines))

    assert each_node.check("--config", str(config)).code == 0
    each_node.answers("roster", *(roster(n) for n in range(7)))
    assert each_node.check("--config", str(config)).line == (
        f"FAIL: 7 of 8 GPUs answer, missing {UUIDS[7]}"
    )


def test_without_an_expectation_nothing_is_judged(node: Node, tmp_path: Path) -> None:
    """At least one GPU would pass with seven of eight lost."""
    said = node.check("--config", str(tmp_path / "absent"))

    assert said.code == 2
    assert "what this node should have is not stated" in said.line


def test_a_lost_gpu_fails_the_node_and_is_named(each_node: Node) -> None:
    """As nvidia-smi answers once a GPU has left the bus."""
    lost = (
        "Unable to determine the device handle for GPU0000:22:00.0: GPU is lost.  "
        "Reboot the system to recover this GPU"
    )
    each_node.answers("roster", *(roster(n) for n in range(7)), lost, code=15)

    said = each_node.check(*EIGHT)

    assert said.code == 1
    assert said.line.startswith(f"FAIL: 7 of 8 GPUs answer, missing {UUIDS[7]} (Unable to deter")


def test_another_gpu_than_expected_fails_though_the_number_is_right(node: Node) -> None:
    other = "GPU-99999999-1111-2222-3333-444444444444"
    node.answers("roster", *(roster(n) for n in range(7)), f"{other}, 00000000:22:00.0, 40")

    assert node.check(*EIGHT).line == f"FAIL: not the expected GPUs: missing {UUIDS[7]}"
    assert node.check("--count", "8").code == 0


def test_more_gpus_than_stated_are_no_match(node: Node) -> None:
    assert node.check("--count", "4").line == "FAIL: 8 of 4 GPUs answer"


@pytest.mark.parametrize("word", ["[GPU requires reset]", "[GPU is lost]", "[Unknown Error]"])
def test_a_gpu_that_answers_with_an_error_fails(node: Node, word: str) -> None:
    node.answers("roster", *(roster(n) for n in range(7)), roster(7, word))

    said = node.check(*EIGHT)

    assert said.code == 1
    assert word in said.line


def test_the_action_that_the_driver_asks_for_fails_the_node(node: Node) -> None:
    """After an Xid that needs one, nvidia-smi shows it until it is done."""
    node.answers("recovery", *(f"{u}, None" for u in UUIDS[:7]), f"{UUIDS[7]}, Drain and Reset")

    said = node.check(*EIGHT)

    assert (said.code, said.line) == (
        1, f"FAIL: {UUIDS[7]}: the driver asks for: Drain and Reset"
    )  # fmt: skip


def test_a_driver_that_does_not_know_the_action_is_not_at_fault(node: Node) -> None:
    node.answers(
        "recovery", 'Field "gpu_recovery_action" is not a valid field to query.', "", code=2
    )

    assert node.check(*EIGHT).line == "PASS: 8 of 8 GPUs answer"


@pytest.mark.parametrize("pending", ["Yes", "1"])
def test_a_remap_that_waits_for_a_reset_only_warns(node: Node, pending: str) -> None:
    """New work may run on such a GPU."""
    node.answers("rows", f"{UUIDS[0]}, {pending}, No", *(f"{u}, No, No" for u in UUIDS[1:]))

    said = node.check(*EIGHT)

    assert (said.code, said.line) == (
        0, f"WARN: 8 of 8 GPUs answer; {UUIDS[0]}: a row remap waits for the next reset"
    )  # fmt: skip


def test_a_remap_that_failed_fails_the_node(node: Node) -> None:
    node.answers("rows", f"{UUIDS[0]}, No, Yes", *(f"{u}, No, No" for u in UUIDS[1:]))

    assert node.check(*EIGHT).line == f"FAIL: {UUIDS[0]}: row remapping failed"


def test_a_driver_that_is_not_loaded_fails_the_node_with_its_words(node: Node) -> None:
    words = (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
        "Make sure that the latest NVIDIA driver is installed and running."
    )
    node.answers("roster", words, code=9)

    said = node.check("--count", "8")

    assert said.code == 1
    assert said.line.startswith("FAIL: 0 of 8 GPUs answer (NVIDIA-SMI has failed")


def test_without_nvidia_smi_nothing_can_be_told(node: Node) -> None:
    if shutil.which("nvidia-smi"):
        pytest.skip("this machine has a real nvidia-smi in a system folder")
    (node.folder / "bin" / "nvidia-smi").unlink()

    said = node.check(*EIGHT)

    assert (said.code, said.line) == (2, "UNKNOWN: nvidia-smi is not in a local folder of PATH")


def test_a_hung_driver_fails_the_node_in_time(each_node: Node) -> None:
    """Xid 119 hangs nvidia-smi: the check must not hang with it."""
    each_node.program("#!/bin/sh\nexec sleep 60\n")

    said = each_node.check(*EIGHT)

    assert said.code == 1
    assert said.line == "FAIL: nvidia-smi gave no answer in 3.8 s (driver or GSP hung?)"
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


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.parametrize("options", [("--count",), ("--cuont", "8"), ("--count", "many")])
def test_a_wrong_command_line_judges_nothing(node: Node, options: tuple[str, ...]) -> None:
    assert node.check(*options).code == 2


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


def test_the_inspection_finds_no_fault_with_it() -> None:
    """Bounded in time, and none of its paths is a shared one."""
    printed = Printed(SCRIPT.read_text(), "gpu-n01", None, Dating(Request()))
    [typed] = shell_script.parse(printed)

    assert (typed.values["bounded"], typed.values["asks_gpu"]) == (True, True)
    paths = str(typed.values["paths"]).split(",")
    assert not {path.split("/")[1] for path in paths} & {"data", "home", "mnt", "shared"}


@pytest.mark.parametrize("script", sorted(SCRIPT.parent.glob("*.s[hb]*")), ids=lambda s: s.name)
def test_shellcheck_has_nothing_to_say(script: Path) -> None:
    beside = Path(sys.executable).with_name("shellcheck")
    program = str(beside) if beside.exists() else shutil.which("shellcheck")
    if not program:
        pytest.skip("needs shellcheck")

    done = subprocess.run(
        [program, "-S", "style", str(script)], capture_output=True, text=True, check=False
    )

    assert done.stdout == ""
