"""The report as a terminal shows it: what matters, short enough to be read in an incident."""

from collections.abc import Sequence

from assistant.diagnosis.result import Hypothesis, NextCheck, RootCause
from integrations.rendering.answer import (
    amplifiers,
    confidence,
    failed_first,
    first_anomaly,
    hung,
    stand_of,
    tell_course,
    tell_lead,
    tell_reach,
    tell_root,
    urgency,
)
from integrations.rendering.content import (
    Block,
    Chain,
    Fact,
    Facts,
    Items,
    Line,
    Paragraph,
    Section,
    Table,
    code,
    join,
    refs,
    soft,
    strong,
    text,
)
from integrations.rendering.naming import show_places
from integrations.rendering.past import build_past_brief
from integrations.rendering.propagation import brief_steps
from integrations.rendering.remainder import build_remainder
from integrations.rendering.view import View

_STEPS, _HYPOTHESES, _CHECKS = 24, 4, 4


def build_brief(view: View) -> tuple[Section, ...]:
    """Build the sections that fit on a screen or three; what has nothing to say is left out."""
    builders = (_now, _verdict, _chain, _differential, _checks, build_past_brief, build_remainder)
    sections = (build(view) for build in builders)
    return tuple(section for section in sections if section and section.blocks)


def _now(view: View) -> Section:
    title = view.words("report.now")
    facts = [*stand_of(view, whys=False), *urgency(view)]
    return Section("now", title, (Facts(tuple(facts)),))


def _verdict(view: View) -> Section | None:
    words, diagnosis = view.words, view.diagnosis
    if diagnosis is None:
        return None
    facts: list[Fact] = []
    if not diagnosis.root_causes or diagnosis.verdict != "fault":
        sure = confidence(view, diagnosis.confidence)
        facts.append(Fact(words("report.verdict"), join(sure, text(view.explanation())), loud=True))
    facts += _roots(view, diagnosis.root_causes)
    if not diagnosis.root_causes and diagnosis.hypotheses:
        facts.append(tell_lead(view, diagnosis.hypotheses[0]))
    facts += [*first_anomaly(view), *amplifiers(view), *failed_first(view), *hung(view)]
    facts += [Fact(words("report.caps"), soft(words.say(cap))) for cap in diagnosis.caps]
    return Section("verdict", words("report.verdict"), (Facts(tuple(facts)),))


def _roots(view: View, roots: Sequence[RootCause]) -> list[Fact]:
    """Tell of each root where it is and where it began, and what holds for several of them once."""
    facts: list[Fact] = []
    for why in dict.fromkeys((root.why.confidence, root.why.text.en) for root in roots):
        alike = [root for root in roots if (root.why.confidence, root.why.text.en) == why]
        told = [tell_root(view, root) for root in alike]
        facts += [where for where, _ in told]
        facts += [reason for _, reason in told[:1]]
        facts += list(dict.fromkeys(fact for root in alike for fact in tell_course(view, root)))
    return facts


def _chain(view: View) -> Section | None:
    links = view.diagnosis.chain if view.diagnosis else ()
    steps = brief_steps(view, links)
    if not steps:
        return None
    blocks: list[Block] = [Chain(Table((), ()), tuple(steps[:_STEPS]))]
    if len(steps) > _STEPS:
        more = view.words("report.and_more", count=len(steps) - _STEPS)
        blocks.append(Paragraph(soft(more)))
    return Section("chain", view.words("report.chain"), tuple(blocks))


def _differential(view: View) -> Section | None:
    """Tell the alternatives; one alone differs from nothing."""
    words = view.words
    found = view.diagnosis.hypotheses if view.diagnosis else ()
    if len(found) < 2:  # noqa: PLR2004 -- one and another
        return None
    lines = tuple(_hypothesis(view, one) for one in found[:_HYPOTHESES])
    blocks: list[Block] = [Items(lines, ordered=True)]
    if len(found) > _HYPOTHESES:
        more = words("report.and_more", count=len(found) - _HYPOTHESES)
        blocks.append(Paragraph(soft(more)))
    return Section("differential", words("report.differential"), tuple(blocks))


def _hypothesis(view: View, one: Hypothesis) -> Line:
    words = view.words
    against = "; ".join(view.against(one)) if one.contradicts or one.missing else ""
    return join(
        strong(words.say(one.title)),
        text(view.name(one.entity)),
        () if one.observed else soft(words("differential.inferred")),
        join(text(tell_reach(view, one)), refs(one.supports, most=2)),
        text(against),
        soft(view.relation(one)) or _telling(view, one),
        by=" · ",
    )


def _telling(view: View, one: Hypothesis) -> Line:
    if not one.would_tell:
        return soft(view.words("differential.undecided"))
    return join(soft(view.words("differential.told_by")), refs(one.would_tell, most=3))


def _checks(view: View) -> Section | None:
    words = view.words
    checks = view.diagnosis.next_checks if view.diagnosis else ()
    facts = [Fact(check.id, _check(view, check)) for check in checks[:_CHECKS]]
    if len(checks) > _CHECKS:
        facts.append(Fact("", soft(words("report.and_more", count=len(checks) - _CHECKS))))
    return Section("next-checks", words("report.next_checks"), (Facts(tuple(facts)),) * bool(facts))


def _check(view: View, check: NextCheck) -> Line:
    where = soft(view.words("report.on", place=view.place(check.where))) if check.where else ()
    command = join(code(show_places(check.command)), where)
    return join(command, text(view.words.say(check.why)), by=" — ")
