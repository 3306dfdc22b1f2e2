"""Stamps with a month's name: fabric manager, Apache, appliances, Python's ctime."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.printed_dates import zone_in
from tools.stamps import MONTHS

if TYPE_CHECKING:
    import re

_NAMES = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
PATTERN = compile_late(
    r"[\[(<*]?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?"
    rf"(?:(?P<month>{_NAMES})\w* +(?P<day>\d{{1,2}}),?"
    rf"|(?P<day2>\d{{1,2}})[ /-](?P<month2>{_NAMES})\w*)(?:[ /-](?P<year>\d{{4}}),?)?[ :T]"
    r"(?P<hms>\d\d:\d\d:\d\d)(?:\.(?P<fraction>\d{1,9}))?"
    r"(?: (?P<named>[A-Z]{2,5})(?= \d{4}\b))?(?: (?P<year2>\d{4}))?"
    r"(?: (?P<zone>UTC|GMT|[+-]\d{4}))?(?=[\s\])>:,]|$)",
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; the whole line stays the text."""
    month = MONTHS[(match["month"] or match["month2"]).lower()]
    hour, minute, second = (int(part) for part in match["hms"].split(":"))
    numbers = (month, int(match["day"] or match["day2"]), hour, minute, second)
    micro = int((match["fraction"] + "000000")[:6]) if match["fraction"] else -1
    original, dating = match.group().strip("[(<* "), setting.dating
    zone = match["zone"] or zone_in(match["named"] or "")
    if year := match["year"] or match["year2"]:
        instant = dating.wall(
            (int(year), *numbers), micro,
            host=setting.host, zone=zone, original=original,
        )  # fmt: skip
    else:
        instant = dating.yearless(numbers, micro, host=setting.host, original=original)
    return Line(match.string, instant) if instant else None


DIALECT = Dialect("stamped-month-name", PATTERN, build, weight=0.78)
