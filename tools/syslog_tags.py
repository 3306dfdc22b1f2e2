"""The part of a syslog or journal line behind host: who wrote it, and what."""

import re

from tools.dialect import Line
from tools.evidence import Channel, Instant
from tools.late_patterns import compile_late
from tools.writers import is_daemon

_LEVELS = (
    "stdout|stderr|trace|verbose|debug|info|notice|warn|warning|error|err|severe|crit|critical"
    "|fatal|alert|emerg|panic"
)
_ADDRESS = "[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*"
HOST = rf"(?!(?i:{_LEVELS})(?![\w.-]))(?:[A-Za-z0-9][\w.-]*|{_ADDRESS})"
"""How a host is written: a name, which holds no colon, or an address. A program's own log has a
level, the name of an error or a process in that place."""

_TAG = compile_late(r"([^\s\[\]:]+(?: [^\s\[\]:]+)?)(?:\[([^\]\s]{1,24})\])?: ?(.*)", re.DOTALL)
_BOOT_CLOCK = compile_late(r"\[ *(\d+\.\d{3,6})\] ?(.*)", re.DOTALL)


def tagged_line(rest: str, instant: Instant | None, host: str) -> Line:
    """Split ``kernel: [12.3] text`` or ``kubelet[812]: text`` into writer and message."""
    match = _TAG.match(rest)
    if match is None:
        return Line(rest, instant, host, "", "service")
    tag, pid, text = match.groups()
    if tag == "kernel":
        # The kernel has no process id: one that does is a program that calls itself so.
        named = {"pid": pid} if pid else None
        return (
            Line(text, instant, host, "", "text", named)
            if named
            else kernel_line(text, instant, host)
        )
    unit = tag.rsplit("/", 1)[-1].removesuffix(".service")
    channel: Channel | None = "service" if is_daemon(unit) else None
    return Line(text, instant, host, unit, channel, {"pid": pid} if pid else None)


def kernel_line(text: str, instant: Instant | None, host: str) -> Line:
    """Drop the boot clock that some daemons leave before the kernel's text, but keep its value."""
    if match := _BOOT_CLOCK.match(text):
        return Line(match.group(2), instant, host, "kernel", "kernel", {"boot_s": match.group(1)})
    return Line(text, instant, host, "kernel", "kernel")
