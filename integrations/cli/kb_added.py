"""Tells what became of files that were added, and lists what there is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import typer

from assistant.standing import Standing, State
from integrations.cli.kb_effect import print_effect
from integrations.cli.table import print_document, print_items, print_table
from integrations.rendering.document import SCHEMA_VERSION
from integrations.rendering.escaping import flatten, make_visible
from integrations.wording.words import Words
from knowledge.own.collection import Outcome, Status
from knowledge.own.document import Document, Kept
from knowledge.own.effect import Effect


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file, or of one part of an archive."""

    place: str
    status: Status | Literal["refused", "passed"]
    kept: Kept | None = None
    before: Kept | None = None
    state: State = ""
    why: str = ""
    warnings: tuple[str, ...] = ()
    effect: Effect | None = None
    still: str = ""
    """The digest of the approved version that has effect meanwhile."""
    forbidden: bool = False
    """This user may not read it."""


def from_outcome(
    place: str,
    outcome: Outcome,
    *,
    state: State = "",
    warnings: tuple[str, ...] = (),
    effect: Effect | None = None,
    still: str = "",
) -> Added:
    """Tell what the collection did with something."""
    return Added(
        place,
        outcome.status,
        outcome.kept,
        outcome.before,
        state,
        warnings=warnings,
        effect=effect,
        still=still,
    )


def print_added(found: Sequence[Added], words: Words, *, as_json: bool) -> None:
    """Print what was taken in on stdout, and what was refused on stderr."""
    if as_json:
        print_items([_item(each) for each in found])
        return
    for each in found:
        if each.kept is None:
            why = words.tell(each.why)
            typer.echo(flatten(words("own.refused", place=each.place, why=why)), err=True)
        else:
            typer.echo(_line(each, each.kept, words))
        for warning in each.warnings:
            typer.echo(flatten(words("own.warning", text=words.tell(warning))), err=True)
    for each in found:
        _print_standing(each, words)


def _print_standing(each: Added, words: Words) -> None:
    """Say what a page that has no effect would change, and what to do."""
    if each.effect and each.state == "pending":
        print_effect(each.effect, words)
    if each.state in {"pending", "rejected"} and each.kept:
        key = f"own.is_{each.state}"
        typer.echo(words(key, id=each.kept.id, digest=each.kept.digest))
    if each.still:
        typer.echo(words("own.still", digest=each.still[:12]))


def _line(each: Added, kept: Kept, words: Words) -> str:
    dated = words(f"own.dated_{kept.dated}", date=kept.date.isoformat())
    said = words(f"own.status_{each.status}")
    before = f" ({each.before.id})" if each.status == "replaced" and each.before else ""
    return flatten(f"{said}{before}  {kept.id}  {kept.title} · {dated} · {kept.source}")


def _item(each: Added) -> Mapping[str, object]:
    kept = each.kept
    refused = {"code": each.status, "message": each.why, "hint": ""} if kept is None else None
    return {
        "path": each.place,
        "status": each.status,
        **(_kept(kept, each.state) if kept else {}),
        "supersedes": each.before.id if each.before and each.status == "replaced" else None,
        "still_in_effect": each.still or None,
        "effect": each.effect.model_dump() if each.effect else None,
        "warnings": list(each.warnings),
        "error": refused,
    }


def _kept(kept: Kept, state: State) -> Mapping[str, object]:
    return {
        "id": kept.id,
        "kind": kept.kind,
        "title": kept.title,
        "source": kept.source,
        "date": kept.date.isoformat(),
        "dated": kept.dated,
        "format": kept.format,
        "digest": kept.digest,
        "added_at": kept.added_at.isoformat(),
        "superseded_by": kept.superseded_by or None,
        "state": state or None,
        "badge": kept.badge,
    }


def print_removed(kept: Kept, words: Words, *, as_json: bool) -> None:
    """Say what was taken out."""
    if as_json:
        print_document({"schema_version": SCHEMA_VERSION, "removed": _kept(kept, "")})
    else:
        typer.echo(flatten(words("own.removed", id=kept.id, title=kept.title)))


def print_own(rows: Sequence[tuple[Kept, Standing]], words: Words, *, as_json: bool) -> None:
    """List every version of everything that was added, and the pages of the folders in settings."""
    if as_json:
        print_items([{**_kept(kept, how.state), "in_effect": how.in_effect} for kept, how in rows])
        return
    if not rows:
        typer.echo(words("own.nothing"), err=True)
        return
    names = ("kb.id", "own.state", "own.date", "kb.title", "own.source", "own.digest")
    print_table([words(name) for name in names], [_row(*row, words) for row in rows])


def _row(kept: Kept, how: Standing, words: Words) -> tuple[str, ...]:
    shown: str = how.state or "current"
    if kept.superseded_by:
        shown = "still" if how.in_effect else "superseded"
    digest = kept.digest if kept.kind == "page" else ""
    told = words(f"own.state_{shown}")
    return (kept.id, told, kept.date.isoformat(), kept.title, kept.source, digest)


def print_text(kept: Kept, document: Document, words: Words, *, as_json: bool) -> None:
    """Show a document; what it says is shown as it is, and nothing of it is markup."""
    if as_json:
        chapters = [each.model_dump() for each in document.chapters]
        told = {"schema_version": SCHEMA_VERSION, **_kept(kept, ""), "chapters": chapters}
        print_document(told)
        return
    typer.echo(flatten(f"{kept.id}  {kept.title}"))
    typer.echo(flatten(f"[{kept.badge}] {kept.source}"))
    typer.echo(words("own.untrusted"))
    for chapter in document.chapters:
        typer.echo(f"\n{flatten(chapter.title)}" if chapter.title else "")
        typer.echo(make_visible(chapter.text))
