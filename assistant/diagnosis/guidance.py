"""What follows for the operator: contain, do not, look next, answer, repair."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest

from assistant.alarm import is_alarming
from assistant.diagnosis.case import Case, counts, damaging, hosts_of, stops_for_good
from assistant.diagnosis.graph import Graph
from assistant.diagnosis.health import fell_silent, find_unread
from assistant.diagnosis.hypotheses import Candidate, Ranking
from assistant.diagnosis.platforms import find_platforms
from assistant.diagnosis.result import (
    ChainLink,
    Instruction,
    Missing,
    NextCheck,
    OfferedRemedy,
)
from assistant.event import Event
from assistant.sentences import say, say_both, say_with
from knowledge.bilingual import Bilingual
from knowledge.page import Advice, Check, Page
from tools.evidence import UNKNOWN_ZONE_S
from tools.late_patterns import compile_late

MOST_ADVICE = 5
MOST_CHECKS = 6
STAGES = ("isolate", "restore", "recover", "release", "verify")
_HOLE = compile_late(r"\{\w+\}", re.ASCII)
_NAMESPACED = ("pod", "job", "service", "volume")
_ON_HOST = ("disk", "nic")
_ADDRESS = compile_late(r"(?:.*/)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(\.\d)?$", re.ASCII)


def chain_pages(links: Sequence[ChainLink], roots: Sequence[Candidate], case: Case) -> list[Page]:
    """Return the pages along the propagation, roots first, then in order of the chain.

    Where no root is in sight, the worst symptoms speak for themselves.
    """
    events = {event.id: event for event in case.timeline.events}
    names = [root.event.page for root in roots]
    for link in links:
        names += [events[i].page for i in (link.source, link.target) if i in events]
    if not names:
        events_now = case.timeline.events
        hurt = [e for e in events_now if damaging(e)] or [e for e in events_now if is_alarming(e)]
        names = [e.page for e in sorted(hurt, key=lambda e: (-e.damage, e.earliest))]
    return [case.pages[name] for name in dict.fromkeys(names)]


def _instructions(pages: Iterable[Page], field: str) -> list[Instruction]:
    found: dict[str, Instruction] = {}
    for page in pages:
        rows: tuple[Advice, ...] = page.contain if field == "contain" else page.do_not
        for row in rows:
            found.setdefault(row.text.en, Instruction(text=row.text, why=row.why, page=page.id))
    return list(found.values())[:MOST_ADVICE]


def contain(pages: Iterable[Page]) -> list[Instruction]:
    """Return what contains the damage now."""
    return _instructions(pages, "contain")


def do_not(pages: Iterable[Page]) -> list[Instruction]:
    """Return what would make it worse."""
    return _instructions(pages, "do_not")


def remedies(pages: Iterable[Page]) -> list[OfferedRemedy]:
    """Return the pages' repairs in the order in which they may be done; R4 is never offered."""
    rows = [
        OfferedRemedy(page=page.id, id=r.id, title=r.title, stage=r.stage, risk=r.risk)
        for page in pages
        for r in page.remedies
        if r.risk != "R4"
    ]
    return sorted(rows, key=lambda row: STAGES.index(row.stage))


def _fill(check: Check, event: Event, around: Sequence[Event] = ()) -> str:
    """Write a check's command with the event's own places, else with those of its effects.

    What neither knows stays a placeholder.
    """
    values = _values(
        {a.kind: a.id for e in (*reversed(around), event) for a in reversed(e.anchors)}
    )
    values["mount"] = values["mount"] or _folder_of(event)
    words = []
    for word in check.command:
        filled = word
        for name, value in values.items():
            if value:
                filled = filled.replace("{" + name + "}", value)
        words.append(filled if "{" in filled else shlex.quote(filled))
    return " ".join(words)


def _values(places: Mapping[str, str]) -> dict[str, str]:
    """Spell things as programs take them: without the namespace or host that our names begin with.

    An empty value is not known.
    """
    owners = [places[kind].split("/", 1)[0] for kind in _NAMESPACED if "/" in places.get(kind, "")]
    path = places.get("mount", "").partition(":")[2]
    inner = {kind: places.get(kind, "").rsplit("/", 1)[-1] for kind in (*_NAMESPACED, *_ON_HOST)}
    return {
        **inner,
        "job": inner["job"].removeprefix("slurm:"),
        "node": places.get("node", ""),
        "gpu": _spell_gpu(places.get("gpu", "")),
        "namespace": next(iter(owners), ""),
        "server": places.get("storage_server", ""),
        "mount": path if path.startswith("/") else "",
    }


