"""Which of a condition's codes the evidence itself prints."""

import re

from assistant.event import Event
from knowledge.page import Page

_STATES = frozenset({"reading", "object", "metric"})
"""Channels that show a state and print no code."""


def said_codes(page: Page, event: Event) -> tuple[str, ...]:
    """Return the codes to name an event by: those printed, of a page that gathers several.

    A single code is the condition's own name, unless nothing but a state showed it.
    """
    said = tuple(code for code in page.codes if _is_said(code, event))
    if said or len(page.codes) != 1 or event.channels <= _STATES:
        return said
    return page.codes


def _is_said(code: str, event: Event) -> bool:
    mark = code.rpartition(" ")[2]
    words = [event.text, *(c.text for c in event.citations), *map(str, event.fields.values())]
    whole = re.compile(rf"(?<![\w.]){re.escape(mark)}(?![\w.]*\w)")
    return any(whole.search(text) for text in words)
