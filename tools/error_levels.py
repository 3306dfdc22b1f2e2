"""Which lines their own writer calls an error or worse, however it says so."""

import re
from collections.abc import Mapping, Sequence

SURE_MARKS = (
    "FATAL", "CRITICAL", "ERROR", "PANIC", "EMERG", "level=err", "level=fatal", "level=panic",
    "level=crit", "level=dpanic", "lvl=err", "lvl=crit",
)  # fmt: skip
IN_MESSAGES = (
    *SURE_MARKS,
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
_STEADY = frozenset((*SURE_MARKS, *JOURNAL_MARKS, *JOURNAL_JSON_MARKS))

_ERROR = 3
"""syslog(3): 0 emerg, 1 alert, 2 crit, 3 err."""
_HEAD = 160
"""A level stands near a line's beginning; a word farther on is part of what it says."""
_WORDS = re.compile(
    r"(?<![\w.\-/=$'\"])(?:FATAL|CRITICAL|ERROR|PANIC|EMERG)(?![\w=./(\-'\"])"
    r"|^\W*(?:[\w.-]+(?:\[\d+\])?: )?(?:error|fatal|panic|critical): "
    r"|\[(?:[\w:.-]+:)?(?:error|err|crit|alert|emerg|fatal|critical)\]"
    r"|^\[?(?:\[?rank\d+\]:)? ?\[?[EF]\d{3,8} \d\d:\d\d:\d\d"
    r"|^\[E [\d-]+ [\d:]+"
)
_KEYED = re.compile(
    r"\b(?:level|lvl|severity|levelname|level_name|loglevel)\"? ?[=:] ?\"?"
    r"(?:error|err|eror|fatal|panic|dpanic|crit|critical|alert|emerg|emergency)\b",
    re.IGNORECASE,
)


def is_called_error(text: str, fields: Mapping[str, str]) -> bool:
    """Tell whether a line's text, or the journal's own priority of it, calls it an error."""
    priority = fields.get("priority", "")
    if priority.isdigit() and int(priority) <= _ERROR:
        return True
    return bool(_WORDS.search(text, 0, _HEAD) or _KEYED.search(text, 0, 2 * _HEAD))


def hum_of(marks: Sequence[str], first: int) -> dict[int, float]:
    """Return which of the marks may be thinned, by index from `first` on, with the pause to show.

    Those that only sometimes tell of an error are read line by line: which one does shows no other
    way.
    """
    return {first + n: PAUSE_S for n, mark in enumerate(marks) if mark in _STEADY}
