"""Reject a page of your own by its digest, or take an approval back; with a reason."""

from typing import Annotated

import typer

from integrations.bootstrap import choose_words, load_settings, read_surroundings
from integrations.cli.deciding import run
from integrations.cli.fault import UsageFault
from integrations.cli.options import LangOption, PlainOption

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})


@app.command()
def reject(
    digest: Annotated[str, typer.Argument(metavar="DIGEST", help="As `kb add` printed it.")],
    *,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")],
    output: PlainOption = "text",
    lang: LangOption = None,
) -> None:
    """Reject exactly this content for good. Who rejects is the OS user, one of `admins`."""
    if not reason.strip():
        raise UsageFault("The reason is empty", "Say with --reason why it is rejected.")
    around = read_surroundings()
    words = choose_words(load_settings({"lang": lang}, around).settings, around)
    run(digest, "rejected", words, reason=reason.strip(), as_json=output == "json")
