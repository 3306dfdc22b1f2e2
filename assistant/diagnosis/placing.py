"""Where an instruction holds: on the hosts of the fault that calls for it, and not on another's."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assistant.diagnosis.case import hosts_of
from assistant.diagnosis.findings import Finding
from assistant.diagnosis.graph import AT_FAULT
from assistant.diagnosis.hypotheses import Ranking
from assistant.diagnosis.result import Instruction
from assistant.event import Event
from knowledge.page import Page


@dataclass(frozen=True)
class Part:
    """A root with its whole propagation, precursors included."""

    root: Event
    own: Mapping[str, Event]
    """Events by id."""

    def calling(self, one: Instruction, pages: Mapping[str, Page]) -> list[Event]:
        """Return the events whose page gives the instruction."""
        names = {event.page for event in self.own.values()}
        wanted = {name for name in names if _gives(pages[name], one)}
        return [event for event in self.own.values() if event.page in wanted]


def part(findings: Iterable[Finding], ranking: Ranking) -> list[Part]:
    """Return what belongs to each root."""
    events = ranking.graph.events
    parts = []
    for finding in findings:
        names = [finding.candidate.id, *finding.candidate.reached]
        names += [link.source for link in finding.chain]
        parts.append(Part(finding.candidate.event, {n: events[n] for n in names}))
    return parts


def open_parts(names: Iterable[str], ranking: Ranking) -> list[Part]:
    """Return what is grave and that no root accounts for: it must be contained all the same."""
    events = [ranking.graph.events[name] for name in names]
    grave = (e for e in events if e.severity == "critical" and e.role in AT_FAULT)
    return [Part(event, {event.id: event}) for event in grave]


def place_advice(
    rows: Iterable[Instruction], parts: Sequence[Part], pages: Mapping[str, Page]
) -> tuple[Instruction, ...]:
    """Name the hosts on which the condition that calls for an instruction was seen.

    Beside another root a condition that nobody saw on a host holds where its fault was felt: one
    instruction must not be read as meant for what has nothing to do with it.
    """
    return tuple(_placed(one, parts, pages) for one in rows)


def place_cautions(
    rows: Iterable[Instruction], parts: Sequence[Part], pages: Mapping[str, Page]
) -> tuple[Instruction, ...]:
    """Name the hosts of each caution; none where another root may ask for what it forbids.

    A caution about a kind of thing is not meant for the things of that kind that are at fault by
    another root. One that holds nowhere else is not given.
    """
    kept = []
    for one in rows:
        placed = _placed(one, parts, pages)
        left = set(placed.nodes) - _excepted(one, parts, pages)
        if left or not placed.nodes:
            kept.append(placed.model_copy(update={"nodes": tuple(sorted(left))}))
    return tuple(kept)


def _placed(one: Instruction, parts: Sequence[Part], pages: Mapping[str, Page]) -> Instruction:
    found: set[str] = set()
    for each in parts:
        calling = each.calling(one, pages)
        nodes = hosts_of(calling)
        if calling and not nodes and len(parts) > 1:
            nodes = hosts_of(each.own.values())
        found |= nodes
    return one.model_copy(update={"nodes": tuple(sorted(found))})


def _excepted(one: Instruction, parts: Sequence[Part], pages: Mapping[str, Page]) -> set[str]:
    """Return the hosts on which a thing that a caution is about is at fault by another root."""
    about = _about(one, pages)
    giving = [each for each in parts if each.calling(one, pages)]
    shared = {name for each in giving for name in each.own}
    hosts: set[str] = set()
    for other in parts:
        if other.root.id in shared:
            continue
        faulty = [e for n, e in other.own.items() if n not in shared and e.role in AT_FAULT]
        hosts |= hosts_of(e for e in faulty if e.entity.kind in about)
    return hosts


def _gives(page: Page, one: Instruction) -> bool:
    return any(row.text.en == one.text.en for row in (*page.contain, *page.do_not))


def _about(one: Instruction, pages: Mapping[str, Page]) -> frozenset[str]:
    rows = (row for name in [one.page] if name in pages for row in pages[name].do_not)
    return frozenset(kind for row in rows if row.text.en == one.text.en for kind in row.about)
