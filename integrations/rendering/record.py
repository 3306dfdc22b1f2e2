"""The sections that show the record: timeline, coverage, what was ruled out, evidence, clocks."""

from collections import Counter
from collections.abc import Sequence

from assistant.event import ClockCorrection, Coverage, Event
from integrations.rendering.content import (
    Block,
    Card,
    Fact,
    Items,
    Limits,
    Line,
    Paragraph,
    Quote,
    Row,
    Section,
    Span,
    Table,
    bound,
    code,
    join,
    refs,
    soft,
    strong,
    text,
)
from integrations.rendering.drawing import shorten
from integrations.rendering.folding import CoverageFold, Fold, fold_coverage, fold_events, name_many
from integrations.rendering.hangs import read_wait
from integrations.rendering.moments import (
    write_offset,
    write_span,
    write_stamp,
    write_time,
    write_window,
)
from integrations.rendering.propagation import mark
from integrations.rendering.severity import rank_severity
from integrations.rendering.unread import build_unread
from integrations.rendering.view import PLANES, View
from tools.evidence import Evidence, Window

_SHA_SHOWN = 16
_QUOTE_SHOWN = 90
_QUOTES_SHOWN = 3
_FEW = 5
_CITED_SHOWN = 5
_OPEN_LINES = 12
_CLOCKS_SHOWN = 3


def build_timeline(view: View, limits: Limits) -> Section:
    """Build the timeline, one table for each plane that something happened in."""
    words = view.words
    columns = tuple(
        words(f"column.{name}") for name in ("time", "severity", "condition", "entity", "evidence")
    )
    blocks: list[Block] = []
    for plane in PLANES:
        events = [event for event in view.shown_events if event.plane == plane]
        if not events:
            continue
        folds = fold_events(events)
        kept = keep_worst(folds, limits.events)
        rows = tuple(_fold_row(view, fold) for fold in kept)
        blocks.append(Table(columns, rows, caption=_caption(view, plane), flows=True))
        if len(kept) < len(folds):
            blocks.append(Paragraph(soft(words("report.and_more", count=len(folds) - len(kept)))))
    nothing = (Paragraph(soft(words("figure.no_events"))),)
    return Section("timeline", words("report.timeline"), tuple(blocks) or nothing)


def build_record(view: View, limits: Limits) -> tuple[Section, ...]:
    """Build coverage, what was ruled out, what was not checked and what stays unexplained."""
    sections = [
        _coverage(view, limits),
        _ruled_out(view, limits),
        _not_checked(view, limits),
        _standing(view, limits),
        _unexplained(view, limits),
        build_unread(view, limits),
        _clocks(view),
    ]
    return tuple(section for section in sections if section is not None and section.blocks)


def build_evidence(view: View, limits: Limits) -> Section:
    """Build one card for each capture that the report stands on."""
    words = view.words
    if not limits.cards:
        return _evidence_lines(view, limits)
    cited = sorted(
        view.cited_evidence(),
        key=lambda item: (item.id not in view.root_evidence, item.id not in view.key_evidence),
    )
    cards: list[Block] = [_card(view, item, limits) for item in cited[: limits.rows]]
    if len(cited) > limits.rows:
        more = words("report.and_more", count=len(cited) - limits.rows)
        cards.append(Paragraph(soft(more)))
    uncited = len(view.investigation.evidence) - len(cited)
    if uncited > 0:
        cards.append(Paragraph(soft(words("evidence.uncited", count=uncited))))
    nothing = (Paragraph(soft(words("report.none"))),)
    return Section("evidence", words("report.evidence"), tuple(cards) or nothing)


