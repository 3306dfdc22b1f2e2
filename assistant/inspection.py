"""Judges inspections over what was read: one engine for a live look and for bundles.

What was not seen is unknown, never well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from assistant.inspection_conditions import literals_of
from assistant.inspection_facts import add_facts
from assistant.inspection_seen import Seen, see
from assistant.inspection_text import fields_of, fill_both, not_seen, not_told
from assistant.inspection_things import Found, Thing, find_things
from assistant.trend import judge_trend
from knowledge.bilingual import Bilingual
from knowledge.catalog import Catalog
from knowledge.conditions import holds, lookup
from knowledge.inspection import (
    AnyLook,
    Inspection,
    Level,
    LineLook,
    Look,
    ReadingLook,
    TrendLook,
    queries_of,
)
from tools.evidence import Evidence, Item, Window
from tools.request import Query, Request

EXIT_CODES: Mapping[Level, int] = {"ok": 0, "warning": 1, "critical": 2, "unknown": 3}
"""Of the Nagios plugin interface."""
_WORST: Sequence[Level] = ("ok", "unknown", "warning", "critical")
"""What is known to be wrong stands above what is not known."""
TREND_STEP_S = 3600.0
_NO_METRICS = "no answer of a metrics server is in the evidence"
Value = str | float | int | bool | None


class Finding(BaseModel):
    """How one thing is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: str
    host: str = ""
    level: Level
    text: Bilingual
    why: str = ""
    """Why it was not seen, as the capture says it."""
    values: dict[str, Value] = {}
    evidence: tuple[str, ...] = ()


class Answer(BaseModel):
    """One inspection with its findings, the worst first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    inspection: Inspection
    level: Level
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> tuple[Finding, ...]:
        """The findings that made the level."""
        return tuple(each for each in self.findings if each.level == self.level)


class Round(BaseModel):
    """All answers of one round."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    as_of: datetime
    answers: tuple[Answer, ...]
    evidence: tuple[Evidence, ...] = ()
    """The captures that findings cite."""

    @property
    def level(self) -> Level:
        """The worst level."""
        return worst(each.level for each in self.answers)

    @property
    def exit_code(self) -> int:
        """The Nagios code."""
        return EXIT_CODES[self.level]


def worst(levels: Iterable[Level]) -> Level:
    """Return the worst; of nothing nothing is known."""
    return max(levels, key=_WORST.index, default="unknown")


def build_inspection_request(
    inspections: Sequence[Inspection], window: Window, catalog: Catalog | None = None
) -> Request:
    """Ask for what the inspections judge, and for the lines that the handbook is asked about."""
    looks = [look for each in inspections for look in each.looks]
    literals = {text for look in looks if isinstance(look, LineLook) for text in look.literals}
    literals |= literals_of(catalog, inspections) if catalog is not None else set()
    weekly = {look.query for look in looks if isinstance(look, TrendLook)}
    return Request(
        literals=tuple(sorted(literals)),
        queries=tuple(
            Query(name=name, expr=expr, step_s=TREND_STEP_S if name in weekly else None)
            for name, expr in sorted(queries_of(inspections).items())
        ),
        window=window,
    )


def inspect(
    items: Iterable[Evidence | Item],
    inspections: Sequence[Inspection],
    *,
    gpus_per_node: int = 0,
    catalog: Catalog | None = None,
) -> Round:
    """Judge all inspections over what was read; the `catalog` tells what lines show."""
    seen = see(items, inspections, catalog)
    add_facts(seen, gpus_per_node)
    answers = tuple(_answer(each, seen) for each in inspections)
    cited = {name for each in answers for found in each.findings for name in found.evidence}
    captures = tuple(one for name, one in seen.evidence.items() if name in cited)
    return Round(as_of=seen.as_of, answers=answers, evidence=captures)


def _answer(inspection: Inspection, seen: Seen) -> Answer:
    findings = _without_answered([list(_judge(look, seen)) for look in inspection.looks])
    findings.sort(key=lambda each: -_WORST.index(each.level))
    level = worst(each.level for each in findings)
    return Answer(inspection=inspection, level=level, findings=tuple(findings))


