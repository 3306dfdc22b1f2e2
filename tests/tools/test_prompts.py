"""A prompt tells what was typed, and where; a heading or a price is none."""

import pytest

from tools.capture import Capture
from tools.prompts import capture_of, may_hold_prompt, prompts_of


@pytest.mark.parametrize(
    ("line", "host", "typed"),
    [
        ("$ dmesg -T | tail", "", "dmesg -T | tail"),
        ("# nvidia-smi -q", "", "nvidia-smi -q"),
        ("# df -h", "", "df -h"),
        ("# date", "", "date"),
        ("root@gpu-1:~# df -h", "gpu-1", "df -h"),
        ("(base) li@gpu-1:/data/ckpt$ ls", "gpu-1", "ls"),
        ("[root@n1 ~]# sinfo -R", "n1", "sinfo -R"),
        ("gpu-7:~ # uptime", "gpu-7", "uptime"),
        ("> $ uname -r", "", "uname -r"),
        ("$ ssh gpu-04 dmesg -T", "gpu-04", "dmesg -T"),
        ("[a@login ~]$ ssh -o ConnectTimeout=5 root@gpu-9 'df -h /data'", "gpu-9", "df -h /data"),
        ("root@4f1c9a77be02:/app# ls", "", "ls"),
        ("root@localhost:~# ls", "", "ls"),
    ],
)
def test_what_was_typed_is_known_with_its_host(line: str, host: str, typed: str) -> None:
    """However the shell writes its prompt."""
    text = f"{line}\noutput\n".encode()
    assert may_hold_prompt(text)
    assert [(one.host, one.typed) for one in prompts_of(text)] == [(host, typed)]


@pytest.mark.parametrize(
    "line",
    ["# last week's incident", "# who saw it", "# mount failed", "$ 5 a day", "#include <x>",
     "# Summary", "a$ b", "see $ HOME", "li@lab.example: hello # 1"],
)  # fmt: skip
def test_a_heading_is_no_prompt(line: str) -> None:
    """Nor is a price or a comment."""
    assert not list(prompts_of(f"{line}\n".encode()))


@pytest.mark.parametrize(
    ("typed", "source", "target"),
    [
        ("dmesg -T | tail", "host", "n1"),
        ("sudo tail -50 /var/log/slurmd.log", "host", "n1"),
        ("kubectl logs -n ops --tail 5 pod/plugin-x7 | tail -3", "kubernetes", "ops/plugin-x7"),
        ("kubectl logs plugin-x7 -nops", "kubernetes", "ops/plugin-x7"),
        ("kubectl get pods -A", "kubernetes", ""),
        ("python3 train.py", "app", ""),
        ("cat notes.txt", "", ""),
    ],
)
def test_a_command_tells_its_source(typed: str, source: str, target: str) -> None:
    """As if a probe had run it; what may print anything stays without one."""
    prompt = next(iter(prompts_of(f"root@n1:~# {typed}\n".encode())))
    found = capture_of(prompt, Capture())
    assert (found.source, found.command) == (source, typed)
    assert found.target == target