def _evidence_lines(view: View, limits: Limits) -> Section:
    """Name what the conclusion stands on and what hung, one line each; the rest is counted."""
    words = view.words
    shown = [
        item
        for item in view.evidence
        if item.id in view.key_evidence or item.id in view.root_evidence or item.outcome == "hung"
    ]
    shown = shown or list(view.cited_evidence()[:_FEW])
    shown = sorted(shown, key=lambda item: item.id not in view.root_evidence)[: limits.rows]
    blocks: list[Block] = [Items(tuple(evidence_line(view, item) for item in shown))]
    rest = len(view.evidence) - len(shown)
    if rest > 0:
        blocks.append(Paragraph(soft(words("evidence.folded", count=rest))))
    return Section("evidence", words("report.evidence"), tuple(blocks if shown else blocks[1:]))


def evidence_line(view: View, item: Evidence) -> Line:
    """Say a capture and its most telling lines on one line."""
    excerpt = view.deciding.get(item.id) or view.excerpts.get(item.id)
    told = view.root_evidence or view.deciding
    quotes = [one.text.strip() for one in excerpt.quotes[:_QUOTES_SHOWN]] if excerpt else []
    quote = " / ".join(shorten(one, _QUOTE_SHOWN) for one in dict.fromkeys(quotes) if one)
    lines = view.words("evidence.lines", lines=excerpt.lines) if excerpt and excerpt.lines else ""
    said = item.command if item.command != item.target else ""
    said = view.target(said) if item.command == item.path else said
    note = view.words("evidence.hung_finding") if item.outcome == "hung" else ""
    return join(
        strong(item.id),
        text(f"{view.source(item.source)} {view.target(item.target)}".strip()),
        code(said) if said else (),
        text(lines),
        text(quote) if item.id in told else (),
        soft(note),
        by=" · ",
    )


def severity(view: View, event: Event) -> Line:
    """Return the severity's word under its class."""
    return (Span("severity", view.words(f"severity.{event.severity}"), event.severity),)


def _caption(view: View, plane: str) -> str:
    shown = view.words(f"plane.{plane}")
    return f"{shown} · {view.shown_events[0].start.utc:%Y-%m-%d}" if view.one_day else shown


def keep_worst(folds: Sequence[Fold], most: int) -> Sequence[Fold]:
    """Keep the worst and earliest where there is not room for all, in their order in time."""
    if len(folds) <= most:
        return folds
    order = sorted(range(len(folds)), key=lambda n: (rank_severity(folds[n].worst.severity), n))
    return [folds[n] for n in sorted(order[:most])]


def _fold_row(view: View, fold: Fold) -> Row:
    named = [event.id for event in fold.events if event.id in view.named_events]
    ids = tuple(dict.fromkeys([*named, *(event.id for event in fold.events)]))
    alone = len(fold.events) == 1
    remarks = " · ".join(view.remarks(fold.first)) if alone else ""
    cited = dict.fromkeys(one for event in fold.events for one in view.cited_by(event))
    named_condition = join(text(view.condition(fold.first)), mark(view, fold.first.id))
    condition = join(named_condition, soft(remarks) if remarks else (), by=" — ")
    subject = view.subject(fold.first) if alone else name_many(view, fold.entities)
    refs_shown = join(refs(ids, most=max(1, len(named))), refs(tuple(cited), most=_CITED_SHOWN))
    cells = (_when(view, fold), severity(view, fold.worst), condition, text(subject), refs_shown)
    return Row(cells, anchor=ids[0], more=ids[1:])


def fold_line(view: View, fold: Fold) -> Line:
    """Say a row of the timeline on one line."""
    when, how_bad, condition, subject, cited = _fold_row(view, fold).cells
    return join(when, join(how_bad, condition), subject, cited, by=" · ")


def _when(view: View, fold: Fold) -> Line:
    words, event = view.words, fold.first
    start = text(view.onset(event, day=not view.one_day))
    if len(fold.events) > 1:
        return join(start, soft(words("time.until", at=_clock(view, fold.last))))
    if event.end is None:
        return start
    lasted = (event.end.utc - event.start.utc).total_seconds()
    if lasted <= 0:
        return start
    return join(start, soft(words("time.lasted", span=write_span(lasted, words))), by=" · ")


