"""Tells lines that a person copied from the kernel's log into a text: a ticket, a mail, a chat.

Whoever hands over a text claims that the kernel printed what it quotes. That holds for no program's
own log: anything can be printed there. So a text counts as a person's only if nothing in it says
that a program wrote it, and even then its lines are a claim, on the channel `quoted`.
"""

import re

from tools.late_patterns import compile_late
from tools.source import Source, Writer
from tools.writers_by_content import is_workloads

MARKS = compile_late(r"(?:[>|`*]|\s){1,16}")
"""How mails, chats and tickets set off what they quote."""
_DEVICE = r"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
TAG = compile_late(
    r"NVRM: |nvidia-(?:modeset|nvlink|nvswitch\d*|uvm): |nvidia-peermem |"
    rf"[a-z][\w-]{{1,24}} {_DEVICE}[: ]|\{{\d+\}}\[Hardware Error\]: |mce: |EDAC |"
    r"(?:pcieport|nvidia|nvme|mlx5_core|mlx5_\d+|ib\w*|bond\d+|eth\d+|sd[a-z]+)(?: \S+)?: |"
    r"AER: |DMAR: |AMD-Vi: |Memory failure: |Memory cgroup out of memory: |"
    r"Out of memory: Kill|oom-kill:constraint=|oom_reaper: |\S+ invoked oom-killer: |"
    r"INFO: (?:task \S+:\d+ blocked|rcu_)|rcu: |watchdog: |NMI watchdog: |BUG: |"
    r"Kernel panic - |general protection fault|"
    r"(?:nfs|nfs4|NFS|RPC|rpc): |Lustre(?:Error)?: |LNet(?:Error)?: |ceph: |libceph: |rbd: |"
    r"(?:EXT4-fs|XFS|BTRFS|Buffer I/O error|blk_update_request|I/O error)\b[ :(,]|"
    r"systemd-journald\[\d+\]: Missed "
)
"""What the kernel's own messages begin with: a driver and its device, or a subsystem."""
STAMPED = compile_late(
    r"\[ *\d+\.\d{6}\]|\[\w{1,3} +\w{2,3} +\d+ \d\d:\d\d:\d\d \d{4}\]|"
    r"\w{2,3} [ \d]\d [\d:]{8} \S+ kernel: |\d{4}-\d\d-\d\d[T ]\S+ \S+ kernel: "
)
"""What `dmesg`, `dmesg -T` and the system's log put before them."""
_LETTER = compile_late(
    r"[>\s#*]*(?:(?:hi|hello|hey|dear)\b[^\n]{0,40}[,!，！]?$|good (?:morning|afternoon|evening)\b|"
    r"(?:subject|from|to|re|fwd?|ticket|issue|incident|summary|description|reporter|reported by|"
    r"customer|title)\b[^\n:：]{0,20}[:：]|"
    r"工单|提交人|描述|标题|主题|发件人|收件人|问题|故障|报障|你好|您好|各位|大家好|客户|现象|用户)",
    re.IGNORECASE,
)
"""How people begin what they write to each other."""
_PROGRAM = compile_late(
    r"\s*(?:\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL)\b|Traceback|File \"|"
    r"[\[(]?\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:|[IWEF]\d{4} \d\d:|[\[(]?\d\d:\d\d:\d\d|"
    r"[\w.]+=\S+ [\w.]+=)"
)
"""How the lines of programs begin."""
FEW, HALF = 0.1, 0.5
HEADING_LINES = 3
LINES = 400


def is_loose(source: Source, writer: Writer) -> bool:
    """Tell whether nothing says whose output a content is."""
    capture = source.capture
    return writer.channel is None and not capture.command and capture.source in {"", "file"}


def is_persons_text(source: Source) -> bool:
    """Tell whether a content can be what a person wrote and pasted, not what a program logged."""
    if source.pasted:
        return True
    text = source.head.decode("utf-8", "replace")
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith(">"))
    own = [line for line in lines if not is_kernels(line)][:LINES]
    program = sum(1 for line in own if _PROGRAM.match(line) or is_workloads(line.encode()))
    letter = any(_LETTER.match(line) and not is_workloads(line.encode())
                 for line in own[:HEADING_LINES])  # fmt: skip
    return program < (HALF if letter else FEW) * max(len(own), 1)


def is_kernels(line: str) -> bool:
    """Tell whether a line looks like the kernel's, quoted or not."""
    return STAMPED.match(unmarked(line)) is not None or TAG.match(unmarked(line)) is not None


def unmarked(text: str) -> str:
    """Take off what sets a quotation off."""
    marks = MARKS.match(text)
    return text[marks.end() :] if marks else text
