"""Which lines their own writer calls an error or worse, or in which it speaks of failure."""

import re
from collections.abc import Mapping, Sequence

from tools.late_patterns import compile_late
from tools.numerals import whole

SURE_MARKS = (
    "FATAL", "CRITICAL", "ERROR", "PANIC", "EMERG", "level=err", "level=fatal", "level=panic",
    "level=crit", "level=dpanic", "lvl=err", "lvl=crit",
)  # fmt: skip
FAILURE_WORDS = (
    "ailed", "failure", "cannot ", "an't ", "ould not", "nable to", "refused", "iving up",
    "unusable", "unreachable", "egraded", "DEGRADED", "expelled", "corrupt", "ncorrectable",
    "ot responding", "FAIL", "FAULTED", "crashed", " lost", " Lost", "stalled", "Fatal",
    " died", "hreshold", "throttled", "imed out", "TIMEOUT", "rejected", "unavailable",
    " error", "Error", "Killed", " ERR ", "失败", "错误", "异常",
)  # fmt: skip
IN_MESSAGES = (
    *SURE_MARKS, *FAILURE_WORDS,
    "error: ", "fatal: ", "panic: ", "critical: ", '"error"', '"err"', '"fatal"', '"critical"',
    '"panic"', "error]", "crit]", "alert]", "emerg]", "fatal]", "[err]", "[E ",
)  # fmt: skip
"""Those that a program which filters single messages can look for, beside `KLOG`."""
KLOG = "^[EF][01][0-9]{3} [0-9]{2}:"
"""How a message of klog begins that is an error or worse: letter, month and day."""
MARKS = (
    *IN_MESSAGES,
    *(f"{before}{letter}{month}" for before in '\n ="[' for letter in "EF" for month in "01"),
)
"""What to scan for; many lines that hold one of these are no error's: `is_called_error` tells."""
JOURNAL_MARKS = tuple(f"\nPRIORITY={number}\n" for number in range(4))
JOURNAL_JSON_MARKS = tuple(f'"PRIORITY":"{number}"' for number in range(4))
PAUSE_S = 900.0
"""Of a steady stream of those that are surely errors, a pause so long must show."""
DOUBTFUL_PAUSE_S = 60.0
"""Of words that only sometimes tell of an error one line a minute is looked at."""
_STEADY = frozenset((*SURE_MARKS, *JOURNAL_MARKS, *JOURNAL_JSON_MARKS))

_ERROR = 3
"""syslog(3): 0 emerg, 1 alert, 2 crit, 3 err."""
_HEAD = 160
"""A level stands near a line's beginning; a word farther on is part of what it says."""
_WORDS = compile_late(
    r"(?<![\w.\-/=$'\"])(?:FATAL|CRITICAL|ERROR|PANIC|EMERG)(?![\w=./(\-'\"])"
    r"|^\W*(?:[\w.-]+(?:\[\d+\])?: )?(?:error|fatal|panic|critical): "
    r"|\[(?:[\w:.-]+:)?(?:error|err|crit|alert|emerg|fatal|critical)\]"
    r"|^\[?(?:\[?rank\d+\]:)? ?\[?[EF]\d{3,8} \d\d:\d\d:\d\d"
    r"|^\[E [\d-]+ [\d:]+"
    r"|^(?:[\w.-]+(?:\[\d+\])?: )?(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): \S"
    r"|^(?:[\w.-]+\[\d+\]: )?(?:\S+: line \d+: +\d+ )?Killed(?: {2,}|$)"
)
_FAILING = compile_late(
    r"(?<![\w.=/-])(?:[Ff]ailed|[Ff]ailures?|cannot|[Cc]an't|[Cc]ould not|[Uu]nable to|refused"
    r"|[Gg]iving up|unreachable|[Dd]egraded|expelled|corrupt(?:ed|ion)?|[Uu]ncorrectable"
    r"|[Nn]ot responding|crashed|[Ll]ost|stalled|Fatal|died|[Tt]imed out|rejected|unavailable"
    r"|unusable"
    r"|(?:exceeds|above|over|below) threshold|throttled"
    r"|[Ee]rrors?(?! (?:[Rr]ecord|[Hh]andl|[Cc]orrect|[Rr]eport|[Ii]nject|[Cc]ount|[Ss]tat"
    r"|[Cc]ollect))|ERR)"
    r"(?![\w=/-])(?!\"?[:=] ?\"?(?:0\b|none|null|nil))"
    r"|(?<![\w.-])(?:FAILED|FAILURE|FAULTED|DEGRADED)(?![\w=-])|_(?:TIMEOUT|FAILED)\b"
    r"|失败|错误|异常"
)
_MILD = compile_late(
    r"^debug\d?: |"
    r"^\[?(?:\[?rank\d+\]:)? ?\[?I\d{3,8} \d\d:\d\d:\d\d"
    r"|(?<![\w.\-/=$'\"])(?:INFO|DEBUG|NOTICE|TRACE)(?![\w=./(\-'\"])"
    r"|\b(?i:level|lvl|severity|levelname|level_name|loglevel)\"? ?[=:] ?"
    r"\"?(?i:info|debug|notice|trace)\b"
)
"""A writer that calls a line information has said how grave it is."""
_COUNTED = (
    "bank", "brick", "channel", "cpu", "device", "dimm", "disk", "drive", "fan", "gpu", "host",
    "instance", "job", "lane", "link", "member", "node", "osd", "path", "port", "process", "rail",
    "rank", "replica", "server", "shard", "slot", "target", "task", "unit", "volume", "worker",
)  # fmt: skip
"""Things that begin to count at zero: the first one failed, not none of them."""
_NONE = compile_late(
    rf"(?<![\w.])(?:{''.join(f'(?<!{thing} )' for thing in _COUNTED)}0"
    r"|no|(?<!could )(?<!can )not|without|zero|never) (?:[a-z]\w* ){0,2}?"
    r"(?:failed|failures?|corruption|errors?|lost|corrupt(?:ed)?|degraded|throttled|died)\b"
    r"|\bfor corrected errors\b|\bfailed condition checks?\b|: Condition\w+=\S* failed\b"
    r"|(?:失败|错误|异常)(?:数|次数)?[:：= ]*0\b",
    re.IGNORECASE,
)
"""Words that deny a failure. What else a line says of one still counts."""
_KEYED = compile_late(
    r"\b(?:level|lvl|severity|levelname|level_name|loglevel)\"? ?[=:] ?\"?"
    r"(?:error|err|eror|fatal|panic|dpanic|crit|critical|alert|emerg|emergency)\b",
    re.IGNORECASE,
)


def is_called_error(text: str, fields: Mapping[str, str]) -> bool:
    """Tell whether a line's text, or the journal's own priority of it, calls it an error.

    That it failed at something is as much as calling it so: many programs know no levels.
    """
    priority = whole(fields.get("priority"))
    if priority is not None and priority <= _ERROR:
        return True
    if _WORDS.search(text, 0, _HEAD) or _KEYED.search(text, 0, 2 * _HEAD):
        return True
    if not _FAILING.search(text, 0, 2 * _HEAD) or _MILD.search(text, 0, _HEAD):
        return False
    return _FAILING.search(_NONE.sub(" ", text[: 2 * _HEAD])) is not None


def hum_of(marks: Sequence[str], first: int) -> dict[int, float]:
    """Return how long a pause must show of each mark, by index from `first` on, in seconds."""
    return {
        first + n: PAUSE_S if mark in _STEADY else DOUBTFUL_PAUSE_S for n, mark in enumerate(marks)
    }
