"""The Investigation as the JSON document of the contract.

Keys are exactly the contract's; what is added beside them never changes their meaning. Nothing is
left out: what is not known is null or empty.
"""

import json
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from assistant.diagnosis.result import (
    ChainLink,
    Change,
    Diagnosis,
    FirstFailing,
    Hypothesis,
    Instruction,
    NextCheck,
    OfferedRemedy,
    RootCause,
    RuledOut,
    State,
)
from assistant.event import Coverage, Event
from assistant.identity import UNNAMED
from integrations.rendering.inferred import inferred_id
from integrations.rendering.moments import write_iso
from integrations.rendering.past import find_past, list_past
from integrations.rendering.unread import list_unread
from integrations.rendering.view import View
from integrations.wording.words import load_words
from tools.entity import Entity
from tools.evidence import Evidence, Instant, Window

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA_VERSION = "1"
Document = dict[str, object]


def render_json(view: View) -> str:
    """Render the whole document; sorted as the contract lists it."""
    document = build_document(view)
    try:
        # The same bytes as the standard library's own indenting, in half the time.
        return msgspec.json.format(json.dumps(document, ensure_ascii=False), indent=2)
    except (UnicodeEncodeError, msgspec.DecodeError):
        # A lone surrogate of a file's name, or a number that is none.
        return json.dumps(document, ensure_ascii=False, indent=2)


def build_document(view: View) -> Document:
    """Build the document of ``diagnose -o json``.

    Every id of an event in it stands in ``events`` or ``inferred_events``: of the latter are causes
    that nobody reported (``inferred:PAGE:ENTITY``), dated by what they brought about. A host that
    no line names has an id of its own; ``unnamed_hosts`` tells by which evidence it was seen.
    """
    investigation = view.investigation
    return {
        "schema_version": SCHEMA_VERSION,
        "incident": investigation.incident.id or None,
        **_verdict(view.diagnosis),
        "window": _window(investigation.window),
        "priority": _priority(view),
        "generated_at": write_iso(investigation.generated_at),
        "versions": investigation.versions.model_dump(),
        "cluster": investigation.cluster.model_dump(),
        "step": investigation.step,
        **_diagnosis(view),
        "similar": list_past(find_past(view), view.pages, view.words),
        "events": [_event(view, event) for event in view.events],
        "inferred_events": [_event(view, event) for event in view.inferred.values()],
        "unnamed_hosts": _unnamed_hosts(view),
        "coverage": [_coverage(line) for line in investigation.coverage],
        "evidence": [_evidence(view, item) for item in view.evidence],
        "answer": _answer(view),
    }


def _verdict(diagnosis: Diagnosis | None) -> Document:
    if diagnosis is None:
        return {"verdict": "inconclusive", "confidence": "INCONCLUSIVE"}
    return {"verdict": diagnosis.verdict, "confidence": diagnosis.confidence}


def _priority(view: View) -> Document | None:
    priority = view.investigation.priority
    if priority is None:
        return None
    return {
        "level": priority.level,
        "rule": priority.rule.en,
        "respond_by": _moment(priority.respond_by),
    }


def _diagnosis(view: View) -> Document:
    diagnosis = view.diagnosis or _nothing()
    say = view.words.say
    return {
        "state": _state(diagnosis.state),
        "impact": diagnosis.impact.model_dump(),
        "contain_now": [_instruction(view, one) for one in diagnosis.contain_now],
        "do_not": [_instruction(view, one) for one in diagnosis.do_not],
        "changes": [_change(change) for change in diagnosis.changes],
        "first_anomaly": diagnosis.first_anomaly or None,
        "root_causes": [_root(view, root) for root in diagnosis.root_causes],
        "hypotheses": [_hypothesis(view, one) for one in diagnosis.hypotheses],
        "chain": [_link(view, link) for link in diagnosis.chain],
        "amplifiers": list(diagnosis.amplifiers),
        "first_failing": [_first_failing(view, one) for one in diagnosis.first_failing],
        "ruled_out": [_ruled_out(view, one) for one in diagnosis.ruled_out],
        "unexplained": list(diagnosis.unexplained),
        "gravest_open": diagnosis.gravest_open or None,
        "standing": list(diagnosis.standing),
        "unread": [_event(view, event) for event in list_unread(view)],
        "collateral": dict(diagnosis.collateral),
        "caps": [say(cap) for cap in diagnosis.caps],
        "decided_by_unseen": diagnosis.decided_by_unseen,
        "missing_information": [
            {"what": say(one.what), "why": say(one.why)} for one in diagnosis.missing_information
        ],
        "next_checks": [_check(view, check) for check in diagnosis.next_checks],
        "remedies": [_remedy(view, one) for one in diagnosis.remedies],
    }


