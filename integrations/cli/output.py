"""Writes an investigation to stdout in the form that was asked for."""

import sys
from typing import TYPE_CHECKING, TextIO

from integrations.cli.options import Form

if TYPE_CHECKING:
    from integrations.rendering.view import View


def print_view(
    view: "View",
    form: Form,
    *,
    colour: bool | None,
    width: int | None = None,
    whole: bool = False,
) -> None:
    """Print the report; `whole` and `width` are for the terminal's form alone."""
    if form == "text":
        from integrations.rendering.terminal import open_console, print_report  # noqa: PLC0415 -- each form loads only its own renderer

        console = open_console(sys.stdout, colour=colour, width=width)
        print_report(view, console, whole=whole)
    else:
        write_document(view, form, sys.stdout)


def write_document(view: "View", form: Form, stream: TextIO) -> None:
    """Write a form that is a document; each loads only its own renderer."""
    if form == "json":
        from integrations.rendering.document import render_json  # noqa: PLC0415 -- each form loads only its own renderer

        stream.write(render_json(view) + "\n")
    elif form == "markdown":
        from integrations.rendering.markdown import render_markdown  # noqa: PLC0415 -- each form loads only its own renderer

        stream.write(render_markdown(view))
    else:
        from integrations.rendering.page import render_html  # noqa: PLC0415 -- each form loads only its own renderer

        stream.write(render_html(view) + "\n")
