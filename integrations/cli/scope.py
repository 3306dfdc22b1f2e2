"""From the options of a command line to an Incident."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assistant.incident import Incident, Scope
from assistant.settings import Settings
from integrations.cli.fault import UsageFault
from integrations.cli.moment import is_exact, read_moment, read_zone
from integrations.rendering.moments import write_stamp
from tools.evidence import Window

_AHEAD = timedelta(minutes=5)
"""How much two clocks may differ before a time counts as still to come."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The scope as typed."""

    since: str = ""
    until: str = ""
    nodes: Sequence[str] = ()
    pods: Sequence[str] = ()
    job: str = ""
    live: bool = True
    """Evidence that was named holds what it holds; only a live look goes to the usual nodes."""


def build_incident(asked: Asked, settings: Settings, *, now: datetime | None = None) -> Incident:
    """Read times and names; a time that leans on a zone or the present is echoed in UTC.

    Raises:
        UsageFault: a time, a zone or a pod's name is not one, or the window is empty or to come.
    """
    zone = read_zone(settings.tz)
    now = now or datetime.now(UTC)
    since, until = (
        read_moment(text, zone, now) if text else None for text in (asked.since, asked.until)
    )
    if since and until and until <= since:
        raise UsageFault("--until does not come after --since")
    if since and since > now + _AHEAD:
        hint = f"It is {write_stamp(now)} on this machine; is its clock right, or the zone?"
        raise UsageFault(f"--since {asked.since} lies in the future: {write_stamp(since)}", hint)
    for name, text, moment in (("since", asked.since, since), ("until", asked.until, until)):
        if moment and not is_exact(text):
            sys.stderr.write(f"--{name} {text} is {write_stamp(moment)}\n")
    for pod in asked.pods:
        if pod.count("/") != 1 or not all(pod.split("/")):
            raise UsageFault(f"--pod {pod!r} is not NAMESPACE/NAME")
    return Incident(
        scope=Scope(
            nodes=tuple(asked.nodes) or (settings.nodes if asked.live else ()),
            pods=tuple(asked.pods),
            job=asked.job,
            context=settings.context,
        ),
        window=Window(since=since, until=until),
        zone=settings.tz,
    )
