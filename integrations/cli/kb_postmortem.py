"""Postmortems as people and programs read them: a list, and one of them."""

from collections.abc import Iterable, Mapping, Sequence

import typer

from integrations.cli.table import print_items, print_table
from integrations.rendering.moments import write_delay
from integrations.wording.words import Words
from knowledge.page import Page
from knowledge.postmortem import Postmortem, Spread


def print_postmortems(
    past: Sequence[Postmortem], pages: Mapping[str, Page], words: Words, *, as_json: bool
) -> None:
    """List the incidents of the past, the newest first."""
    if as_json:
        print_items([_row(each, pages) for each in past])
        return
    columns = [words(f"kb.{name}") for name in ("id", "layer", "plane", "title")]
    print_table(columns, [_cells(each, pages, words) for each in past])


def print_postmortem(each: Postmortem, pages: Mapping[str, Page], words: Words) -> None:
    """Print one; what exists in English only says so."""
    approved = words("past.approved", by=each.approved.by, when=each.approved.when)
    typer.echo(f"{each.id}\n{words.say(each.title)}")
    typer.echo(f"{each.date} · {approved}\n\n{words.say(each.summary)}")
    _list(words("past.root"), [_name(each.root, pages, words)])
    _list(words("report.chain"), (_step(step, pages, words) for step in each.chain))
    _list(words("past.misled"), (words.say(one.text) for one in each.misled))
    _list(words("past.decided"), _decided(each, pages, words))
    _list(words("past.lessons"), (
        f"{words(f'aim.{one.aim}')} · {words.say(one.text)}" for one in each.lessons
    ))  # fmt: skip
    _list(words("kb.sources"), (f"[{words(f'trust.{o.trust}')}] {o.text}" for o in each.sources))
    if each.body:
        note = f"{words('kb.body')}\n" if words("kb.body") else ""
        typer.echo(f"\n{note}{each.body}")


def _row(each: Postmortem, pages: Mapping[str, Page]) -> Mapping[str, object]:
    root = pages.get(each.root)
    return {
        "id": each.id,
        "date": each.date.isoformat(),
        "titles": each.title.model_dump(),
        "root": each.root,
        "pages": list(each.pages),
        "layer": root.layer if root else None,
        "plane": root.plane if root else None,
        "approved": each.approved.model_dump(mode="json"),
    }


def _cells(each: Postmortem, pages: Mapping[str, Page], words: Words) -> tuple[str, ...]:
    root = pages.get(each.root)
    classes = (words(f"layer.{root.layer}"), words(f"plane.{root.plane}")) if root else ("", "")
    return (each.id, *classes, words.say(each.title))


def _decided(each: Postmortem, pages: Mapping[str, Page], words: Words) -> Iterable[str]:
    yield words.say(each.decided.text)
    page = pages.get(each.decided.page)
    checks = page.checks if page else ()
    yield from (f"$ {' '.join(c.command)}" for c in checks if c.id == each.decided.check)


def _step(step: Spread, pages: Mapping[str, Page], words: Words) -> str:
    cause, effect = (_name(page, pages, words) for page in (step.cause, step.effect))
    told = f"{cause} → {effect}"
    if step.delay:
        middle = (step.delay.min_s + step.delay.max_s) / 2
        told += f" · {write_delay(middle, middle - step.delay.min_s, words)}"
    if step.unlinked:
        told += f"\n      {words('past.unlinked')} {words.say(step.unlinked)}"
    return told


def _name(page: str, pages: Mapping[str, Page], words: Words) -> str:
    return words.say(pages[page].title) if page in pages else page


def _list(title: str, rows: Iterable[str]) -> None:
    typer.echo(f"\n{title}")
    for row in rows:
        typer.echo(f"  {row}")
