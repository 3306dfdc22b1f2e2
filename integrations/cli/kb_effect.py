"""What approving a page of an organisation changes, as people read it."""

import typer

from integrations.rendering.escaping import flatten
from integrations.wording.words import Words
from knowledge.own.effect import Change, Effect


def print_effect(effect: Effect, words: Words) -> None:
    """Say in a line what the page stands over, and below it each difference."""
    count = len(effect.changes)
    typer.echo(flatten(words(f"own.effect_{effect.how}", target=effect.target, count=count)))
    for change in effect.changes:
        typer.echo(flatten(f"  {_line(change, words)}"))


def _line(change: Change, words: Words) -> str:
    part = words.table.get(f"own.part_{change.part}", change.part)
    return f"{change.sign} {part}: {words.say(change.text)}"
