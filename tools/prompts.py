"""Finds the prompts of a terminal session: what was typed, on which host, whose output it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.capture import Capture
from tools.late_patterns import compile_late
from tools.writers import program_of

QUOTE = rb"(?P<quote>(?:>[ \t]?)*)"
"""What mails put before the lines that they repeat."""
_NAME = rb"[A-Za-z0-9][\w.-]*"
_TYPED_AS_ROOT = (
    rb"(?:sudo |ssh )?(?:(?:dmesg|journalctl|nvidia-smi|dcgmi|kubectl|crictl|zgrep|lspci|lsmod|"
    rb"ib[a-z_]+|ethtool|sinfo|squeue|scontrol|sacct|ipmitool|systemctl|lfs|nfsstat|chronyc|"
    rb"timedatectl|uname|findmnt)\b"
    rb"|(?:docker|df|du|ps|mount|cat|tail|head|grep|ls|ip|free|uptime|date|top|stat|last|who)"
    rb"(?= *(?:$|[;|&]| -| /)))"
)
"""Behind a lone `#`, which opens comments and headings as well, only these are taken as typed.

The second kind are words of English too: something of a command must follow them.
"""
PROMPT = compile_late(
    rb"^" + QUOTE + rb"(?:"
    rb"\[[\w.-]+@(?P<bracketed>" + _NAME + rb") [^\]\n]{1,120}\][$#](?: |$)"
    rb"|(?:\([\w.-]+\) ?)?[\w.-]+@(?P<plain>" + _NAME + rb")(?::| )[^\s$#\n]{0,120}[ ]?[$#](?: |$)"
    rb"|(?P<rooted>" + _NAME + rb"):[~/][^\s$#\n]{0,120} ?[$#] "
    rb"|\$ (?=[A-Za-z./~_(])|# (?=" + _TYPED_AS_ROOT + rb")"
    rb")(?P<typed>[^\n]*)\n?",
    re.MULTILINE,
)
_ENDS = (b"$ ", b"# ", b"$\n", b"#\n")
_SSH = compile_late(
    r"\s*(?:sudo +)?ssh +(?:-[46AaCfGgKkMNnqsTtVvXxYy]+ +|-[a-zA-Z] ?\S+ +)*"
    r"(?:[\w.-]+@)?(?P<host>[A-Za-z0-9][\w.-]*) +(?P<inner>\S.*)$"
)
_ORDERED_NAMES = compile_late(r"-[a-f0-9]{8,10}-[a-z0-9]{5}$|^[0-9a-f]{12}$")
"""Names that a replica set gives its pods, and a runtime its containers: no hosts."""
_NOBODY = {"localhost", "localhost.localdomain"}
_HOST = compile_late(
    r"nvidia-smi|dcgmi|df|ps|mount|findmnt|lspci|lsmod|modinfo|ibstat|ibstatus|ibv_devinfo|dmesg|"
    r"journalctl|uptime|who|chronyc|timedatectl|free|show_gids|rpm|dpkg|apt|systemctl|ip|ethtool|top|uname|nfsstat|"
    r"ulimit|scontrol|sinfo|squeue|docker|podman|crictl|nerdctl|lfs|numactl|ipcs"
)
"""Programs whose output speaks of the host on which they run."""
_WORKLOAD = compile_late(
    r"python[\d.]*|torchrun|mpi(?:run|exec)|srun|deepspeed|accelerate|.*\.(?:py|sh)"
)
"""Programs whose own words are no system's, whatever they print."""
_SYSTEM_LOG = compile_late(r"\s/var/log/\S")
_POD = compile_late(r"\blogs\b(?P<words>.*)")
_SPACE_FLAGS = {"-n", "--namespace", "-c", "--container", "--tail", "--since", "--context", "-l"}


@dataclass(frozen=True)
class Prompt:
    """One line at which something was typed."""

    begin: int
    end: int
    """Where its output begins."""
    typed: str
    host: str
    is_quoted: bool


def may_hold_prompt(head: bytes) -> bool:
    """Tell quickly whether a text can hold a prompt."""
    return any(end in head for end in _ENDS) and PROMPT.search(head) is not None


def prompts_of(data: bytes) -> Iterator[Prompt]:
    """Find the prompts in a text."""
    for match in PROMPT.finditer(data):
        typed = match["typed"].decode("utf-8", "replace").strip()
        shown = match["bracketed"] or match["plain"] or match["rooted"] or b""
        inner = _SSH.match(typed)
        host = inner["host"] if inner else shown.decode()
        command = inner["inner"].strip("'\" ") if inner else typed
        known = "" if host.lower() in _NOBODY or _ORDERED_NAMES.search(host) else host
        yield Prompt(match.start(), match.end(), command, known, bool(match["quote"]))


def capture_of(prompt: Prompt, capture: Capture) -> Capture:
    """Describe what was typed as if a probe had run it, as far as the command tells its source."""
    program = program_of(prompt.typed)
    source, target = "", ""
    if program == "kubectl":
        source, target = "kubernetes", _pod_in(prompt.typed)
    elif _HOST.fullmatch(program) or _SYSTEM_LOG.search(prompt.typed):
        source, target = "host", prompt.host
    elif _WORKLOAD.fullmatch(program):
        source = "app"
    return capture.model_copy(
        update={"command": prompt.typed, "source": source or capture.source, "target": target}
    )


def _pod_in(command: str) -> str:
    """Return NAMESPACE/POD of `kubectl logs`."""
    match = _POD.search(command.partition("|")[0])
    if match is None:
        return ""
    words = match["words"].split()
    namespace, pod = "default", ""
    for before, word in zip(["", *words], words, strict=False):
        if before in {"-n", "--namespace"}:
            namespace = word
        elif not word.startswith("-") and before not in _SPACE_FLAGS and not pod:
            pod = word.removeprefix("pod/")
    flag = re.search(r"(?:^|\s)(?:-n|--namespace)[= ]?(\S+)", command)
    return f"{flag.group(1) if flag else namespace}/{pod}" if pod else ""
