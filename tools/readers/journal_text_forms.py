"""journalctl's other texts: short-full, with-unit, short-unix, short-monotonic."""

import re

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.stamps import from_epoch
from tools.syslog_tags import HOST, tagged_line

PATTERN = compile_late(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<full>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)"
    r" (?P<zone>[A-Z]{2,5}|[+-]\d{2,4})"
    r"|(?P<unix>1\d{9}\.\d{6})"
    r"|\[ *(?P<boot>\d+\.\d{6})\]) "
    rf"(?P<host>{HOST}) (?P<rest>[^\s\[\]:]+(?:\[\d+\])?: .*)",
    re.DOTALL,
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; zone abbreviations other than UTC's are not unique and stay unknown."""
    host = match["host"]
    if match["unix"]:
        instant = from_epoch(float(match["unix"]), match["unix"])
    elif match["boot"]:
        line = tagged_line(match["rest"], None, host)
        return line._replace(fields={**(line.fields or {}), "boot_s": match["boot"]})
    else:
        zone = match["zone"] if match["zone"] in {"UTC", "GMT"} else ""
        instant = setting.dating.iso(f"{match['full']} {zone}".strip(), host)
    return tagged_line(match["rest"], instant, host) if instant else None


DIALECT = Dialect("journal-text", PATTERN, build, weight=0.98, channel="service", source="journal")
