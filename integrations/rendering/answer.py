"""The sections that answer: state, what to do, verdict, chain, differential, what is left open."""

from collections.abc import Callable, Sequence
from datetime import datetime

from assistant.diagnosis.result import Hypothesis, Instruction, RootCause
from assistant.event import Event
from assistant.incident import SLA
from integrations.rendering.advice import name_hosts, tell_advice
from integrations.rendering.content import (
    Block,
    Fact,
    Facts,
    Items,
    Limits,
    Line,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    code,
    join,
    refs,
    soft,
    strong,
    text,
)
from integrations.rendering.folding import name_many
from integrations.rendering.hangs import find_hangs, tell_hang
from integrations.rendering.moments import write_known, write_stamp, write_window
from integrations.rendering.naming import show_places
from integrations.rendering.propagation import build_chain
from integrations.rendering.view import View
from knowledge.page import Priority

_HANGS = 4


def build_answer(view: View, limits: Limits) -> tuple[Section, ...]:
    """Build the sections a reader in an incident needs first, in their order."""
    builders: Sequence[Callable[[View, Limits], Section]] = (
        _now, _verdict, build_chain, _differential,
    )  # fmt: skip
    sections = (build(view, limits) for build in builders)
    return tuple(section for section in sections if section.blocks)


def build_open(view: View, limits: Limits) -> tuple[Section, ...]:
    """Build the sections on what remains: next checks, missing information, changes, remedies."""
    builders: Sequence[Callable[[View, Limits], Section]] = (
        _next_checks, _missing, _changes, _remedies,
    )  # fmt: skip
    sections = (build(view, limits) for build in builders)
    return tuple(section for section in sections if section.blocks)


def confidence(view: View, word: str) -> Line:
    """Return the confidence word; the English word of the contract always stands with it."""
    local = view.words(f"confidence.{word}")
    shown = word if view.words.lang == "en" else f"{word} {local}"
    return (Span("confidence", shown, word),)


def title_line(view: View) -> Line:
    """Return incident, priority and window on one line."""
    investigation, words = view.investigation, view.words
    priority = investigation.priority
    level: Line = (Span("priority", priority.level, priority.level),) if priority else ()
    return join(
        strong(investigation.incident.id or words("report.title")),
        level,
        text(investigation.incident.title),
        soft(write_window(investigation.window, words)),
        by=" · ",
    )


def urgency(view: View) -> Sequence[Fact]:
    """Say why it is so urgent, and by when somebody must have answered."""
    words, priority = view.words, view.investigation.priority
    if priority is None:
        return ()
    level: Line = (Span("priority", priority.level, priority.level),)
    due = soft(_deadline(view, priority.level, priority.respond_by))
    return (Fact(words("report.priority"), join(level, text(words.say(priority.rule)), due,
                                                by=" · ")),)  # fmt: skip


def _deadline(view: View, level: Priority, by: datetime | None) -> str:
    """Say from when the time to respond is counted, or that it is over."""
    if by is None:
        return ""
    made = view.investigation.generated_at
    from_look = abs((by - SLA[level] - made).total_seconds()) < 1
    key = "respond_by_look" if from_look else "respond_due" if by < made else "respond_by"
    return view.words(f"report.{key}", at=write_stamp(by))


def _now(view: View, _: Limits) -> Section:
    facts = (*stand_of(view), *urgency(view))
    return Section("now", view.words("report.now"), (Facts(facts),))


def stand_of(view: View, *, whys: bool = True) -> Sequence[Fact]:
    """Say how it stands, and what to do and not to do."""
    words, diagnosis = view.words, view.diagnosis
    title = words("report.now")
    if diagnosis is None:
        return (Fact(title, text(words("report.partial", step=view.step()))),)
    as_of = diagnosis.state.as_of
    hurt = " · ".join(
        words(f"impact.{kind}{'_one' if count == 1 else ''}", count=count)
        for kind, count in diagnosis.impact.model_dump().items()
        if count
    )
    return (
        Fact(title, join(
            strong(words(f"state.{diagnosis.state.now}")),
            soft(words("report.as_of", at=write_stamp(as_of))) if as_of else (),
            text(words("impact.all", hurt=hurt)) if hurt else (), by=" · ",
        ), loud=True),
        *_instructions(view, "do_now", diagnosis.contain_now, whys=whys),
        *_instructions(view, "do_not", diagnosis.do_not, whys=whys),
    )  # fmt: skip


def _uncontained(view: View) -> str:
    """Name the reason why there is nothing to do now."""
    verdict = view.diagnosis.verdict if view.diagnosis else "inconclusive"
    if verdict == "inconclusive":
        lead = view.diagnosis is not None and bool(view.diagnosis.root_causes)
        return "contain_unknown" if view.hurts or lead else "contain_unseen"
    return "contain_none" if view.hurts else "nothing_to_contain"


