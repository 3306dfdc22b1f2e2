"""Show the Astra outage, end to end, on the evidence that ships with the product."""

from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from assistant.incident import Incident
from integrations.bootstrap import (
    choose_colour,
    choose_width,
    choose_words,
    load_settings,
    open_handbook,
    open_postmortems,
    read_surroundings,
)
from integrations.cli.desk import Desk
from integrations.cli.fault import OK, CommandFault
from integrations.cli.options import Form, FullOption, LangOption, NoColourOption
from integrations.cli.output import print_view, write_document
from integrations.rendering.view import View

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})

BUNDLE = "demo/astra.tar.zst"
FILES: Mapping[str, Form] = {"astra.html": "html", "astra.md": "markdown", "astra.json": "json"}
_MIB = 1 << 20


@app.command()
def demo(
    *,
    lang: LangOption = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where astra.html, .md and .json go.")
    ] = Path("out"),
    full: FullOption = False,
    no_color: NoColourOption = False,
) -> int:
    """Diagnose the Astra outage and write astra.html, astra.md and astra.json."""
    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    colour = choose_colour(around, wanted=False if no_color else None)
    words = choose_words(settings, around)
    out.mkdir(parents=True, exist_ok=True)  # what cannot be written is told before the work
    bundle = files("integrations.cli").joinpath(BUNDLE)
    if not bundle.is_file():
        hint = "In a checkout, `python -m evals.demo` builds it."
        raise CommandFault(f"The demo's evidence {BUNDLE} is not part of this installation.", hint)
    desk = Desk(settings, around, open_handbook(settings), colour=colour)
    with as_file(bundle) as path:
        size = f"{path.stat().st_size / _MIB:.1f} MiB"
        typer.echo(words("progress.demo", size=size), err=True)
        code = desk.work([path], Incident(title=words("progress.demo_title")))
    if desk.found is None:
        return code
    view = View(desk.found, desk.catalog.pages, words, open_postmortems(around))
    print_view(view, "text", colour=colour, width=choose_width(around), whole=full)
    if desk.found.incident.id:
        typer.echo(words("progress.saved", id=desk.found.incident.id), err=True)
    for written in write_files(view, out):
        typer.echo(words("progress.wrote", path=written), err=True)
    return OK if desk.found.diagnosis else code


def write_files(view: View, folder: Path) -> list[Path]:
    """Write all document forms into `folder`."""
    written = []
    for name, form in FILES.items():
        path = folder / name
        with path.open("w", encoding="utf-8", errors="backslashreplace") as stream:
            write_document(view, form, stream)
        written.append(path)
    return written
