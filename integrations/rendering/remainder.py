"""What a short report says of the rest: a line for each part, and how to see all of it."""

from collections.abc import Iterable, Sequence

from integrations.rendering.content import (
    Fact,
    Facts,
    Line,
    Paragraph,
    Section,
    join,
    refs,
    soft,
    strong,
    text,
)
from integrations.rendering.folding import fold_coverage, fold_events
from integrations.rendering.moments import write_known
from integrations.rendering.record import (
    build_clock_lines,
    evidence_line,
    fold_line,
    keep_worst,
    tally,
)
from integrations.rendering.unread import fold_unread, unread_line
from integrations.rendering.view import View

_FEW, _EVENTS, _EVENTS_ALONE, _TITLES, _REPAIRS = 3, 4, 8, 5, 4


def build_remainder(view: View) -> Section:
    """Build the last section of a short report."""
    parts = (
        _standing, _unexplained, _unread, _missing, _not_checked, _ruled_out, _remedies, _changes,
        _timeline, _coverage, _clocks, _evidence,
    )  # fmt: skip
    facts = tuple(fact for part in parts for fact in part(view))
    more = Paragraph(soft(_how_to_see_all(view)))
    return Section("more", view.words("report.rest"), (Facts(facts), more) if facts else (more,))


def _how_to_see_all(view: View) -> str:
    found = view.investigation
    events, captures = len(found.timeline.events), len(found.evidence)
    return view.words("report.see_all", events=events, captures=captures)


def _facts(view: View, key: str, lines: Sequence[Line], most: int = _FEW) -> Iterable[Fact]:
    label = view.words(f"report.{key}")
    for line in lines[:most]:
        yield Fact(label, line)
    if len(lines) > most:
        yield Fact(label, soft(view.words("report.and_more", count=len(lines) - most)))


def _standing(view: View) -> Iterable[Fact]:
    return _events(view, "standing", view.diagnosis.standing if view.diagnosis else ())


def _unexplained(view: View) -> Iterable[Fact]:
    return _events(view, "unexplained", view.diagnosis.unexplained if view.diagnosis else ())


def _events(view: View, key: str, ids: Sequence[str]) -> Iterable[Fact]:
    events = [view.event_by_id[one] for one in ids if one in view.event_by_id]
    lines = [join(text(view.label(event)), refs([event.id]), by=" · ") for event in events]
    return _facts(view, key, lines)


def _unread(view: View) -> Iterable[Fact]:
    return _facts(view, "unread", [unread_line(view, group) for group in fold_unread(view)])


def _missing(view: View) -> Iterable[Fact]:
    found = view.diagnosis.missing_information if view.diagnosis else ()
    return _facts(view, "missing", [text(view.words.say(one.what)) for one in found])


def _not_checked(view: View) -> Iterable[Fact]:
    lines = [
        join(
            text(f"{view.source(fold.lines[0].source)} {fold.targets}".strip()),
            soft(view.reason(fold.lines[0])),
            by=" · ",
        )
        for fold in fold_coverage(view.unseen())
    ]
    return _facts(view, "not_checked", lines)


def _ruled_out(view: View) -> Iterable[Fact]:
    """Give the grounds of the first; the others by title."""
    words = view.words
    found = view.diagnosis.ruled_out if view.diagnosis else ()
    lines = [
        join(
            join(strong(words.say(one.title)), soft(words.say(one.why)), by=" — "),
            refs(one.evidence, most=3),
        )
        for one in found[:1]
    ]
    titles = [words.say(one.title) for one in found[1 : _TITLES + 1]]
    more = len(found) - 1 - len(titles)
    if titles:
        rest = words("report.join").join(titles)
        lines.append(join(text(rest), soft(f"+{more}") if more > 0 else ()))
    return _facts(view, "ruled_out", lines)


def _remedies(view: View) -> Iterable[Fact]:
    found = view.diagnosis.remedies if view.diagnosis else ()
    lines = [join(text(one.risk), text(view.words.say(one.title))) for one in found]
    return _facts(view, "repairs", lines, _REPAIRS)


def _changes(view: View) -> Iterable[Fact]:
    found = [one for one in (view.diagnosis.changes if view.diagnosis else ()) if one.scope_match]
    lines = [
        join(text(at), text(one.what), refs(one.evidence, most=2), by=" · ")
        for one in found
        for at in [write_known(one.at, view.words, day=False)]
    ]
    return _facts(view, "changes", lines)


def _timeline(view: View) -> Iterable[Fact]:
    """Tell what the chain does not hold, the worst of it."""
    chain = view.diagnosis.chain if view.diagnosis else ()
    told = {view.page_of(end) for link in chain for end in (link.source, link.target)}
    folds = fold_events([event for event in view.shown_events if event.page not in told])
    most = _EVENTS if told else _EVENTS_ALONE
    lines = [fold_line(view, fold) for fold in keep_worst(folds, most)]
    if len(folds) > most:
        lines.append(soft(view.words("report.and_more", count=len(folds) - most)))
    return _facts(view, "beside" if told else "timeline", lines, most + 1)


def _coverage(view: View) -> Iterable[Fact]:
    covered = view.covered()
    yield Fact(view.words("report.coverage"), tally(view, covered))
    gone = [line for line in covered if line.state == "normal" and view.reason(line)]
    for fold in fold_coverage(gone)[:1]:
        line = join(text(f"{view.source(fold.lines[0].source)} {fold.targets}".strip()),
                    soft(view.reason(fold.lines[0])), by=" · ")  # fmt: skip
        yield Fact(view.words("report.coverage"), line)


def _clocks(view: View) -> Iterable[Fact]:
    """Tell the corrections; unknown zones are asked for among what is missing."""
    known = len(view.investigation.timeline.unresolved_zones)
    lines = build_clock_lines(view)
    return _facts(view, "clocks", lines[: len(lines) - known], 2)


def _evidence(view: View) -> Iterable[Fact]:
    shown = [item for item in view.evidence if item.id in view.root_evidence]
    shown = shown or list(view.cited_evidence()[:_FEW])
    return _facts(view, "evidence", [evidence_line(view, item) for item in shown])