def _instructions(
    view: View, key: str, instructions: Sequence[Instruction], *, whys: bool
) -> Sequence[Fact]:
    words = view.words
    label = words(f"report.{key}")
    if not instructions and key == "do_now":
        return (Fact(label, soft(words(f"report.{_uncontained(view)}"))),)
    told = tell_advice(words, instructions)
    several = view.diagnosis is not None and len(view.diagnosis.root_causes) > 1
    several = several or len({one.nodes for one in told if one.nodes}) > 1
    named = key == "do_now" or several
    return [
        Fact(label, join(
            join(strong(one.text), soft(name_hosts(one.nodes, words)) if named else (), by=" · "),
            soft(one.why) if whys else (), by=" — ",
        ))
        for one in told
    ]  # fmt: skip


def _verdict(view: View, _: Limits) -> Section:
    words, diagnosis = view.words, view.diagnosis
    title = words("report.verdict")
    if diagnosis is None:
        return Section("verdict", title, (Paragraph(text(view.headline())),))
    told = strong(words(f"verdict.{diagnosis.verdict}"))
    sure = confidence(view, diagnosis.confidence)
    verdict = sure if diagnosis.verdict == "inconclusive" else join(told, sure, by=" · ")
    facts = [Fact(title, verdict, loud=True)]
    if not diagnosis.root_causes or diagnosis.verdict != "fault":
        facts.append(Fact("", text(view.explanation())))
    for root in diagnosis.root_causes:
        facts += [_root(view, root), *tell_root(view, root), *tell_course(view, root)]
    if not diagnosis.root_causes and diagnosis.hypotheses:
        facts.append(tell_lead(view, diagnosis.hypotheses[0]))
    facts += [*first_anomaly(view), *amplifiers(view), *failed_first(view), *hung(view)]
    facts += [Fact(words("report.caps"), soft(words.say(cap))) for cap in diagnosis.caps]
    return Section("verdict", title, (Facts(tuple(facts)),))


def _root(view: View, root: RootCause) -> Fact:
    words = view.words
    named = join(strong(words.say(root.title)), text(view.name(root.entity)), by=" · ")
    codes = soft(" ".join(root.codes))
    seen = () if root.observed else soft(words("report.unseen_root"))
    return Fact("", join(named, soft(words(f"layer.{root.layer}")), codes, seen, by=" · "))


def tell_root(view: View, root: RootCause) -> Sequence[Fact]:
    """Say where and why, each with its own confidence."""
    words, where, why = view.words, root.where, root.why
    return (
        Fact(
            words("report.where"),
            join(confidence(view, where.confidence), text(view.where(root))),
        ),
        Fact(
            words("report.why"),
            join(confidence(view, why.confidence), text(words.say(why.text)), refs(root.evidence)),
        ),
    )


def tell_course(view: View, root: RootCause) -> Sequence[Fact]:
    """Say of each of several roots where it began and how it stands."""
    if not view.diagnosis or len(view.diagnosis.root_causes) == 1:
        return ()
    state = view.words(f"state.{root.state.now}") if root.state else ""
    begun = view.event_by_id.get(root.first_anomaly)
    told = _begun(view, begun) if begun else ()
    return (Fact(view.words("report.first_anomaly"), join(told, text(state), by=" · ")),)


def tell_lead(view: View, lead: Hypothesis) -> Fact:
    """Name the strongest lead where there is no root."""
    named = join(strong(view.words.say(lead.title)), text(view.name(lead.entity)), by=" · ")
    inferred = () if lead.observed else soft(view.words("report.unseen_root"))
    line = join(named, inferred, refs(lead.supports), by=" · ")
    return Fact(view.words("verdict.lead"), line)


def first_anomaly(view: View) -> Sequence[Fact]:
    """Say what went wrong first, and when."""
    event = view.event_by_id.get(view.diagnosis.first_anomaly if view.diagnosis else "")
    if event is None:
        return ()
    if view.diagnosis and len(view.diagnosis.root_causes) > 1:
        return ()  # each of them tells its own
    return (Fact(view.words("report.first_anomaly"), _begun(view, event)),)


def _begun(view: View, event: Event) -> Line:
    return join(
        text(view.onset(event, day=not view.one_day)), text(view.label(event)), refs([event.id]),
        refs(view.cited_by(event)), by=" · ",
    )  # fmt: skip


def amplifiers(view: View) -> Sequence[Fact]:
    """Say which conditions spread the damage beyond the fault itself."""
    label = view.words("report.amplified")
    return [
        Fact(label, join(
            strong(view.title(event.page)),
            text(name_many(view, view.alike(event))),
            text(view.onset(event, day=not view.one_day)),
            join(refs([event.id]), refs(view.cited_by(event), most=3)),
            by=" · ",
        ))
        for event in view.amplifiers
    ]  # fmt: skip


def failed_first(view: View) -> Sequence[Fact]:
    """Say which member of each job failed first, and why we think so."""
    words = view.words
    found = view.diagnosis.first_failing if view.diagnosis else ()
    return [
        Fact(words("report.first_failing"), join(
            strong(view.name(one.entity)),
            soft(words("report.of_job", job=one.job)),
            text(words.say(one.why)),
            refs(one.evidence, most=4),
            by=" · ",
        ))
        for one in found
    ]  # fmt: skip