def _clock(view: View, event: Event) -> str:
    moment = event.start.utc
    if not event.start.dated:
        return event.start.original or "?"
    return write_time(moment) if view.one_day else write_stamp(moment)


def _coverage(view: View, limits: Limits) -> Section:
    words = view.words
    covered = view.covered()
    folds = fold_coverage(covered)
    rows = tuple(_coverage_row(view, fold) for fold in folds[: limits.rows])
    columns = tuple(
        words(f"column.{name}")
        for name in ("state", "source", "target", "reason", "covers", "evidence")
    )
    blocks: tuple[Block, ...] = (Table(columns, rows, flows=True),) if rows else ()
    if len(folds) > len(rows):
        more = words("report.and_more", count=len(folds) - len(rows))
        blocks = (*blocks, Paragraph(soft(more)))
    blocks = (Paragraph(tally(view, covered)), *blocks)
    return Section("coverage", words("report.coverage"), blocks)


def _coverage_row(view: View, fold: CoverageFold) -> Row:
    line = fold.lines[0]
    return Row(
        (
            _coverage_state(view, line),
            bound(view.source(line.source)),
            text(fold.targets),
            text(_reason(view, fold)),
            _span_of(view, fold),
            refs(fold.evidence, most=_CITED_SHOWN),
        )
    )


def _reason(view: View, fold: CoverageFold) -> str:
    """Say the reason that all lines of a fold share."""
    return view.reason(fold.lines[0]) if fold.why else ""


def _coverage_state(view: View, line: Coverage) -> Line:
    return (Span("coverage", view.words(f"coverage.{line.state}"), line.state),)


def tally(view: View, covered: Sequence[Coverage]) -> Line:
    """Count the lines of the ledger by their state."""
    counts = Counter(line.state for line in covered)
    parts = [f"{count} {view.words(f'coverage.{state}')}" for state, count in counts.items()]
    return soft(" · ".join(parts) or view.words("report.none"))


def _span_of(view: View, fold: CoverageFold) -> Line:
    """Say which time all of them cover; nothing where they share none."""
    since = [line.since for line in fold.lines if line.since]
    until = [line.until for line in fold.lines if line.until]
    if len(since) + len(until) < len(fold.lines):
        return ()
    common = Window(since=max(since, default=None), until=min(until, default=None))
    if common.since and common.until and common.since > common.until:
        return ()
    begin, dash, end = write_window(common, view.words).partition(" – ")
    return join(bound(begin), bound(f"– {end}") if dash else ())


def _ruled_out(view: View, limits: Limits) -> Section:
    words = view.words
    found = view.diagnosis.ruled_out if view.diagnosis else ()
    lines = tuple(
        join(
            join(strong(words.say(one.title)), text(words.say(one.why)), by=" — "),
            refs(one.evidence),
        )
        for one in found[: limits.rows]
    )
    return Section("ruled-out", words("report.ruled_out"), (Items(lines),) if lines else ())


def _not_checked(view: View, limits: Limits) -> Section:
    folds = fold_coverage(view.unseen())
    lines = tuple(
        join(
            _coverage_state(view, fold.lines[0]),
            text(f"{view.source(fold.lines[0].source)} {fold.targets}".strip()),
            soft(view.reason(fold.lines[0])),
            by=" · ",
        )
        for fold in folds[: limits.rows]
    )
    if len(folds) > len(lines):
        more = soft(view.words("report.and_more", count=len(folds) - len(lines)))
        lines = (*lines, more)
    return Section(
        "not-checked", view.words("report.not_checked"), (Items(lines),) if lines else ()
    )


def _unexplained(view: View, limits: Limits) -> Section | None:
    ids = view.diagnosis.unexplained if view.diagnosis else ()
    return _events(view, "unexplained", ids, limits)


def _standing(view: View, limits: Limits) -> Section | None:
    ids = view.diagnosis.standing if view.diagnosis else ()
    return _events(view, "standing", ids, limits)


