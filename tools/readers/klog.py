"""glog and klog: `E0620 10:23:15.123456    1234 file.go:12] text`, also PyTorch's C++ side."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    import re

PATTERN = compile_late(
    r"(?:\[rank(?P<rank>\d+)\]:)?\[?[IWEF](?P<date>\d{3,8}) "
    r"(?P<clock>\d\d:\d\d:\d\d)(?:\.(?P<fraction>\d{1,9}))? "
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the header; it stays in the text, because programs' patterns count on it."""
    date = match["date"]
    clock = tuple(int(part) for part in match["clock"].split(":"))
    numbers = (int(date[-4:-2]), int(date[-2:]), *clock)
    micro = int((match["fraction"] + "000000")[:6]) if match["fraction"] else -1
    original = f"{date} {match['clock']}"
    if len(date) > 4:  # noqa: PLR2004  # YYYYMMDD; PyTorch writes MDD for months below ten
        numbers = (int(date[:-4]), *numbers)
        instant = setting.dating.wall(numbers, micro, host=setting.host, original=original)
    else:
        instant = setting.dating.yearless(numbers, micro, host=setting.host, original=original)
    fields = {"rank": match["rank"]} if match["rank"] else None
    return Line(match.string, instant, fields=fields) if instant else None


DIALECT = Dialect("klog", PATTERN, build, weight=0.9)