def hung(view: View) -> Sequence[Fact]:
    """Say which commands hung, where and for how long."""
    label = view.words("report.hung")
    hangs = find_hangs(view.investigation.evidence)
    shown = [Fact(label, tell_hang(hang, view.words)) for hang in hangs[:_HANGS]]
    if len(hangs) > len(shown):
        shown.append(Fact(label, soft(view.words("report.and_more", count=len(hangs) - _HANGS))))
    return shown


def _differential(view: View, limits: Limits) -> Section:
    words = view.words
    hypotheses = view.diagnosis.hypotheses if view.diagnosis else ()
    rows = [
        Row(
            (
                _hypothesis(view, one),
                text(words(f"layer.{one.layer}")),
                _for(view, one),
                text("; ".join(view.against(one))),
                _telling(view, one),
            ),
            anchor=one.id,
        )
        for one in hypotheses[: limits.hypotheses]
    ]
    columns = _columns(view, "hypothesis", "layer", "supports", "contradicts", "check")
    blocks = _table(view, columns, rows, len(hypotheses))
    return Section("differential", words("report.differential"), blocks)


def _hypothesis(view: View, one: Hypothesis) -> Line:
    inferred = () if one.observed else soft(view.words("differential.inferred"))
    name = text(f"{one.rank}. {view.words.say(one.title)} · {view.name(one.entity)}")
    return join(name, inferred, by=" · ")


def _for(view: View, one: Hypothesis) -> Line:
    return join(text(tell_reach(view, one)), refs(one.supports))


def tell_reach(view: View, one: Hypothesis) -> str:
    """Say how much a hypothesis explains."""
    count = len(one.explains)
    few = "_none" if not count else "_one" if count == 1 else "_kind" if one.kinds == 1 else ""
    return view.words(f"differential.explains{few}", count=count, kinds=one.kinds)


def _telling(view: View, one: Hypothesis) -> Line:
    if view.relation(one):
        return soft(view.relation(one))
    if not one.would_tell:
        return soft(view.words("differential.undecided"))
    checks = {check.id: check for check in view.diagnosis.next_checks} if view.diagnosis else {}
    known = [checks[check] for check in one.would_tell if check in checks]
    return join(
        *(join(refs([check.id]), code(show_places(check.command))) for check in known[:2]), by=", "
    )


def _next_checks(view: View, limits: Limits) -> Section:
    words = view.words
    checks = view.diagnosis.next_checks if view.diagnosis else ()
    rows = [
        Row(
            (
                text(check.id),
                code(show_places(check.command)),
                text(view.place(check.where)),
                text(words.say(check.why)),
                refs(check.tells_apart),
            ),
            anchor=check.id,
        )
        for check in checks[: limits.rows]
    ]
    columns = ("", *_columns(view, "command", "place", "reason", "hypothesis"))
    blocks = _table(view, columns, rows, len(checks))
    return Section("next-checks", words("report.next_checks"), blocks)


def _missing(view: View, limits: Limits) -> Section:
    words = view.words
    found = view.diagnosis.missing_information if view.diagnosis else ()
    lines = tuple(
        join(strong(words.say(one.what)), soft(words.say(one.why)), by=" — ")
        for one in found[: limits.rows]
    )
    return Section("missing", words("report.missing"), (Items(lines),) if lines else ())


def _changes(view: View, limits: Limits) -> Section:
    words = view.words
    changes = view.diagnosis.changes if view.diagnosis else ()
    rows = [
        Row((
            text(write_known(change.at, words)),
            text(change.what),
            text(view.name(change.entity)),
            text(words(f"changes.{'yes' if change.scope_match else 'no'}")),
            refs(change.evidence),
        ))
        for change in changes[: limits.rows]
    ]  # fmt: skip
    columns = _columns(view, "time", "what", "entity", "matches", "evidence")
    blocks = _table(view, columns, rows, len(changes))
    return Section("changes", words("report.changes"), blocks)


def _remedies(view: View, limits: Limits) -> Section:
    words = view.words
    remedies = view.diagnosis.remedies if view.diagnosis else ()
    lines = tuple(
        join(text(one.risk), strong(words.say(one.title)), code(one.page), by=" · ")
        for one in remedies[: limits.rows]
    )
    return Section("remedies", words("report.remedies"), (Items(lines),) if lines else ())


def _columns(view: View, *names: str) -> tuple[str, ...]:
    return tuple(view.words(f"column.{name}") for name in names)


def _table(
    view: View, columns: tuple[str, ...], rows: Sequence[Row], count: int
) -> tuple[Block, ...]:
    """Return the table and how many rows were left out; nothing where there is none."""
    if not rows:
        return ()
    table = Table(columns, tuple(rows))
    if count <= len(rows):
        return (table,)
    return (table, Paragraph(soft(view.words("report.and_more", count=count - len(rows)))))
