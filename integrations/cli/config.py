"""Show every setting, and with --origin where its value came from."""

from typing import Annotated

import typer

from integrations.bootstrap import choose_words, data_dir, load_settings, read_surroundings
from integrations.cli.options import LangOption, PlainOption
from integrations.cli.table import print_items, print_table

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})


@app.callback()
def _config() -> None:
    """Settings."""


@app.command()
def show(
    *,
    origin: Annotated[
        bool, typer.Option("--origin", help="Also say where each came from.")
    ] = False,
    output: PlainOption = "text",
    lang: LangOption = None,
) -> None:
    """Show every setting; secrets stay hidden."""
    around = read_surroundings()
    resolved = load_settings({"lang": lang}, around)
    words = choose_words(resolved.settings, around)
    effective = {"data_dir": str(data_dir(resolved.settings, around))}
    rows = [(name, value or effective.get(name, ""), source)
            for name, value, source in resolved.describe()]  # fmt: skip
    if output == "json":
        print_items(
            [{"name": name, "value": value, "origin": source} for name, value, source in rows]
        )
        return
    columns = [words("config.key"), words("config.value"), words("config.origin")]
    width = len(columns) if origin else len(columns) - 1
    print_table(columns[:width], [row[:width] for row in rows])
