"""Untrusted text made safe to show: log lines, names and commands come from anywhere."""

import re

from tools.late_patterns import compile_late

_UNPRINTABLE = compile_late(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1: escape sequences live here
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # invisible, and what reorders the text
    "\ud800-\udfff"  # lone surrogates cannot be encoded
    "\U000e0000-\U000e007f"  # tags: invisible text
    "]",
)
_MARKDOWN = compile_late(r"([\\`*\[\]<>#|~$&@]|(?<![^\W_])_|_(?![^\W_])|:(?=//))")
_BLOCK_START = compile_late(r"^([-+=]|\d+(?=[.)]))")
_TICKS = compile_late(r"`+")


def make_visible(text: str) -> str:
    """Replace every character that steers a terminal or hides in a page by its escape."""
    text = text.replace("\r\n", "\n")
    return _UNPRINTABLE.sub(lambda found: _name(found.group()), text)


def flatten(text: str) -> str:
    """Make `text` visible and put it on one line."""
    return " ".join(make_visible(text).split())


def escape_markdown(text: str) -> str:
    """Escape `text` for one line of Markdown prose, so that none of it is markup or a link."""
    shown = _MARKDOWN.sub(r"\\\1", flatten(text)).replace("www.", r"www\.")
    return _BLOCK_START.sub(_defuse_block, shown)


def code_span(text: str) -> str:
    """Wrap `text` in a code span that nothing inside can close; safe in a table cell."""
    shown = flatten(text).replace("|", "\\|")
    if not shown:
        return ""
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fence(text: str) -> str:
    """Wrap `text` in a fenced block that nothing inside can close."""
    shown = make_visible(text)
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return f"{ticks}text\n{shown}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _defuse_block(found: re.Match[str]) -> str:
    mark = found.group()
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


def _name(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:  # noqa: PLR2004 -- one byte, two hex digits
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 -- as Python
