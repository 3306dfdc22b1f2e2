"""Whether a text without any time is what a command printed, or what a person wrote."""

import re

from tools.late_patterns import compile_late

MOST_LINES = 200
_TOLD = compile_late(
    r"[\t ]+\S|[\w .,()/\[\]%#-]{1,40}:(?:[\t ]|$)|\S+(?: \S+)*(?:\t| {2,})\S|[-=+|*]{3,}",
    re.ASCII,
)
"""An indented line, a label with its value, columns, or a ruler. No command labels in Chinese: such
a form is a person's."""
_SHARE = 0.6


def is_printed(head: bytes) -> bool:
    """Tell whether most lines are labels with values, or columns; one line alone tells nothing."""
    text = head.decode("utf-8", "replace").replace("\r\n", "\n")
    lines = [line.rstrip() for line in text.split("\n") if line.strip()][:MOST_LINES]
    told = sum(1 for line in lines if _TOLD.match(line))
    return len(lines) > 1 and told >= _SHARE * len(lines)
