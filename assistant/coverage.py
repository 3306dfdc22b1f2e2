"""The ledger of what was and was not seen, written from captures and never by a model."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from assistant.event import Coverage, Event
from tools.evidence import Evidence, Gap

_OUTCOME_STATE: Mapping[str, Literal["hung", "not_checked", "normal"]] = {
    "hung": "hung",
    "denied": "not_checked",
    "absent": "not_checked",
    "failed": "not_checked",
}


def write_ledger(
    evidence: Sequence[Evidence], gaps: Sequence[Gap], events: Sequence[Event]
) -> tuple[Coverage, ...]:
    """Return the ledger: one line per source and target, the worst state first.

    A source is abnormal where an event that is neither benign nor chronic cites it; a capture that
    was read and shows nothing of the kind is normal for the time it covers, and for no other.
    """
    cited: dict[str, Event] = {}
    for event in events:
        if event.benign or event.chronic or event.role in {"benign", "context"}:
            continue
        for citation in event.citations:
            cited.setdefault(citation.evidence, event)
    rows = [_line(item, cited.get(item.id)) for item in evidence]
    rows += [_gap_line(gap) for gap in gaps]
    return _merged(rows)


def _line(item: Evidence, event: Event | None) -> Coverage:
    state: Literal["abnormal", "normal", "hung", "not_checked"]
    state = _OUTCOME_STATE.get(item.outcome, "abnormal" if event else "normal")
    return Coverage(
        source=item.source,
        target=item.target or item.path or item.command,
        state=state,
        why=item.detail or (event.text.splitlines()[0][:160] if event and event.text else ""),
        since=item.window.since,
        until=item.window.until,
        evidence=(item.id,),
    )


def _gap_line(gap: Gap) -> Coverage:
    return Coverage(
        source=gap.source,
        target=gap.target,
        state=gap.state,
        why=gap.why,
        since=gap.window.since,
        until=gap.window.until,
        evidence=(gap.evidence,) if gap.evidence else (),
    )


_ORDER = {"hung": 0, "abnormal": 1, "not_visible": 2, "not_checked": 3, "normal": 4}


def _merged(rows: Iterable[Coverage]) -> tuple[Coverage, ...]:
    groups: dict[tuple[str, str, str], list[Coverage]] = defaultdict(list)
    for row in rows:
        groups[row.source, row.target, row.state].append(row)
    merged = []
    for parts in groups.values():
        since = [p.since for p in parts if p.since]
        until = [p.until for p in parts if p.until]
        whys = list(dict.fromkeys(p.why for p in parts if p.why))
        merged.append(
            parts[0].model_copy(
                update={
                    "since": min(since, default=None),
                    "until": max(until, default=None),
                    "why": "; ".join(whys[:3]),
                    "evidence": tuple(e for p in parts for e in p.evidence),
                }
            )
        )
    return tuple(sorted(merged, key=lambda r: (_ORDER[r.state], r.source, r.target)))
