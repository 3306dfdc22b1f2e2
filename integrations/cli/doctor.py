"""Tell which sources, permissions and stores work, and what to do where they do not."""

import tempfile
from pathlib import Path

import typer

from assistant.check import Check, Patient
from assistant.doctor import examine
from integrations.bootstrap import (
    choose_words,
    data_dir,
    load_settings,
    open_context,
    read_surroundings,
)
from integrations.cli.options import ContextOption, LangOption, PlainOption
from integrations.cli.table import print_items
from integrations.rendering.escaping import flatten
from integrations.wording.words import Words

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})
_MARKS = {"ok": "✓", "warn": "▲", "fail": "■", "absent": "-"}


@app.command()
def doctor(
    *, context: ContextOption = None, output: PlainOption = "text", lang: LangOption = None
) -> None:
    """Examine this machine and the cluster it watches; changes nothing."""
    around = read_surroundings()
    settings = load_settings({"context": context, "lang": lang}, around).settings
    with tempfile.TemporaryDirectory(prefix="firstfault-doctor-") as room:
        patient = Patient(
            context=open_context(settings, Path(room)),
            settings=settings,
            data_dir=data_dir(settings, around),
            variables=around.variables,
        )
        checks = list(examine(patient))
    if output == "json":
        print_items([check.model_dump() for check in checks])
        return
    words = choose_words(settings, around)
    for check in checks:
        _print(check, words)


def _print(check: Check, words: Words) -> None:
    state = words(f"doctor.{check.state}")
    name, detail, mend = map(words.tell, (check.name, check.detail, check.mend))
    told = words("doctor.line", name=name, state=state, detail=flatten(detail))
    typer.echo(f"{_MARKS[check.state]} {told}".rstrip())
    if mend:
        typer.echo(f"    → {flatten(mend)}")