def _events(view: View, key: str, ids: Sequence[str], limits: Limits) -> Section | None:
    events = [view.event_by_id[one] for one in ids if one in view.event_by_id]
    if not events:
        return None
    lines = tuple(
        join(refs([event.id]), text(view.onset(event)), text(view.label(event)), by=" · ")
        for event in events[: limits.rows]
    )
    return Section(key, view.words(f"report.{key}"), (Items(lines),))


def _clocks(view: View) -> Section | None:
    lines = build_clock_lines(view)
    if not lines:
        return None
    return Section("clocks", view.words("report.clocks"), (Items(tuple(lines)),))


def build_clock_lines(view: View) -> Sequence[Line]:
    """Say which clocks were corrected, why, and which zones are not known."""
    words, timeline = view.words, view.investigation.timeline
    alike: dict[tuple[float, str], list[ClockCorrection]] = {}
    for one in timeline.corrections:
        alike.setdefault((one.offset_s, one.why), []).append(one)
    lines = [_correction(view, group) for group in alike.values()]
    lines += [
        join(text(view.clock(clock)), text(words("time.zone_unknown")), by=" · ")
        for clock in timeline.unresolved_zones
    ]
    return lines


def _correction(view: View, alike: Sequence[ClockCorrection]) -> Line:
    """Say what was added to some clocks' stamps, and why."""
    words, one = view.words, alike[0]
    names = join(*(text(view.clock(each.clock)) for each in alike[:_CLOCKS_SHOWN]), by=", ")
    more = soft(f" +{len(alike) - _CLOCKS_SHOWN}") if len(alike) > _CLOCKS_SHOWN else ()
    evidence = tuple(dict.fromkeys(name for each in alike for name in each.evidence))
    return join(
        (*names, *more),
        text(write_offset(one.offset_s, one.uncertainty_s, words)),
        soft(words.tell(one.why)) if one.why else (),
        refs(evidence),
        by=" · ",
    )


def _card(view: View, item: Evidence, limits: Limits) -> Card:
    words = view.words
    excerpt = view.excerpts.get(item.id)
    quotes = excerpt.quotes if excerpt else ()
    title = join(
        strong(item.id),
        text(view.source(item.source)),
        text(item.target),
        code(item.command),
        by=" · ",
    )
    notes = [words("evidence.hung_finding")] if item.outcome == "hung" else []
    notes += [words("evidence.live")] if item.live else []
    if len(quotes) > limits.quotes:
        notes.append(words("report.and_more", count=len(quotes) - limits.quotes))
    return Card(
        anchor=item.id,
        title=title,
        facts=tuple(_card_facts(view, item, excerpt.lines if excerpt else "")),
        quote=Quote(tuple((quote.line, quote.text) for quote in quotes[: limits.quotes])),
        note=" ".join(notes),
        key=item.id in view.key_evidence or item.outcome == "hung",
        open=item.id in view.root_evidence and len(quotes) <= _OPEN_LINES,
        badge="" if item.outcome == "ok" else words(f"outcome.{item.outcome}"),
    )


def _card_facts(view: View, item: Evidence, lines: str) -> Sequence[Fact]:
    words = view.words
    outcome = words(f"outcome.{item.outcome}")
    truncated = words("evidence.truncated") if item.truncated else ""
    waited = read_wait(item) if item.outcome == "hung" else ""
    detail = words("hang.waited", seconds=waited) if waited else words.tell(item.detail)
    facts = [
        Fact(words("column.state"), text(" · ".join(filter(None, (outcome, detail, truncated)))))
    ]
    if item.observed_at:
        facts.append(Fact(words("evidence.observed_at"), text(write_stamp(item.observed_at))))
    if item.window != Window():
        facts.append(Fact(words("evidence.covers"), text(write_window(item.window, words))))
    if item.sha256:
        facts.append(Fact(words("evidence.sha"), code(item.sha256[:_SHA_SHOWN])))
    if lines:
        facts.append(Fact("", text(words("evidence.lines", lines=lines))))
    return facts