def _without_answered(by_look: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Drop what one look did not see and another did; of looks that all saw nothing keep one."""
    findings = [each for look in by_look for each in look]
    known = {each.host for each in findings if each.level != "unknown"}
    if not known:
        return list(by_look[0])
    return [
        each
        for each in findings
        if each.level != "unknown" or (each.host and each.host not in known)
    ]


def _judge(look: AnyLook, seen: Seen) -> Iterator[Finding]:
    if isinstance(look, TrendLook):
        yield from (
            Finding(subject=one.subject, host=one.host, level=one.level, text=one.text,
                    values=dict(one.values), evidence=one.evidence)
            for one in judge_trend(look, seen)
        )  # fmt: skip
        return
    found = find_things(look, seen)
    if not found.read:
        why = _why(look, seen)
        yield Finding(subject="-", level="unknown", text=not_seen(why), why=why)
        return
    yield from (_judge_thing(look, thing) for thing in found.things)
    if not found.things and look.none:
        yield Finding(subject="-", level="ok", text=look.none)
    elif not found.things:
        yield Finding(subject="-", level="unknown", text=not_seen())
    yield from _unseen_hosts(look, seen, found)


def _judge_thing(look: Look, thing: Thing) -> Finding:
    for rule in look.rules:
        if all(holds(test, thing.values, top=thing.top) for test in rule.when):
            return _finding(thing, rule.level, rule.text)
    untold = tuple(name for name in look.needs if lookup(thing.values, name, top=thing.top) is None)
    if untold:
        text = fill_both(look.untold, thing.values, thing.top) if look.untold else not_told(untold)
        return Finding(
            subject=thing.subject, host=thing.host, level="unknown", text=text,
            evidence=thing.evidence,
        )  # fmt: skip
    return _finding(thing, "ok", look.good)


def _finding(thing: Thing, level: Level, text: Bilingual) -> Finding:
    values: dict[str, Value] = {}
    for name in fields_of(text.en):
        value = lookup(thing.values, name, top=thing.top)
        values[name] = value if isinstance(value, str | float | int | bool) else None
    return Finding(
        subject=thing.subject,
        host=thing.host,
        level=level,
        text=fill_both(text, thing.values, thing.top),
        values=values,
        evidence=thing.evidence,
    )


def _unseen_hosts(look: Look, seen: Seen, found: Found) -> Iterator[Finding]:
    """Say of which hosts a reading is missing that others gave."""
    if not isinstance(look, ReadingLook):
        return
    expected = seen.gpu_hosts if look.among == "gpu_hosts" else seen.hosts
    for host in sorted(expected - found.hosts):
        why = _why(look, seen, host)
        yield Finding(subject=host, host=host, level="unknown", text=not_seen(why), why=why)


def _why(look: Look, seen: Seen, host: str = "") -> str:
    """Tell from the captures why a look saw nothing."""
    commands = tuple(action.command.split(" {")[0] for action in look.actions)
    for each in seen.evidence.values():
        at_host = not host or each.target == host
        if at_host and each.command.startswith(commands) and each.outcome not in ("ok", "empty"):
            return f"{each.command}: {each.detail or each.outcome}"
    if all(action.where == "metrics" for action in look.actions):
        return _why_no_metrics(seen)
    programs = tuple(f"{command.split(' ')[0]} " for command in commands)
    refused = (one for one in seen.evidence.values() if one.outcome not in ("ok", "empty"))
    tried = (one for one in refused if one.command.startswith(programs) and not host)
    return next((f"{one.command}: {one.detail or one.outcome}" for one in tried), "")


def _why_no_metrics(seen: Seen) -> str:
    answers = [each for each in seen.evidence.values() if each.source == "prometheus"]
    told = (each.detail for each in answers if each.detail and each.outcome != "ok")
    return next(told, "" if answers else _NO_METRICS)
