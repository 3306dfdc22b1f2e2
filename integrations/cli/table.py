"""Lists on stdout: aligned columns for people, ``{"schema_version", "items"}`` for programs."""

import json
from collections.abc import Mapping, Sequence

import typer

from integrations.rendering.document import SCHEMA_VERSION
from integrations.rendering.drawing import count_columns
from integrations.rendering.escaping import flatten

_GAP = "  "


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their columns, two spaces apart; a row's last cell is never padded."""
    lines = [[flatten(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(count_columns(line[n]) for line in lines) for n in range(len(columns))]
    for line in lines:
        cells = (_pad(cell, width) for cell, width in zip(line, widths, strict=True))
        typer.echo(_GAP.join(cells).rstrip())


def print_items(items: Sequence[Mapping[str, object]]) -> None:
    """Print a list as the contract writes lists."""
    print_document({"schema_version": SCHEMA_VERSION, "items": list(items)})


def print_document(document: Mapping[str, object]) -> None:
    """Print one JSON document."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def _pad(cell: str, width: int) -> str:
    return cell + " " * (width - count_columns(cell))
