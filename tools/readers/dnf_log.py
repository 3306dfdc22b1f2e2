"""What dnf and yum write of their transactions, with no host where syslog has one."""

import re

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.stamps import MONTHS

PATTERN = compile_late(
    r"(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d{4})) "
    # Levels that only dnf has; other programs write INFO behind such a stamp too.
    r"(?:(?:SUBDEBUG|DDEBUG) (?P<dnf>.*)|INFO (?P<begin>--- logging initialized ---.*))"
    r"|(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?P<day>\d\d) "
    r"(?P<clock>\d\d:\d\d:\d\d) (?P<yum>(?:Installed|Updated|Erased|Obsoleted): .*)",
    re.DOTALL,
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; the action stays in the text."""
    host = setting.host
    text = match["dnf"] or match["begin"]
    if text is not None:
        instant = setting.dating.iso(match["stamp"], host)
        return Line(text, instant, host, "dnf", "service") if instant else None
    hour, minute, second = (int(part) for part in match["clock"].split(":"))
    numbers = (MONTHS[match["month"].lower()], int(match["day"]), hour, minute, second)
    original = match.string[: match.start("yum") - 1]
    instant = setting.dating.yearless(numbers, -1, host=host, original=original)
    return Line(match["yum"], instant, host, "yum", "service") if instant else None


DIALECT = Dialect("dnf-log", PATTERN, build, weight=0.96, channel="service")
