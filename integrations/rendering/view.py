"""An Investigation as a reader asks for it: by id, by title, in one language."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from assistant.alarm import is_alarming
from assistant.coverage import put_right
from assistant.diagnosis.codes import said_codes
from assistant.diagnosis.result import Diagnosis, Hypothesis, RootCause
from assistant.event import Coverage, Event
from assistant.investigation import Investigation
from integrations.rendering.deciding import collect_deciding
from integrations.rendering.emptiness import explain
from integrations.rendering.excerpts import Excerpt, collect_excerpts
from integrations.rendering.inferred import infer_events
from integrations.rendering.moments import write_instant, write_span, write_stamp
from integrations.rendering.severity import rank_severity
from integrations.wording.words import Words
from knowledge.page import Page
from knowledge.postmortem import Postmortem
from tools.entity import Entity
from tools.evidence import Evidence

PLANES = ("control", "compute", "storage", "network", "workload")
_WENT_WRONG = ("hung", "denied", "failed")
_DIGEST_SHOWN = 12
_COVERAGE_ORDER = ("hung", "abnormal", "not_checked", "not_visible", "normal")


@dataclass(frozen=True)
class View:
    """One investigation, the pages it speaks of, the words to say it in, and past incidents."""

    investigation: Investigation
    pages: Mapping[str, Page]
    words: Words
    past: tuple[Postmortem, ...] = ()

    @property
    def diagnosis(self) -> Diagnosis | None:
        """The diagnosis; None while there is none."""
        return self.investigation.diagnosis

    @cached_property
    def events(self) -> Sequence[Event]:
        """All events in order of their onset."""
        return self.investigation.timeline.events

    @cached_property
    def event_by_id(self) -> Mapping[str, Event]:
        """Events by id, and the causes that were only inferred under the ids of the chain."""
        return {**self.inferred, **{event.id: event for event in self.events}}

    @cached_property
    def inferred(self) -> Mapping[str, Event]:
        """Causes that no evidence shows, as the chain names them."""
        return infer_events(self.investigation)

    @cached_property
    def evidence(self) -> Sequence[Evidence]:
        """All captures, each with the time that its stamps mean."""
        return put_right(self.investigation.evidence, self.investigation.timeline.corrections)

    @cached_property
    def excerpts(self) -> Mapping[str, Excerpt]:
        """Cited lines by evidence id."""
        return collect_excerpts(self.investigation)

    @cached_property
    def deciding(self) -> Mapping[str, Excerpt]:
        """The most telling of the cited lines, by evidence id."""
        return collect_deciding(self.investigation, self.pages)

    @cached_property
    def shown_events(self) -> Sequence[Event]:
        """The events a person wants in a timeline: all but harmless ones that nothing cites."""
        return [event for event in self.events if self.matters(event)]

    @cached_property
    def named_events(self) -> frozenset[str]:
        """Ids of the events that the chain, a root, an amplifier or the first anomaly names."""
        if (told := self.diagnosis) is None:
            return frozenset()
        linked = [end for link in told.chain for end in (link.source, link.target)]
        roots = [root.event for root in told.root_causes]
        return frozenset([*linked, *roots, *told.amplifiers, told.first_anomaly])

    @cached_property
    def amplifiers(self) -> Sequence[Event]:
        """The first event of each condition that spread the damage."""
        ids = self.diagnosis.amplifiers if self.diagnosis else ()
        return [self.event_by_id[one] for one in ids if one in self.event_by_id]

    def amplifies(self, event_id: str) -> bool:
        """Tell whether an event is of a condition that spread the damage."""
        event = self.event_by_id.get(event_id)
        return event is not None and event.page in {one.page for one in self.amplifiers}

    def alike(self, event: Event) -> tuple[Entity, ...]:
        """Everything for which the same condition was seen."""
        same = (one for one in self.shown_events if one.page == event.page)
        entities = (entity for one in same for entity in (one.members or (one.entity,)))
        return tuple({entity.key: entity for entity in entities}.values())

    def matters(self, event: Event) -> bool:
        """Tell whether `event` belongs in what people read, rather than in the JSON alone."""
        return event.id in self.named_events or event.role not in {"benign", "context"}

    def title(self, page: str) -> str:
        """The page's title, or its id where this handbook has no such page."""
        known = self.pages.get(page)
        return self.words.say(known.title) if known else page

    def codes(self, page: str) -> tuple[str, ...]:
        """The codes under which people know the condition."""
        known = self.pages.get(page)
        return known.codes if known else ()

    def name(self, entity: Entity) -> str:
        """Kind, identity and other names of an entity on one line."""
        kind = self.words(f"kind.{entity.kind}")
        if entity.id == entity.kind:  # there is one, and nobody gave it a name
            return kind
        told = entity.id.lower().startswith(kind.lower())  # a GPU's id says already that it is one
        shown = entity.id if told else f"{kind} {entity.id}"
        return f"{shown} ({', '.join(entity.names)})" if entity.names else shown

    def scope(self, scope: str) -> str:
        """Where cause and effect met, as words."""
        return self.words.table.get(f"scope.{scope}", scope)

    @cached_property
    def one_day(self) -> bool:
        """True when everything in the timeline began on one day, so that times can stand alone."""
        starts = [event.start for event in self.shown_events]
        return all(start.dated for start in starts) and len({s.utc.date() for s in starts}) == 1

    def label(self, event: Event) -> str:
        """Title, entity and number of an event on one line."""
        return f"{self.condition(event)} · {self.subject(event)}"

    def printed(self, event: Event) -> tuple[str, ...]:
        """The codes of an event's condition that its evidence prints."""
        page = self.pages.get(event.page)
        return said_codes(page, event) if page else ()

    def condition(self, event: Event) -> str:
        """The page's title, without a code that the evidence of this event does not print."""
        title = self.title(event.page)
        codes = self.codes(event.page)
        lead, mark, rest = re.match(r"([^:：]*)([:：]\s*)?(.*)", title, re.DOTALL).groups()  # type: ignore[union-attr]  # it always matches
        if not mark or lead not in codes or lead in self.printed(event):
            return title
        return rest[:1].upper() + rest[1:]

    def subject(self, event: Event) -> str:
        """The entity, and how many stand behind it."""
        name, count = self.name(event.entity), len(event.members)
        return f"{name} ({self.words('event.members', count=count)})" if count > 1 else name

    def count_alike(self, event: Event) -> int:
        """Count the entities for which the same condition was seen."""
        return self._entities_by_page.get(event.page, 1)

    @cached_property
    def _entities_by_page(self) -> Mapping[str, int]:
        found: dict[str, set[str]] = {}
        for event in self.shown_events:
            keys = {one.key for one in (event.members or (event.entity,))}
            found.setdefault(event.page, set()).update(keys)
        return {page: len(keys) for page, keys in found.items()}

    def page_of(self, event_id: str) -> str:
        """Return the page of an event, the id itself where it is not known."""
        event = self.event_by_id.get(event_id)
        return event.page if event else event_id

    def step(self) -> str:
        """Name the step that the work reached."""
        return self.words(f"step.{self.investigation.step}")

    def place(self, where: str) -> str:
        """Name where to run a check: a host as it is, a kind of place in words."""
        return self.words.table.get(f"place.{where}", where)

    def relation(self, one: Hypothesis) -> str:
        """Say how a hypothesis stands to the first where both are of one chain; else nothing."""
        first = self.diagnosis.hypotheses[0] if self.diagnosis else one
        if one.id == first.id or not first.event:
            return ""
        if first.event in one.explains:
            return self.words("differential.before", rank=first.rank)
        after = bool(one.event) and one.event in first.explains
        return self.words("differential.after", rank=first.rank) if after else ""

    def onset(self, event: Event, *, day: bool = False) -> str:
        """When it began, with every doubt about it."""
        shown = write_instant(event.start, self.words, day=day)
        if event.before_s and event.start.dated:
            span = write_span(event.before_s, self.words)
            shown += self.words("time.comma") + self.words("time.began_before", span=span)
        return shown

    def remarks(self, event: Event) -> tuple[str, ...]:
        """What to know about an event beside what it says."""
        words, diagnosis = self.words, self.diagnosis
        parent = diagnosis.collateral.get(event.id) if diagnosis else None
        found = (
            (diagnosis and event.id == diagnosis.first_anomaly, words("event.first")),
            (event.count > 1, words("event.times", count=event.count)),
            (event.fields.get("restarts"), self.restarts(event)),
            (parent, words("event.collateral", event=parent)),
            (event.chronic, words("event.chronic")),
            (event.known, words("event.known")),
            (event.benign, words("event.benign", why=event.benign)),
            (event.live, words("event.live")),
        )
        return tuple(text for holds, text in found if holds)

    def restarts(self, event: Event) -> str:
        """Say how often a container was started anew, and what it waits for; empty if unknown."""
        count, waiting = event.fields.get("restarts"), event.fields.get("waiting")
        if not count:
            return ""
        key = "event.restarted" if count != 1 else "event.restarted_one"
        told = self.words(key, count=count)
        return f"{waiting}, {told}" if waiting else told

    def cited_by(self, event: Event) -> tuple[str, ...]:
        """Ids of the evidence an event stands on, in order, each once."""
        return tuple(dict.fromkeys(quote.evidence for quote in event.citations))

    def against(self, hypothesis: Hypothesis) -> tuple[str, ...]:
        """What speaks against a hypothesis, as sentences."""
        events = ", ".join(hypothesis.contradicts)
        pages = ", ".join(map(self.title, hypothesis.missing))
        said = self.words("differential.contradicted", events=events) if events else ""
        lacks = self.words("differential.missing", pages=pages) if pages else ""
        return tuple(filter(None, (said, lacks))) or (self.words("differential.nothing_against"),)

    def headline(self) -> str:
        """The verdict in one sentence."""
        diagnosis = self.diagnosis
        if diagnosis is None:
            return self.words("report.no_diagnosis")
        if diagnosis.root_causes and diagnosis.verdict == "fault":
            left = {diagnosis.gravest_open}.intersection(diagnosis.unexplained)
            told = [self._tell_root(root) for root in diagnosis.root_causes]
            told += [self._place(e, "not_explained") for e in self.events if e.id in left]
            return self.words("report.join").join(told)
        if diagnosis.verdict == "inconclusive" and (diagnosis.root_causes or diagnosis.hypotheses):
            lead = next(iter(diagnosis.root_causes), None) or diagnosis.hypotheses[0]
            return self._tell_lead(self.words.say(lead.title), lead.entity)
        first = next((one for one in diagnosis.first_failing if one.event), None)
        if diagnosis.verdict == "inconclusive" and first:
            return self._tell_lead(self.title(self.event_by_id[first.event].page), first.entity)
        if diagnosis.verdict == "inconclusive" and self.worst:
            return self._tell_worst(self.worst)
        return self.explanation()

    @cached_property
    def worst(self) -> Event | None:
        """The event that did most damage, where any is alarming."""
        alarming = filter(is_alarming, self.events)
        return min(
            alarming, key=lambda e: (-e.damage, rank_severity(e.severity), e.earliest), default=None
        )

    @property
    def hurts(self) -> bool:
        """True where something went wrong and is not over for a reason that is known."""
        verdict = self.diagnosis.verdict if self.diagnosis else "inconclusive"
        return verdict != "healthy" and self.worst is not None

    def _tell_lead(self, title: str, entity: Entity) -> str:
        return self.words("verdict_text.lead", title=title, entity=self.name(entity))

    def _tell_worst(self, worst: Event) -> str:
        same = [event for event in self.events if event.page == worst.page and is_alarming(event)]
        told, count = self._place(worst, "unknown_cause"), max(len(same), worst.count)
        return f"{told}, {self.words('event.times', count=count)}" if count > 1 else told

    def _place(self, event: Event, key: str) -> str:
        title = self.condition(event)
        return self.words(f"verdict_text.{key}", title=title, entity=self.subject(event))

    def explanation(self) -> str:
        """Say what the verdict means where it names no cause, and what a healthy one leaves."""
        if self.diagnosis is None:
            return self.words("report.no_diagnosis")
        told = self.words(explain(self.investigation, self.diagnosis, self.worst))
        events = (self.event_by_id[one] for one in self.diagnosis.standing)
        left = self.words("report.join").join(self._place(one, "standing") for one in events)
        return told + self.words("verdict_text.to_mend", what=left) if left else told

    def _tell_root(self, root: RootCause) -> str:
        title, where = self.words.say(root.title), self.where(root)
        if self.diagnosis and root.confidence != self.diagnosis.confidence:
            where = f"{where} ({root.confidence})"
        return self.words("report.root", title=title, where=where)

    def where(self, root: RootCause) -> str:
        """Say where a root is; a bare id gets its kind, so that it reads as a thing."""
        told = self.words.say(root.where.text)
        kind = self.words(f"kind.{root.entity.kind}")
        bare = told.startswith(root.entity.id) and not told.lower().startswith(kind.lower())
        return f"{kind} {told}" if bare else told

    def recap(self) -> str:
        """Say verdict, confidence and cause on one line."""
        return " · ".join(filter(None, (self.verdict_words(), self.headline())))

    def verdict_words(self) -> str:
        """Say the verdict, and the contract's word of confidence where it says more."""
        if self.diagnosis is None:
            return ""
        verdict = self.words(f"verdict.{self.diagnosis.verdict}")
        word = self.diagnosis.confidence
        return verdict if verdict.upper() == word else f"{verdict} · {word}"

    def colophon(self) -> str:
        """Say when it was made and by what."""
        investigation = self.investigation
        product, handbook = investigation.versions.product, investigation.versions.handbook
        versions = self.words("report.versions", product=product, handbook=handbook[:_DIGEST_SHOWN])
        made = f"{self.words('report.generated')} {write_stamp(investigation.generated_at)}"
        return f"{made} · {versions}"

    def covered(self) -> Sequence[Coverage]:
        """The ledger, what hung and what is abnormal first."""
        return sorted(
            self.investigation.coverage,
            key=lambda line: (_COVERAGE_ORDER.index(line.state), line.source, line.target),
        )

    def reason(self, line: Coverage) -> str:
        """Why a line of the ledger says so, in the reader's language where we said it."""
        return self.words.say(line.reason) if line.reason else self.words.tell(line.why)

    def source(self, name: str) -> str:
        """Name a source in words where it has one of its own."""
        return self.words.table.get(f"source.{name}", name)

    def target(self, name: str) -> str:
        """Name what was looked at: a path by its file, which tells enough beside its source."""
        return name.rpartition("/")[2] or name if name.startswith("/") else name

    def clock(self, name: str) -> str:
        """Name a clock by what it stamps."""
        kind, _, of = name.partition(":")
        if kind == "file":
            paths = [item.path or item.command for item in self.evidence if item.id == of]
            of = paths[0].rpartition("/")[2] if paths else of
        return self.words(f"clock.{kind}", name=of) if kind in ("host", "file") and of else name

    def unseen(self) -> Sequence[Coverage]:
        """The lines of the ledger that nobody looked at, or nobody can."""
        return [line for line in self.covered() if line.state in ("not_checked", "not_visible")]

    def cited_evidence(self) -> Sequence[Evidence]:
        """The captures that something in the report names, and every one that went wrong."""
        named = self._named_evidence
        return [item for item in self.evidence if item.id in named or item.outcome in _WENT_WRONG]

    @cached_property
    def key_evidence(self) -> frozenset[str]:
        """Ids of what the conclusion itself stands on, rather than the timeline alone."""
        diagnosis = self.diagnosis
        if diagnosis is None:
            return frozenset()
        groups: tuple[Sequence[_Cites], ...] = (
            diagnosis.root_causes,
            diagnosis.chain,
            diagnosis.ruled_out,
            diagnosis.first_failing,
            diagnosis.changes,
        )
        stands = (one for group in groups for part in group for one in part.evidence)
        spread = (one for event in self.amplifiers for one in self.cited_by(event))
        return frozenset((*stands, *spread))

    @cached_property
    def root_evidence(self) -> frozenset[str]:
        """Ids of what the causes themselves stand on."""
        roots = self.diagnosis.root_causes if self.diagnosis else ()
        return frozenset(one for root in roots for one in root.evidence)

    @cached_property
    def _named_evidence(self) -> frozenset[str]:
        return self.key_evidence.union(self.excerpts)


class _Cites(Protocol):
    @property
    def evidence(self) -> tuple[str, ...]: ...
