"""Whole numbers as evidence writes them, of which a damaged text may hold any kind and length."""

MOST_DIGITS = 9
"""Nothing that is counted here comes to more."""


def whole(text: str | None, most: int = MOST_DIGITS) -> int | None:
    """Read a whole number of at most so many digits; None for any other text.

    Superscripts and the like are digits to Python and no numbers, and thousands of digits raise.
    """
    if not text or len(text) > most or not (text.isascii() and text.isdecimal()):
        return None
    return int(text)
