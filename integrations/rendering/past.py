"""Past incidents beside this one: what they share, and what would tell them apart."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from integrations.rendering.content import (
    Fact,
    Facts,
    Line,
    Paragraph,
    Section,
    code,
    join,
    soft,
    strong,
    text,
)
from integrations.rendering.naming import show_places
from integrations.rendering.view import View
from integrations.wording.words import Words
from knowledge.page import Page
from knowledge.similar import Course, Similar, find_similar

_NAMED = 6


def find_past(view: View, told: Sequence[str] = ()) -> Sequence[Similar]:
    """Find the past incidents that went the way of this one; none where there is no chain.

    `told` are ids that words found.
    """
    course = trace_course(view) or Course(())
    if not (course.edges or told) or not view.past:
        return ()
    return find_similar(course, view.past, view.pages, told=told, looked=_looked_at(view))


def trace_course(view: View) -> Course | None:
    """Return how an incident spread, by page; without roots its strongest lead stands for them."""
    diagnosis = view.diagnosis
    if diagnosis is None or not diagnosis.chain:
        return None
    roots = [root.page for root in diagnosis.root_causes]
    leads = [one.page for one in diagnosis.hypotheses[:1]]
    edges = ((view.page_of(one.source), view.page_of(one.target)) for one in diagnosis.chain)
    return Course(tuple(dict.fromkeys(roots or leads)), tuple(dict.fromkeys(edges)))


def build_past(view: View) -> tuple[Section, ...]:
    """Build the section of a whole report, where there is anything to tell."""
    found = find_past(view)
    return (tell_past(found, view.pages, view.words),) if found else ()


def build_past_brief(view: View) -> Section | None:
    """Build the section of a short report: which incidents, and what tells them apart."""
    words, found = view.words, find_past(view)
    facts = [fact for one in found for fact in (_head(one, words), *_apart(one, view.pages, words))]
    return Section("similar", words("past.title"), (Facts(tuple(facts)),)) if facts else None


def tell_past(found: Iterable[Similar], pages: Mapping[str, Page], words: Words) -> Section:
    """Tell of each incident what it shares with this one, and what only one of them has."""
    blocks = [Facts(tuple(_facts(one, pages, words))) for one in found]
    note = Paragraph(soft(words("past.note")))
    return Section("similar", words("past.title"), (*blocks, note))


def list_past(
    found: Iterable[Similar], pages: Mapping[str, Page], words: Words
) -> list[dict[str, object]]:
    """Return the same for programs."""
    return [_item(one, pages, words) for one in found]


def _item(one: Similar, pages: Mapping[str, Page], words: Words) -> dict[str, object]:
    check = one.difference.check
    return {
        "id": one.past.id,
        "date": one.past.date.isoformat(),
        "title": one.past.title.model_dump(),
        "by": one.by,
        "score": one.score,
        "root": one.past.root,
        "shared": list(one.shared),
        "missing": list(one.missing),
        "not_looked_at": [page for page, looked in one.missing.items() if looked is False],
        "extra": list(one.extra),
        "difference": _difference(one, pages, words),
        "decided": words.say(one.past.decided.text),
        "check": {
            "id": check.id,
            "command": " ".join(check.command),
            "where": check.where,
            "why": words.say(check.tells),
        }
        if check
        else None,
    }  # fmt: skip


def _facts(one: Similar, pages: Mapping[str, Page], words: Words) -> Iterator[Fact]:
    yield _head(one, words)
    rows = (
        ("shared", one.shared, ()),
        (
            "missing",
            tuple(one.missing),
            tuple(p for p, looked in one.missing.items() if looked is False),
        ),
        ("extra", one.extra, ()),
    )
    for key, names, unseen in rows:
        if names:
            yield Fact(words(f"past.{key}"), _titles(names, unseen, pages, words))
    yield from _apart(one, pages, words)


def _head(one: Similar, words: Words) -> Fact:
    by = soft(words("past.by_words")) if one.by == "words" else ()
    told = join(strong(words.say(one.past.title)), code(one.past.id), by, by=" · ")
    return Fact(one.past.date.isoformat(), told, loud=True)


def _titles(
    names: Sequence[str], unseen: Sequence[str], pages: Mapping[str, Page], words: Words
) -> Line:
    told = [
        join(
            text(_title(name, pages, words)), soft(words("past.unlooked")) if name in unseen else ()
        )
        for name in names[:_NAMED]
    ]
    more = len(names) - _NAMED
    rest = soft(words("report.and_more", count=more)) if more > 0 else ()
    return join(*told, rest, by=words("report.join"))


def _apart(one: Similar, pages: Mapping[str, Page], words: Words) -> Iterator[Fact]:
    if one.difference.kind != "decided":
        yield Fact(words("past.decided"), text(words.say(one.past.decided.text)))
    yield Fact(words("past.difference"), text(_difference(one, pages, words)))
    check = one.difference.check
    if check:
        command = code(show_places(" ".join(check.command)))
        where = soft(words("report.on", place=words(f"place.{check.where}")))
        told = join(join(command, where), text(words.say(check.tells)), by=" — ")
        key = "past.look" if one.difference.kind == "none" else "past.check"
        yield Fact(words(key), told)


def _difference(one: Similar, pages: Mapping[str, Page], words: Words) -> str:
    told = one.difference
    said = words.say(told.text) if told.text else ""
    unseen = told.kind != "none" and one.missing.get(told.page) is False
    tail = words("past.unseen") if unseen else ""
    return words(f"past.{told.kind}_told", text=said, title=_title(told.page, pages, words)) + tail


def _title(page: str, pages: Mapping[str, Page], words: Words) -> str:
    known = pages.get(page)
    return words.say(known.title) if known else page


def _looked_at(view: View) -> Mapping[str, bool]:
    """Tell of each page whether anything at all was read from a source that shows it."""
    read = frozenset(channel for event in view.events for channel in event.channels)
    return {
        page.id: any(signature.source in read for signature in page.signatures)
        for page in view.pages.values()
        if page.signatures
    }
