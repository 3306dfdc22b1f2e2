"""A page of the handbook as people read it."""

from collections.abc import Iterable, Iterator, Mapping

import typer

from integrations.cli.badge import say_badge
from integrations.rendering.escaping import flatten
from integrations.wording.words import Words
from knowledge.listing import guidance_for
from knowledge.page import Advice, Dispute, Origin, Page


def print_page(page: Page, pages: Mapping[str, Page], words: Words) -> None:
    """Print one page; what exists in English only says so."""
    typer.echo(f"{page.id}  {', '.join(page.codes)}".rstrip())
    typer.echo(words.say(page.title))
    if page.badge:
        typer.echo(flatten(f"[{say_badge(page.badge, words)}]"))
    kinds = (f"layer.{page.layer}", f"plane.{page.plane}", f"role.{page.role}")
    told = [*map(words, kinds), words(f"severity.{page.severity}"), page.priority]
    typer.echo(f"{' · '.join(told)}\n\n{words.say(page.summary)}")
    _list(words("kb.practice"), _advice(page.practice, words))
    _list(words("report.next_checks"), (
        f"$ {' '.join(check.command)}\n      {words.say(check.tells)}" for check in page.checks
    ))  # fmt: skip
    _list(words("report.do_now"), _advice(page.contain, words))
    _list(words("report.do_not"), _advice(page.do_not, words))
    _list(words("kb.traps"), (words.say(trap) for trap in page.traps))
    _list(words("report.repairs"), (f"{r.risk} {words.say(r.title)}" for r in page.remedies))
    _list(words("kb.causes"), (
        f"{words.say(pages[link.effect].title) if link.effect in pages else link.effect}"
        f" ({words(f'scope.{link.scope}')}, {words(f'strength.{link.strength}')})"
        for link in page.causes
    ))  # fmt: skip
    guided = (pages[name] for name in page.guides if name in pages)
    _list(words("kb.guides"), (f"{one.id}: {words.say(one.title)}" for one in guided))
    _list(words("kb.guided_by"), (
        f"{one.id}: {words.say(one.title)}" for one in guidance_for(pages.values(), page.id)
    ))  # fmt: skip
    _list(words("kb.disputes"), (line for each in page.disputes for line in _sides(each, words)))
    _list(words("kb.sources"), (_origin(o, words) for o in page.sources))
    if page.body:
        note = f"{words('kb.body')}\n" if words("kb.body") else ""
        typer.echo(f"\n{note}{page.body}")


def _advice(rows: Iterable[Advice], words: Words) -> Iterable[str]:
    return (f"{words.say(row.text)} — {words.say(row.why)}" for row in rows)


def _sides(dispute: Dispute, words: Words) -> Iterator[str]:
    yield words.say(dispute.about)
    for claim in dispute.claims:
        yield f"  – {words.say(claim.text)}  {_origin(claim.source, words)}"
    if dispute.advice:
        yield f"  → {words.say(dispute.advice)}"


def _origin(origin: Origin, words: Words) -> str:
    return f"[{words(f'trust.{origin.trust}')}] {origin.text}"


def _list(title: str, rows: Iterable[str]) -> None:
    lines = list(rows)
    if lines:
        typer.echo(f"\n{title}")
    for line in lines:
        typer.echo(f"  {line}")
