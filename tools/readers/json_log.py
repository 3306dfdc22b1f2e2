"""Logs of one JSON object per line: etcd, zap, structlog, slog, Python JSON formatters."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.readers.stamped import rank_of
from tools.stamps import from_epoch

if TYPE_CHECKING:
    import re

PATTERN = compile_late(
    r'\{.{0,2000}?"(?:ts|time|timestamp|@timestamp|asctime|datetime)" ?: ?'
    r'(?:"(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"'
    r"|(?P<epoch>\d{10}(?:\.\d+)?|\d{13}|\d{16}|\d{19})\b)"
)
_RANK = compile_late(r'"rank" ?: ?"?(\d+)')


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the time; the object stays the text, as patterns quote its fields."""
    if epoch := match["epoch"]:
        whole = epoch.partition(".")[0]
        seconds = float(epoch) / 10 ** (len(whole) - 10)
        instant = from_epoch(seconds, epoch)
    else:
        instant = setting.dating.iso(match["stamp"], setting.host)
    rank = _RANK.search(match.string)
    fields = {"rank": rank.group(1)} if rank else rank_of(match.string)
    return Line(match.string, instant, fields=fields) if instant else None


DIALECT = Dialect("json-log", PATTERN, build, weight=0.9)