def _state(state: State) -> Document:
    return {"now": state.now, "as_of": _moment(state.as_of)}


def _nothing() -> Diagnosis:
    return Diagnosis.model_validate(
        {"verdict": "inconclusive", "confidence": "INCONCLUSIVE", "state": {"now": "unknown"}},
    )


def _instruction(view: View, one: Instruction) -> Document:
    say = view.words.say
    told = {"text": say(one.text), "why": say(one.why), "page": one.page or None}
    return {**told, "nodes": list(one.nodes)}


def _ruled_out(view: View, one: RuledOut) -> Document:
    return {
        "page": one.page,
        "title": one.title.model_dump(),
        "why": view.words.say(one.why),
        "evidence": list(one.evidence),
    }


def _check(view: View, check: NextCheck) -> Document:
    return {
        "id": check.id,
        "command": check.command,
        "where": check.where,
        "why": view.words.say(check.why),
        "tells_apart": list(check.tells_apart),
    }


def _remedy(view: View, one: OfferedRemedy) -> Document:
    return {
        "page": one.page,
        "id": one.id,
        "title": view.words.say(one.title),
        "stage": one.stage,
        "risk": one.risk,
        "badge": _badge(view, one.page),
    }


def _badge(view: View, page: str) -> str | None:
    """Tell whose a page is, where it is not shipped."""
    known = view.pages.get(page)
    return known.badge or None if known else None


def _change(change: Change) -> Document:
    return {
        "at": write_iso(change.at) if change.at else None,
        "what": change.what,
        "page": change.page,
        "entity": _entity(change.entity),
        "scope_match": change.scope_match,
        "evidence": list(change.evidence),
    }


def _root(view: View, root: RootCause) -> Document:
    say = view.words.say
    return {
        "hypothesis": root.hypothesis,
        "page": root.page,
        "badge": _badge(view, root.page),
        "codes": list(root.codes),
        "title": root.title.model_dump(),
        "layer": root.layer,
        "plane": root.plane,
        "entity": _entity(root.entity),
        "observed": root.observed,
        "confidence": root.confidence,
        "where": {"text": say(root.where.text), "confidence": root.where.confidence},
        "why": {"text": say(root.why.text), "confidence": root.why.confidence},
        "explains": list(root.explains),
        "contradicted_by": list(root.contradicted_by),
        "evidence": list(root.evidence),
        "event": root.event or _inferred(view, root.page, root.entity),
        "first_anomaly": root.first_anomaly or None,
        "state": _state(root.state) if root.state else None,
    }


def _hypothesis(view: View, one: Hypothesis) -> Document:
    return {
        "id": one.id,
        "rank": one.rank,
        "page": one.page,
        "codes": list(view.codes(one.page)),
        "title": one.title.model_dump(),
        "layer": one.layer,
        "plane": one.plane,
        "entity": _entity(one.entity),
        "event": one.event or _inferred(view, one.page, one.entity),
        "observed": one.observed,
        "score": one.score,
        "explains": list(one.explains),
        "kinds": one.kinds,
        "supports": list(one.supports),
        "contradicts": list(one.contradicts),
        "missing": list(one.missing),
        "would_tell": list(one.would_tell),
    }


