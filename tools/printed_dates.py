"""Reads what `date` printed: the year of the stamps around it, and their zone where it has one."""

from datetime import datetime, timedelta

from tools.evidence import UNKNOWN_ZONE_S
from tools.late_patterns import compile_late
from tools.request import Request
from tools.stamps import Dating, month_of

PATTERN = compile_late(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:(?P<month>[A-Z][a-z]{2}) +(?P<day>\d\d?)|"
    r"(?P<day2>\d\d?) (?P<month2>[A-Z][a-z]{2}) (?P<year2>\d{4})),?|"
    r"(?P<year3>\d{4})年 ?(?P<month3>1?\d月) ?(?P<day3>\d\d?)日 (?:星期|週)?\w(?:曜日)?) "
    r"(?P<h>\d\d?):(?P<m>\d\d):(?P<s>\d\d)(?: (?P<half>[AP]M))? "
    r"(?P<zone>[A-Z]{2,5}|[+-]\d\d(?:\d\d)?)(?: (?P<year>\d{4}))?\s*$"
)
ZONES = {
    "UTC": "UTC", "GMT": "UTC", "JST": "+09:00", "KST": "+09:00", "HKT": "+08:00",
    "CET": "+01:00", "CEST": "+02:00", "EET": "+02:00", "EEST": "+03:00", "MSK": "+03:00",
    "EDT": "-04:00", "CDT": "-05:00", "MDT": "-06:00", "PDT": "-07:00", "AEST": "+10:00",
}  # fmt: skip
"""Names that mean one offset; CST, IST, BST, EST and PST mean several, so they tell no zone."""
NOON = 12


def zone_in(name: str) -> str:
    """Return the zone that a name means, as far as it means one."""
    if name[:1] in {"+", "-"}:
        return f"{name[:3]}:{name[3:5] or '00'}"
    return ZONES.get(name, "")


def printed_date(text: str, request: Request) -> tuple[datetime, str] | None:
    """Return the latest moment that was meant, and the zone; empty where its name is ambiguous."""
    match = PATTERN.match(text)
    if match is None:
        return None
    year = match["year"] or match["year2"] or match["year3"]
    month = month_of(match["month"] or match["month2"] or match["month3"])
    if not year or not month:
        return None
    hour = int(match["h"])
    if match["half"]:
        hour = hour % NOON + NOON * (match["half"] == "PM")
    day = int(match["day"] or match["day2"] or match["day3"])
    numbers = (int(year), month, day, hour, int(match["m"]), int(match["s"]))
    zone = zone_in(match["zone"])
    found = Dating(request).wall(numbers, -1, host="", zone=zone)
    if found is None:
        return None
    late = UNKNOWN_ZONE_S if found.zone == "unknown" else 0.0
    return found.utc + timedelta(seconds=late), zone
