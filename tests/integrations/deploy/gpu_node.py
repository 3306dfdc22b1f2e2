"""A node as the shipped health check sees it: a stand-in for nvidia-smi, and a mount table."""

import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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


EIGHT = ("--count", "8", "--uuid", ",".join(UUIDS))


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
