"""Approve a page of your own by the digest of its content: from then on it has effect."""

from typing import Annotated

import typer

from integrations.bootstrap import choose_words, load_settings, read_surroundings
from integrations.cli.deciding import run
from integrations.cli.options import LangOption, PlainOption

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})


@app.command()
def approve(
    digest: Annotated[str, typer.Argument(metavar="DIGEST", help="As `kb add` printed it.")],
    *,
    output: PlainOption = "text",
    lang: LangOption = None,
) -> None:
    """Approve exactly this content. Who approves is the OS user, who must be among `admins`."""
    around = read_surroundings()
    words = choose_words(load_settings({"lang": lang}, around).settings, around)
    run(digest, "approved", words, as_json=output == "json")
