"""How a host's log ends before its next boot: with a shutdown, or in mid-sentence."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tools.evidence import Channel, Ending, Instant
from tools.late_patterns import compile_late

BANNER = "Linux version "
"""What the kernel says first."""
SILENCE = "silence_s"
"""Field of a boot's first line: for how long its host had not written when it came."""

MOST_BEFORE = 400
"""So many lines before a boot are looked at; a shutdown writes fewer."""
MOST_LAST = 50
"""So many lines at the end of a content are looked at."""
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
_INIT = "systemd"
_OF_THE_SYSTEM = frozenset(
    {"kernel", _INIT, "systemd-logind", "systemd-journald", "systemd-shutdown", "rsyslogd"}
)
"""Whose words about a shutdown are the host's: any other program may speak of its own."""


class Said(NamedTuple):
    """A line that a host wrote before a boot."""

    at: Instant | None
    channel: Channel
    text: str
    unit: str = ""

    @property
    def program(self) -> str:
        """Name the writer as syslog does."""
        return "kernel" if self.channel == "kernel" else self.unit.removesuffix(".service")

    @property
    def is_boot(self) -> bool:
        """Tell whether a kernel begins with it: what stands before is of another boot."""
        return self.channel == "kernel" and self.text.startswith(BANNER)

    @property
    def is_orderly(self) -> bool:
        """Tell whether the host itself says that it goes down."""
        return self.program in _OF_THE_SYSTEM and _ORDERLY.match(self.text) is not None


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
    for said in before:
        if said.at is None:
            continue
        if said.is_orderly:
            return {}
        if (boot.utc - said.at.utc).total_seconds() < OWN_S:
            continue
        if said.is_boot:
            break
        last = last or said.at
        if (last.utc - said.at.utc).total_seconds() > LAST_WORDS_S:
            break
        services = services or said.channel == "service"
    if last is None or not services:
        return {}
    return {SILENCE: f"{(boot.utc - last.utc).total_seconds():.3f}"}


class Boots:
    """What was said before the boots of one content, of which each is looked into once."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[Instant, Mapping[str, str]]] = {}

    def silence(self, host: str, boot: Instant, before: Iterable[Said]) -> Mapping[str, str]:
        """Return what `silence` tells; a banner said anew within seconds is the same boot's."""
        latest = self._latest.get(host)
        if latest and 0.0 <= (boot.utc - latest[0].utc).total_seconds() < OWN_S:
            return latest[1]
        told = silence(boot, before)
        self._latest[host] = (boot, told)
        return told


def endings(before: Iterable[tuple[str, Said]]) -> Mapping[str, Ending]:
    """Tell by host how its lines in a content end; the latest are given first.

    A host of which but one program wrote is left out, as that may have stopped alone; what init
    itself wrote is the system's log.
    """
    told: dict[str, list[Said]] = defaultdict(list)
    for host, said in before:
        if said.at is not None and said.channel in {"service", "kernel"}:
            told[host].append(said)
    found = {host: _ending(own) for host, own in told.items() if host}
    return {host: ending for host, ending in found.items() if ending}


def _ending(own: list[Said]) -> Ending:
    last = max(said.at.utc for said in own if said.at)
    late = [s for s in own if s.at and (last - s.at.utc).total_seconds() <= LAST_WORDS_S]
    if any(said.is_orderly for said in late):
        return "orderly"
    programs = {said.program for said in late if said.channel == "service"}
    return "cut" if _INIT in programs or len(programs) > 1 else ""
