"""`firstfault kb search`: what of the handbook answers a question, and why."""

from collections.abc import Mapping

import typer

from integrations.cli.badge import say_badge
from integrations.cli.table import print_document, print_table
from integrations.rendering.document import SCHEMA_VERSION
from integrations.wording.words import Words
from knowledge.search.finder import Answer, Found

_SCORE_DIGITS = 2
_SHOWN_CODES = 3


def print_answer(query: str, answer: Answer, words: Words, *, as_json: bool) -> None:
    """Print results on stdout; what could not be asked, or that nothing answers, on stderr."""
    if answer.without:
        typer.echo(words("kb.without", why=answer.without), err=True)
    if answer.unknown_code:
        typer.echo(words("kb.unknown_code", query=answer.unknown_code), err=True)
    if as_json:
        print_document({
            "schema_version": SCHEMA_VERSION,
            "items": [_item(found) for found in answer.results],
            "answered": bool(answer.results),
            "probability": round(answer.probability, _SCORE_DIGITS),
            "unknown_code": answer.unknown_code or None,
            "without": answer.without or None,
        })  # fmt: skip
        return
    if not answer.results:
        typer.echo(words("kb.nothing", query=query), err=True)
        return
    columns = [words(f"kb.{name}") for name in ("id", "codes", "title", "section", "why")]
    print_table(columns, [_row(found, words) for found in answer.results])
    if any(found.entry.disputed for found in answer.results):
        typer.echo(words("kb.disputed"), err=True)


def _row(found: Found, words: Words) -> tuple[str, ...]:
    entry = found.entry
    mark = f" {words('kb.dispute_mark')}" if entry.disputed else ""
    badge = f" [{say_badge(entry.badge, words)}]" if entry.badge else ""
    return (
        entry.id,
        ", ".join(entry.codes[:_SHOWN_CODES]),
        f"{entry.zh if words.lang == 'zh' else entry.en}{badge}{mark}",
        words(f"section.{found.passage.section}"),
        ", ".join(words(f"arm.{arm}") for arm in found.why),
    )


def _item(found: Found) -> Mapping[str, object]:
    entry = found.entry
    return {
        "id": entry.id,
        "kind": entry.kind,
        "codes": list(entry.codes),
        "titles": {"en": entry.en, "zh": entry.zh},
        "layer": entry.layer,
        "plane": entry.plane,
        "family": entry.family,
        "score": round(found.score, _SCORE_DIGITS),
        "why": list(found.why),
        "section": found.passage.section,
        "lang": found.passage.lang,
        "text": found.passage.text,
        "badge": entry.badge or None,
        "disputed": entry.disputed,
    }