def _inferred(view: View, page: str, entity: Entity) -> str | None:
    """Return the id under which the chain begins at a cause that nobody reported."""
    name = inferred_id(page, entity)
    return name if name in view.inferred else None


def _unnamed_hosts(view: View) -> Document:
    ids = {f"{UNNAMED}{item.id}".lower(): item.id for item in view.investigation.evidence}
    hosts = {a.id for event in view.events for a in event.anchors if a.kind == "node"}
    return {host: ids[host] for host in sorted(hosts & ids.keys())}


def _link(view: View, link: ChainLink) -> Document:
    return {
        "from": link.source,
        "to": link.target,
        "delay_s": link.delay_s,
        "delay_uncertainty_s": link.delay_uncertainty_s,
        "status": link.status,
        "scope": load_words("en").table.get(f"scope.{link.scope}", link.scope),
        "why": view.words.say(link.why) if link.why else None,
        "evidence": list(link.evidence),
    }


def _first_failing(view: View, one: FirstFailing) -> Document:
    return {
        "job": one.job,
        "entity": _entity(one.entity),
        "why": view.words.say(one.why),
        "evidence": list(one.evidence),
    }


def _event(view: View, event: Event) -> Document:
    return {
        "id": event.id,
        "page": event.page,
        "codes": list(view.printed(event)),
        "title": view.title(event.page),
        "role": event.role,
        "layer": event.layer,
        "plane": event.plane,
        "entity": _entity(event.entity),
        "members": [member.key for member in event.members],
        "severity": event.severity,
        "start": {**_instant(event.start), "before_s": event.before_s},
        "end": _instant(event.end) if event.end else None,
        "last": _instant(event.last),
        "count": event.count,
        "text": event.text,
        "fields": dict(event.fields),
        "chronic": event.chronic,
        "known": event.known,
        "benign": event.benign or None,
        "live": event.live,
        "evidence": list(view.cited_by(event)),
    }


def _coverage(line: Coverage) -> Document:
    return {
        "source": line.source,
        "target": line.target,
        "state": line.state,
        "why": line.why,
        "since": _moment(line.since),
        "until": _moment(line.until),
        "evidence": list(line.evidence),
    }


def _evidence(view: View, item: Evidence) -> Document:
    excerpt = view.excerpts.get(item.id)
    return {
        "id": item.id,
        "source": item.source,
        "command": item.command,
        "target": item.target,
        "cluster": item.cluster,
        "observed_at": _moment(item.observed_at),
        "window": _window(item.window),
        "outcome": item.outcome,
        "detail": item.detail,
        "path": item.path,
        "size": item.size,
        "sha256": item.sha256,
        "truncated": item.truncated,
        "live": item.live,
        "excerpt": excerpt.text if excerpt else "",
        "lines": excerpt.lines if excerpt else "",
    }


def _answer(view: View) -> Document:
    """Say the diagnosis as claims. No model spoke here, so the tokens are none."""
    roots: Sequence[RootCause] = view.diagnosis.root_causes if view.diagnosis else ()
    claims = [
        {
            "text": view.words.say(claim.text),
            "evidence": list(root.evidence),
            "supported": bool(root.evidence),
        }
        for root in roots
        for claim in (root.where, root.why)
    ]
    spoken = [view.words.say(claim.text) for root in roots for claim in (root.where, root.why)]
    return {
        "text": " ".join(spoken) or view.headline(),
        "claims": claims,
        "model": None,
        "tokens": {"in": 0, "out": 0},
    }


def _entity(entity: Entity) -> Document:
    return {"kind": entity.kind, "id": entity.id, "names": list(entity.names)}


def _instant(instant: Instant) -> Document:
    """Write a moment; without a date it is ten years unsure, and only its order counts."""
    return {
        "utc": write_iso(instant.utc),
        "uncertainty_s": instant.uncertainty_s,
        "zone": instant.zone,
        "original": instant.original,
    }


def _window(window: Window) -> Document:
    return {"since": _moment(window.since), "until": _moment(window.until)}


def _moment(moment: datetime | None) -> str | None:
    return write_iso(moment) if moment else None
