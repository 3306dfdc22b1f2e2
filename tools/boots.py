"""How a host's log ends before its next boot: with a shutdown, or in mid-sentence."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tools.evidence import Channel, Instant
from tools.late_patterns import compile_late

BANNER = "Linux version "
"""What the kernel says first."""
SILENCE = "silence_s"
"""Field of a boot's first line: for how long its host had not written when it came."""

MOST_BEFORE = 400
"""So many lines before a boot are looked at; a shutdown writes fewer."""
OWN_S = 10.0
"""Syslog writes what a boot says first in no order; no boot takes less than this."""
LAST_WORDS_S = 300.0
"""Of the old boot, so long before its last line is read."""
_ORDERLY = compile_late(
    r"System is (?:rebooting|powering down|halting)"
    r"|The system will (?:reboot|power off|halt|kexec|soft-reboot)"
    r"|Reached target .*(?:[Rr]eboot|[Pp]ower-?[Oo]ff|[Ss]hutdown|[Hh]alt|[Kk]exec)"
    r"|Syncing filesystems and block devices|Sending SIG(?:TERM|KILL) to remaining processes"
    r"|Journal stopped|.*exiting on signal 15"
    r"|reboot: (?:Restarting system|Power down|System halted)"
)


class Said(NamedTuple):
    """A line that a host wrote before a boot."""

    at: Instant | None
    channel: Channel
    text: str


def silence(boot: Instant, before: Iterable[Said]) -> Mapping[str, str]:
    """Tell as a field for how long a host had been silent that nobody had told to go down.

    Args:
        boot: When the kernel said its first word.
        before: What its host had written, the latest first.

    Returns:
        Nothing where it was told to, and where its log holds only the kernel's lines: these may
        be hours apart while all is well.
    """
    last: Instant | None = None
    services = False
    for at, channel, text in (said for said in before if said.at):
        assert at is not None  # noqa: S101  # filtered above
        if _ORDERLY.match(text):
            return {}
        if (boot.utc - at.utc).total_seconds() < OWN_S:
            continue
        last = last or at
        if (last.utc - at.utc).total_seconds() > LAST_WORDS_S:
            break
        services = services or channel == "service"
    if last is None or not services:
        return {}
    return {SILENCE: f"{(boot.utc - last.utc).total_seconds():.3f}"}
