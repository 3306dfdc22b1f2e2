"""vLLM: `INFO 05-11 07:41:02 [core.py:96] text`, with the worker's name before it, without year."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.readers.stamped import rank_of

if TYPE_CHECKING:
    import re

PATTERN = compile_late(
    r"(?:\((?P<worker>[A-Za-z][\w.-]*)(?: rank=\d+)? pid=(?P<pid>\d+)(?:, ip=[\d.]+)?\) ){0,2}"
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) (?P<month>\d\d)-(?P<day>\d\d) "
    r"(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)(?:[.,](?P<fraction>\d{3,6}))? "
)
_PARALLEL = compile_late(r"_TP(\d+)\b")


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; the whole line stays the text."""
    numbers = tuple(int(match[name]) for name in ("month", "day", "h", "m", "s"))
    micro = int((match["fraction"] + "000000")[:6]) if match["fraction"] else -1
    original = match.string[match.start("month") : match.end("s")]
    instant = setting.dating.yearless(numbers, micro, host=setting.host, original=original)
    if instant is None:
        return None
    fields = rank_of(match.string) or {}
    if match["pid"]:
        fields["pid"] = match["pid"]
    if parallel := _PARALLEL.search(match["worker"] or ""):
        fields.setdefault("rank", parallel.group(1))
    return Line(match.string, instant, fields=fields or None)


DIALECT = Dialect("vllm", PATTERN, build, weight=0.85, channel="app")
