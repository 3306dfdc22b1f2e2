"""The conclusion once more in a screenful, for whoever reads the end of a long report."""

from collections.abc import Sequence

from assistant.diagnosis.result import ChainLink, Diagnosis
from integrations.rendering.answer import confidence, failed_first, hung
from integrations.rendering.content import (
    Fact,
    Facts,
    Line,
    Section,
    join,
    refs,
    soft,
    strong,
    text,
)
from integrations.rendering.moments import write_delay
from integrations.rendering.propagation import longest_way, tell_condition
from integrations.rendering.view import View

_RULED_OUT = 1


def build_summary(view: View) -> Section | None:
    """Build the summary of a fault; None where there is none to sum up."""
    diagnosis = view.diagnosis
    if diagnosis is None or diagnosis.verdict != "fault" or not diagnosis.root_causes:
        return None
    facts = [
        *_roots(view, diagnosis),
        *_amplifiers(view),
        *failed_first(view),
        *_ruled_out(view, diagnosis),
        *hung(view),
        *_way(view, diagnosis),
    ]
    return Section("summary", view.words("report.summary"), (Facts(tuple(facts)),))


def _roots(view: View, diagnosis: Diagnosis) -> Sequence[Fact]:
    words = view.words
    return [
        Fact(words(f"report.{name}"), join(confidence(view, claim.confidence), said))
        for root in diagnosis.root_causes
        for name, claim, said in (
            ("where", root.where, strong(view.where(root))),
            ("why", root.why, join(strong(words.say(root.title)), refs(root.evidence, most=4))),
        )
    ]


def _amplifiers(view: View) -> Sequence[Fact]:
    label = view.words("report.amplified")
    return [
        Fact(label, join(
            strong(view.title(event.page)),
            soft(view.words("event.times", count=view.count_alike(event))),
            refs(view.cited_by(event), most=3),
        ))
        for event in view.amplifiers
    ]  # fmt: skip


def _ruled_out(view: View, diagnosis: Diagnosis) -> Sequence[Fact]:
    words = view.words
    return [
        Fact(
            words("report.ruled_out"),
            join(
                join(strong(words.say(one.title)), text(words.say(one.why)), by=" — "),
                refs(one.evidence, most=4),
            ),
        )
        for one in diagnosis.ruled_out[:_RULED_OUT]
    ]


def _way(view: View, diagnosis: Diagnosis) -> Sequence[Fact]:
    """Tell the longest way step by step, by condition."""
    way = longest_way(view)
    if not way:
        return []
    words = view.words
    label = words("report.chain")
    count = words("summary.links", count=len(diagnosis.chain), shown=len(way))
    first = view.event_by_id.get(way[0].source)
    begin = text(view.onset(first, day=not view.one_day)) if first else ()
    return [
        Fact(label, soft(count)),
        Fact(label, join(begin, tell_condition(view, way[0].source), by=" · ")),
        *(Fact(label, _link(view, link)) for link in way),
    ]


def _link(view: View, link: ChainLink) -> Line:
    delay = write_delay(link.delay_s, link.delay_uncertainty_s, view.words)
    told = join(text(delay), tell_condition(view, link.target), by=" · ")
    return join(told, refs(link.evidence, most=2), by=" · ")
