"""Text that has to fit into a figure, measured in columns (a Chinese character takes two)."""

from rich.cells import cell_len, chop_cells, set_cell_size

from integrations.rendering.escaping import flatten

PIXELS_A_COLUMN = 6.4
"""At 12 px; a little generous, since fonts differ."""


def shorten(text: str, columns: int) -> str:
    """Cut `text` to so many columns, with an ellipsis where something is lost."""
    text = flatten(text)
    if cell_len(text) <= columns:
        return text
    return set_cell_size(text, columns - 1).rstrip() + "…"


def wrap(text: str, columns: int, lines: int) -> tuple[str, ...]:
    """Break `text` into at most so many lines, at spaces where there are any."""
    rows = [""]
    for word in _pieces(flatten(text), columns):
        joined = f"{rows[-1]}{word}"
        if cell_len(joined.rstrip()) <= columns:
            rows[-1] = joined
        else:
            rows.append(word)
    rows = [row.strip() for row in rows if row.strip()]
    if len(rows) > lines:
        rows = [*rows[: lines - 1], shorten(" ".join(rows[lines - 1 :]), columns)]
    return tuple(rows)


def count_columns(text: str) -> int:
    """Return how many columns `text` takes."""
    return cell_len(text)


def _pieces(text: str, columns: int) -> list[str]:
    """Cut at spaces, between Chinese characters, and inside words that are too long."""
    pieces: list[str] = []
    for word in text.split(" "):
        parts = list(word) if _is_wide(word) else chop_cells(word, columns)
        pieces += [*parts[:-1], f"{parts[-1]} "] if parts else [" "]
    return pieces


def _is_wide(word: str) -> bool:
    return any(cell_len(letter) > 1 for letter in word)
