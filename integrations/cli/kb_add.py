"""Take an organisation's documents and pages into its own collection, or take one out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from assistant.contribution import (
    Handbook,
    Provenance,
    is_refused,
    read_page_draft,
    take_document,
    take_page,
)
from assistant.settings import Settings
from integrations.bootstrap import Surroundings, cache_dir, choose_words, load_settings
from integrations.bootstrap import read_surroundings as look_around
from integrations.cli.fault import APPROVAL_REQUIRED, FAILURE, OK, UsageFault
from integrations.cli.kb_added import Added, State, from_outcome, print_added, print_removed
from integrations.cli.kb_files import Found, Passed, find_files, read_file
from integrations.cli.options import LangOption, PlainOption, read_path
from integrations.own import gather_own, open_collection, read_approved
from knowledge.errors import DocumentRefusedError, OwnPageRefusedError, PageInvalidError
from knowledge.own.collection import Collection
from knowledge.own.draft import Draft
from knowledge.own.page_file import OwnPage
from knowledge.own.sandbox import Sandbox, open_sandbox
from knowledge.problem import Problem
from tools.masking import open_masker

_DATE = "%Y-%m-%d"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A page that was read and is proved with the others in the end."""

    place: str
    draft: Draft
    page: OwnPage
    origin: Provenance


@dataclass
class _Intake:
    """One run: what it works with, and the pages that wait for their proof."""

    collection: Collection
    sandbox: Sandbox
    source: str
    given: date | None
    waiting: list[_Waiting] = field(default_factory=list)

    def take(self, found: Found | Passed) -> Iterator[Added]:
        """Take one file in; what is wrong with it is told, and stops nothing else."""
        place = str(found.path)
        if isinstance(found, Passed):
            yield Added(place, "refused", why=found.why)
            return
        try:
            content, day = read_file(found.path)
            drafts = self.sandbox.read(content, found.path.name)
        except DocumentRefusedError as error:
            yield Added(place, "refused", why=error.why)
        except OSError as error:
            yield Added(place, "refused", why=error.strerror or str(error))
        else:
            for draft in drafts:
                yield from self._take(draft, found, day)

    def _take(self, draft: Draft | object, found: Found, day: date) -> Iterator[Added]:
        inner = str(getattr(draft, "name", ""))
        place = f"{found.path}!{inner}" if inner else str(found.path)
        if not isinstance(draft, Draft):
            yield Added(place, "refused", why=str(getattr(draft, "why", "")))
            return
        origin = Provenance(
            _absolute(found.path, inner), day, self._source(draft, found), self.given
        )
        if not draft.page:
            yield from_outcome(place, take_document(draft, origin, self.collection))
            return
        try:
            name = Path(inner or found.path.name).stem.lower()
            page = read_page_draft(draft, name, origin)
        except (PageInvalidError, OwnPageRefusedError) as error:
            yield Added(place, "refused", why=str(error))
        else:
            self.waiting.append(_Waiting(place, draft, page, origin))

    def _source(self, draft: Draft, found: Found) -> str:
        """Return the address that was given; of one document among several, a place below it."""
        if not self.source:
            return ""
        exported = draft.source if draft.source.startswith("confluence:") else ""
        parts = (found.part, exported or draft.name)
        return "/".join((self.source.rstrip("/"), *filter(None, parts)))


def add(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE|FOLDER]…", help="Documents or pages.", parser=read_path),
    ] = None,
    *,
    day: Annotated[
        str, typer.Option("--date", metavar="D", help="Their date, YYYY-MM-DD; else their own.")
    ] = "",
    source: Annotated[
        str, typer.Option("--source", metavar="URL", help="Where they come from; else their path.")
    ] = "",
    remove: Annotated[
        str, typer.Option("--remove", metavar="ID", help="Take this one out instead.")
    ] = "",
    output: PlainOption = "text",
    lang: LangOption = None,
) -> int:
    """Add runbooks, postmortems and pages of your own: Markdown, HTML, PDF, Word, Confluence.

    Documents are found by `kb search`. A page has effect once an admin approved its digest; until
    then the exit code is 6.
    """
    around = look_around()
    settings = load_settings({"lang": lang}, around).settings
    words = choose_words(settings, around)
    collection = open_collection(settings, around)
    if bool(remove) == bool(paths):
        raise UsageFault("Name files or folders to add, or --remove ID", "One of the two.")
    if remove:
        print_removed(collection.remove(remove), words, as_json=output == "json")
        return OK
    given = _read_day(day)
    for path in paths or ():
        path.stat()
    open_masker(cache_dir(around))
    with open_sandbox() as sandbox:
        intake = _Intake(collection, sandbox, source, given)
        found = [
            each for path in paths or () for file in find_files(path) for each in intake.take(file)
        ]
    if intake.waiting:
        found += _prove(intake, settings, around)
    if not found:
        raise UsageFault("There is no document in what was named", _KINDS)
    print_added(found, words, as_json=output == "json")
    return _code(found)


_KINDS = "Markdown, text, HTML, PDF, docx, and zip or XML exports of Confluence are read."


def _code(found: Sequence[Added]) -> int:
    if any(each.status == "refused" for each in found):
        return FAILURE
    return APPROVAL_REQUIRED if any(each.state == "pending" for each in found) else OK


def _prove(intake: _Intake, settings: Settings, around: Surroundings) -> Iterator[Added]:
    """Prove the pages of this run together, because they may name each other; keep the sound."""
    from knowledge.catalog import load_catalog  # noqa: PLC0415 -- few add pages

    handbook = Handbook(load_catalog(cache=cache_dir(around)), gather_own(settings, around).pages)
    told = handbook.prove([each.page for each in intake.waiting])
    approved = read_approved(settings, around)
    for each in intake.waiting:
        problems = told[each.page.digest]
        if is_refused(problems):
            yield Added(each.place, "refused", why=_reasons(each.page, problems))
            continue
        outcome = take_page(each.page, each.draft, each.origin, intake.collection)
        state: State = "approved" if each.page.digest in approved else "pending"
        warnings = tuple(f"{one.rule}: {one.text}" for one in problems)
        yield from_outcome(each.place, outcome, state=state, warnings=warnings)


def _reasons(page: OwnPage, problems: Sequence[Problem]) -> str:
    reasons = [f"{one.rule}: {one.text}" for one in problems if one.level == "error"]
    return str(OwnPageRefusedError(page.id, tuple(reasons)))


def _absolute(path: Path, inner: str) -> str:
    whole = str(path.resolve())
    return f"{whole}!{inner}" if inner else whole


def _read_day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageFault(f"{text} is not a date", "Write it as 2025-06-20.") from None