def _folder_of(event: Event) -> str:
    """Return the folder that an event names by a path: what is on its mount is asked for there.

    The file that could not be written is not there to be asked for.
    """
    path = str(event.fields.get("path") or "")
    if not path.startswith("/") or path.startswith("/dev/"):
        return ""
    return path.rpartition("/")[0] if "." in path.rpartition("/")[2] else path


def _spell_gpu(gpu: str) -> str:
    """Write a GPU as nvidia-smi takes it: its UUID, or its address without the host, whole."""
    address = _ADDRESS.match(gpu.lower())
    return f"{address[1]}{address[2] or '.0'}" if address else gpu


def next_checks(ranking: Ranking, roots: Sequence[Candidate], case: Case) -> list[NextCheck]:
    """Return the looks that tell most: between the leading hypotheses, then of the lead itself.

    A look that several of them ask for, and none to be told from another, separates nothing.
    """
    leads = list({c.id: c for c in [*roots, *ranking.leads[:3]]}.values())
    labels = ranking.labels
    rows: dict[str, NextCheck] = {}
    owners: dict[str, list[str]] = {}
    parted: dict[str, list[str]] = {}
    for lead in leads:
        page = case.pages[lead.event.page]
        around = [ranking.graph.events[name] for name in list(lead.reached)[:20]]
        told = {d.check: d for d in page.distinguish}
        ordered = sorted(page.checks, key=lambda c: c.id not in told)
        for check, command in _looks(ordered, lead.event, around, case)[:3]:
            other = told[check.id].other if check.id in told else ""
            own = [labels[lead.id]] if lead.id in labels else []
            owners.setdefault(command, []).extend(own)
            others = [labels[c.id] for c in ranking.leads if c.event.page == other][:2]
            if others:
                parted.setdefault(command, []).extend([*own, *others])
            why = told[check.id].means if check.id in told else check.tells
            place = _place(check, lead.event)
            rows.setdefault(command, NextCheck(id="", command=command, where=place, why=why))
    if not rows:
        rows = _symptom_checks(case, ranking.graph)
    return [
        row.model_copy(update={"id": f"c{i}", "tells_apart": _apart(row.command, owners, parted)})
        for i, row in enumerate(list(rows.values())[:MOST_CHECKS], 1)
    ]


def _looks(
    checks: Iterable[Check], event: Event, around: Sequence[Event], case: Case
) -> list[tuple[Check, str]]:
    """Return the looks that show more than was seen, each with its command.

    Those that can be run as they stand come before those that name what nobody knows.
    """
    platforms = find_platforms(case)
    useful = [check for check in checks if not _already_read(check, event, case)]
    filled = [(check, _fill(check, event, around)) for check in useful]
    found = [(check, command, _HOLE.search(command) is None) for check, command in filled]
    offered = [row for row in found if platforms.offer(row[0].command, whole=row[2])]
    return [(check, command) for check, command, _ in sorted(offered, key=lambda row: not row[2])]


