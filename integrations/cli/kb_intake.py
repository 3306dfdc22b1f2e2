"""Takes files into an organisation's collection: each is read apart, pages are proved together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from assistant.contribution import (
    Handbook,
    Provenance,
    is_refused,
    read_page_draft,
    take_document,
    take_page,
)
from assistant.settings import Settings
from integrations.bootstrap import Surroundings, cache_dir
from integrations.cli.kb_added import Added, from_outcome
from integrations.cli.kb_files import Found, Others, Passed, find_files, read_file
from integrations.own import gather_own, judge_own, open_collection
from knowledge.errors import DocumentRefusedError, OwnPageRefusedError, PageInvalidError
from knowledge.own.collection import Collection, Outcome
from knowledge.own.draft import Draft
from knowledge.own.effect import find_effect
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

    def take(self, found: Found | Passed | Others) -> Iterator[Added]:
        """Take one file in; what is wrong with it is told, and stops nothing else."""
        place = str(found.path)
        if isinstance(found, Others):
            yield Added(place, "passed", why=found.why)
            return
        if isinstance(found, Passed):
            yield Added(place, "refused", why=found.why)
            return
        try:
            content, day = read_file(found.path)
            drafts = self.sandbox.read(content, found.path.name)
        except DocumentRefusedError as error:
            yield Added(place, "refused", why=error.why)
        except OSError as error:
            forbidden = isinstance(error, PermissionError)
            yield Added(place, "refused", why=error.strerror or str(error), forbidden=forbidden)
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
            outcome = take_document(draft, origin, self.collection)
            yield from_outcome(place, outcome, warnings=_encoding(draft, place))
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


def take_in(
    paths: Sequence[Path], source: str, given: date | None, settings: Settings, around: Surroundings
) -> list[Added]:
    """Take everything at some paths in; what cannot be taken is among what is returned.

    Raises:
        FileNotFoundError: nothing is at one of the paths; then nothing was taken in.
        CollectionDamagedError: the list of what was added cannot be read.
        OSError: the collection cannot be written.
    """
    for path in paths:
        path.stat()
    open_masker(cache_dir(around))
    with open_sandbox() as sandbox:
        intake = _Intake(open_collection(settings, around), sandbox, source, given)
        files = (file for path in paths for file in find_files(path))
        found = [each for file in files for each in intake.take(file)]
    return [*found, *(_prove(intake, settings, around) if intake.waiting else ())]


def _prove(intake: _Intake, settings: Settings, around: Surroundings) -> Iterator[Added]:
    """Prove the pages of this run together, because they may name each other; keep the sound."""
    from knowledge.catalog import load_catalog  # noqa: PLC0415 -- few add pages

    handbook = Handbook(load_catalog(cache=cache_dir(around)), gather_own(settings, around).pages)
    told = handbook.prove([each.page for each in intake.waiting])
    taken: list[tuple[_Waiting, Outcome]] = []
    for each in intake.waiting:
        problems = told[each.page.digest]
        if is_refused(problems):
            yield Added(each.place, "refused", why=_reasons(each.page, problems))
            continue
        taken.append((each, take_page(each.page, each.draft, each.origin, intake.collection)))
    standings = judge_own((), settings, around)
    versions = {kept.digest: kept.key for kept in intake.collection.kept() if kept.kind == "page"}
    works = {versions[digest]: digest for digest in versions if standings[digest].in_effect}
    for each, outcome in taken:
        still = works.get(outcome.kept.key, "")
        yield from_outcome(
            each.place,
            outcome,
            state=standings[outcome.kept.digest].state,
            warnings=(*_encoding(each.draft, each.place), *_warnings(told[each.page.digest])),
            effect=find_effect(each.page.content, handbook.shipped.pages.get(each.page.target)),
            still=still if still != outcome.kept.digest else "",
        )


def _reasons(page: OwnPage, problems: Sequence[Problem]) -> str:
    reasons = [f"{one.rule}: {one.text}" for one in problems if one.level == "error"]
    return str(OwnPageRefusedError(page.id, tuple(reasons)))


def _warnings(problems: Sequence[Problem]) -> Iterator[str]:
    return (f"{one.rule}: {one.text}" for one in problems)


def _encoding(draft: Draft, place: str) -> tuple[str, ...]:
    return (f"{place}: not UTF-8; read as {draft.encoding}",) if draft.encoding else ()


def _absolute(path: Path, inner: str) -> str:
    whole = str(path.resolve())
    return f"{whole}!{inner}" if inner else whole