def _apart(
    command: str, owners: Mapping[str, Sequence[str]], parted: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the hypotheses that a look separates; the one that it is about where it is one."""
    named = tuple(dict.fromkeys(parted.get(command, ())))
    own = tuple(dict.fromkeys(owners.get(command, ())))
    return named or (own if len(own) == 1 else ())


def _already_read(check: Check, event: Event, case: Case) -> bool:
    """Tell whether the state that a check would show is the one in which the event was seen."""
    if not check.sources or not event.channels <= {"reading"}:
        return False
    seen = {quote.evidence for quote in event.citations}
    return set(check.sources) <= {item.source for item in case.evidence if item.id in seen}


def _symptom_checks(case: Case, graph: Graph) -> dict[str, NextCheck]:
    """Return the checks of the symptoms themselves, where no root is in sight.

    Those that follow from nothing seen come first, the worst before the others: whatever lies
    behind them all is nearest there. One look of each, then their further ones while there is
    room, because what tells one meaning of a symptom from the next need not be its first look.
    """
    fresh = [event for event in case.timeline.events if counts(event)]
    telling = [event for event in fresh if event.severity != "info"]
    lasting = [*filter(stops_for_good, case.timeline.events), *find_unread(case)]
    ordered = sorted(
        telling or lasting or fresh,
        key=lambda e: (bool(graph.into.get(e.id)), -e.damage, e.earliest),
    )
    looks = [
        [(event, *look) for look in _looks(case.pages[event.page].checks, event, near, case)]
        for event in ordered[:20]
        for near in [_neighbours(event, graph)]
    ]
    rows: dict[str, NextCheck] = {}
    for event, check, command in (row for turn in zip_longest(*looks) for row in turn if row):
        look = NextCheck(id="", command=command, where=_place(check, event), why=check.tells)
        rows.setdefault(command, look)
    return rows


def _neighbours(event: Event, graph: Graph) -> list[Event]:
    """Return what an event may have brought about, then what may have brought it about."""
    names = [edge.effect for edge in graph.out.get(event.id, ())]
    names += [edge.cause for edge in graph.into.get(event.id, ())]
    return [graph.events[name] for name in names[:20]]


def _place(check: Check, event: Event) -> str:
    kind = {"server": "storage_server", "node": "node", "switch": "switch"}.get(check.where, "")
    named = next((a.id for a in event.anchors if a.kind == kind), "")
    return named or check.where


def missing_information(
    case: Case, roots: Sequence[Candidate], unhealthy: Sequence[str]
) -> list[Missing]:
    """Return what only the operator can add, each asked once.

    `unhealthy` are the reasons that forbid "healthy", where that is the open question.
    """
    boots = {e.clock for e in case.timeline.events if e.start.common_s > UNKNOWN_ZONE_S}
    asked = [
        (clock, "ask-boot" if clock in boots else "ask-zone")
        for clock in case.timeline.unresolved_zones[:3]
    ]
    rows = [
        Missing(what=say_with(key, clock=name_clock(clock, case)), why=say(f"{key}-why"))
        for clock, key in asked
    ]
    hurt = case.harm
    if any(event.plane == "workload" for event in hurt) and not _cause_known(roots):
        rows.append(Missing(what=say("ask-first-rank"), why=say("ask-first-rank-why")))
        rows.append(Missing(what=say("ask-retry"), why=say("ask-retry-why")))
    rows += _missing_logs(case, hurt, roots)
    rows += [
        Missing(what=say(f"ask-{reason}"), why=say(f"ask-{reason}-why"))
        for reason in unhealthy
        if reason in ASKED
    ]
    if "uncovered" in unhealthy and (silent := fell_silent(case)):
        ends = [f"{host} ({datetime.fromtimestamp(end, UTC):%H:%M:%SZ})" for host, end in silent]
        named = ", ".join(ends[:3]) + (" …" if len(ends) > 3 else "")  # noqa: PLR2004 - as below
        rows.append(Missing(what=say("ask-silent", nodes=named), why=say("ask-silent-why")))
    return rows


def name_clock(clock: str, case: Case) -> Bilingual:
    """Name a clock by its host, or by the file that it stamped."""
    kind, _, name = clock.partition(":")
    if kind == "host" and name:
        return say("clock-host", name=name)
    stamped = [e.citations[0].evidence for e in case.timeline.events
               if e.citations and clock in {e.clock, *e.clocks}]  # fmt: skip
    wanted = {name, *stamped[:1]}
    paths = [item.path or item.command for item in case.evidence if item.id in wanted]
    return say("clock-file", name=paths[0].rpartition("/")[2]) if paths else say_both(clock)


ASKED = frozenset(
    {"unread", "hung", "unseen", "uncovered", "no-progress", "stalled", "diverged", "slow"}
)
"""Reasons against "healthy" that more evidence could remove."""


def _cause_known(roots: Sequence[Candidate]) -> bool:
    return any(root.observed and root.event.role in {"root", "change"} for root in roots)


def _missing_logs(case: Case, hurt: Sequence[Event], roots: Sequence[Candidate]) -> list[Missing]:
    rows = []
    if hurt:
        dated = [event.earliest for event in hurt if event.start.dated]
        since = max(min(dated, default=case.since), case.since)
        nodes = sorted(hosts_of(hurt))
        # A kernel line that shows a fault was read, whatever its clock says; a hum shows none.
        shown = [e for e in case.timeline.events if "kernel" in e.channels and counts(e)]
        told = {a.id for event in shown for a in event.anchors}
        nodes = [node for node in nodes if node not in told]
        blind = [n for n in nodes if case.sight.covers("kernel", n, since, since + 60.0) == "no"]
        if blind:
            names = ", ".join(blind[:3]) + (" …" if len(blind) > 3 else "")  # noqa: PLR2004 - the three that are shown
            what = say("ask-kernel-log-undated", nodes=names)
            if dated:
                stamp = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                what = say("ask-kernel-log", nodes=names, since=stamp)
            rows.append(Missing(what=what, why=say("ask-kernel-log-why")))
    for root in roots:
        if not root.observed and root.event.entity.kind == "storage_server":
            stamp = root.event.start.utc.strftime("%Y-%m-%dT%H:%M:%SZ")
            rows.append(
                Missing(
                    what=say("ask-server-log", server=root.event.entity.id, since=stamp),
                    why=say("ask-server-log-why"),
                )
            )
    return rows
