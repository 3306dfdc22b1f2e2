"""The ledger of what was and was not seen, written from captures and never by a model."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from assistant.event import ClockCorrection, Coverage, Event
from assistant.recognise import Recognised
from assistant.scope import SOURCE, tell
from assistant.sentences import say
from knowledge.bilingual import Bilingual
from tools.evidence import Citation, Evidence, Gap, Window
from tools.late_patterns import compile_late

_OUTCOME_STATE: Mapping[str, Literal["hung", "not_checked", "normal"]] = {
    "hung": "hung",
    "denied": "not_checked",
    "absent": "not_checked",
    "failed": "not_checked",
}
_SECONDS = compile_late(r"(?:^|after )(\d+(?:\.\d+)?)(?: s)?$", re.ASCII)
"""How a capture says how long it waited: in words, or as the bare number."""
_WHYS = 3
_SHOWN = 200
"""Characters of a line that the ledger shows."""
_GRAVEST = ("critical", "error", "warning", "info")


def write_ledger(
    evidence: Sequence[Evidence],
    gaps: Sequence[Gap],
    events: Sequence[Event],
    corrections: Sequence[ClockCorrection] = (),
    *,
    understood: Collection[str] | None = None,
) -> tuple[Coverage, ...]:
    """Return the ledger: one line per source and target, the worst state first.

    A source is abnormal where an event that is neither benign nor chronic cites it; a capture that
    was read and shows nothing of the kind is normal for the time it covers, and for no other. What
    was empty, or held nothing that pages speak of (it is not `understood`), shows nothing.
    """
    cited = _gravest(events)
    unread = {gap.evidence for gap in gaps}
    rows = [
        _line(item, cited.get(item.id), blank=_blank(item, understood))
        for item in put_right(evidence, corrections)
        if item.id in cited or item.id not in unread or not _says_nothing(item)
    ]
    rows += [_gap_line(gap) for gap in gaps]
    return _merged(rows)


def _gravest(events: Iterable[Event]) -> Mapping[str, Citation]:
    """Return by capture the place that tells of the gravest thing it shows; of equals the first."""
    alarming = (e for e in events if not (_is_quiet(e) or e.benign or e.chronic))
    found: dict[str, Citation] = {}
    for event in sorted(alarming, key=lambda e: (_GRAVEST.index(e.severity), -e.damage)):
        for citation in event.citations:
            found.setdefault(citation.evidence, citation)
    return found


def _is_quiet(event: Event) -> bool:
    """Tell whether an event claims nothing abnormal: context, or news that hurts nobody."""
    news = event.role == "change" and event.severity == "info" and not event.damage
    return news or event.role in {"benign", "context"}


def find_understood(recognised: Recognised, events: Iterable[Event]) -> frozenset[str]:
    """Return the captures that hold something that a page can speak of, found or not."""
    typed = (span.evidence for span in recognised.spans if span.channel != "text")
    looked = (seen.evidence for seen in recognised.seen)
    cited = (quote.evidence for event in events for quote in event.citations)
    named = (setting.citation.evidence for setting in recognised.settings)
    probed = (item.id for item in recognised.evidence if not _is_loose(item))
    return frozenset((*typed, *looked, *cited, *named, *probed))


def _is_loose(item: Evidence) -> bool:
    """Tell whether no command explains a file: that a page speaks of it is still to be seen."""
    return item.source == "file" or (item.source == "prometheus" and item.command == item.path)


def find_unjudged(recognised: Recognised, events: Iterable[Event]) -> frozenset[str]:
    """Return the captures of series of which no page speaks: a log is scanned for errors, not so.

    What a command printed and no reader knows is a gap of its own.
    """
    understood = find_understood(recognised, events)
    return frozenset(
        item.id
        for item in recognised.evidence
        if item.source != "file"
        and item.size
        and item.outcome == "ok"
        and item.id not in understood
    )


def _blank(item: Evidence, understood: Collection[str] | None) -> Bilingual | None:
    """Say why a capture that was read shows nothing, not even that all is well."""
    if item.outcome not in {"ok", "empty"}:
        return None
    if item.outcome == "empty" or (item.source == "file" and item.path and not item.size):
        return say("cover-empty")
    if understood is not None and item.id not in understood:
        return say("cover-unknown")
    return None


def _line(item: Evidence, cited: Citation | None, *, blank: Bilingual | None) -> Coverage:
    state: Literal["abnormal", "normal", "hung", "not_checked"]
    usual: Literal["normal", "not_checked"] = "not_checked" if blank else "normal"
    state = _OUTCOME_STATE.get(item.outcome, "abnormal" if cited else usual)
    reason = _tell_hang(item) if item.outcome == "hung" else None if cited else blank
    return Coverage(
        source=item.source,
        target=item.target or item.path or item.command,
        state=state,
        why=reason.en if reason else item.detail or _first_line(cited),
        reason=reason,
        since=item.window.since,
        until=item.window.until,
        evidence=(item.id,),
    )


def put_right(
    evidence: Sequence[Evidence], corrections: Iterable[ClockCorrection]
) -> tuple[Evidence, ...]:
    """Move the time that files cover to what their stamps mean, where their zone was concluded."""
    zones = {
        one.clock: timedelta(seconds=one.offset_s) for one in corrections if one.kind == "zone"
    }
    return tuple(_moved(item, zones.get(f"file:{item.id}")) for item in evidence)


def _moved(item: Evidence, offset: timedelta | None) -> Evidence:
    if not offset:
        return item
    since, until = (
        edge + offset if edge else None for edge in (item.window.since, item.window.until)
    )
    return item.model_copy(update={"window": Window(since=since, until=until)})


def _says_nothing(item: Evidence) -> bool:
    """Tell whether a capture without a hit shows no time: where it has a gap, that is all of it."""
    return item.outcome == "ok" and item.window == Window()


def _tell_hang(item: Evidence) -> Bilingual:
    """Say what hung and how long it was waited for: the command is the finding."""
    waited = _SECONDS.search(item.detail)
    if waited:
        return say("cover-hung", seconds=f"{float(waited[1]):g}", command=item.command)
    if item.detail:
        return say("cover-hung-why", why=item.detail, command=item.command)
    return say("cover-hung-plain", command=item.command)


def _first_line(cited: Citation | None) -> str:
    return shorten(cited.text.splitlines()[0]) if cited and cited.text else ""


def shorten(line: str) -> str:
    """Cut a long line in its middle: what failed stands at its beginning, and why at its end."""
    if len(line) <= _SHOWN:
        return line
    half = _SHOWN // 2
    return f"{line[:half].rstrip()} … {line[-half:].lstrip()}"


def _gap_line(gap: Gap) -> Coverage:
    return Coverage(
        source=gap.source,
        target=gap.target,
        state=gap.state,
        why=gap.why,
        reason=tell(gap) if gap.source == SOURCE else None,
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
        since, until = _hull(parts)
        whys = list(dict.fromkeys(p.why for p in parts if p.why))[:_WHYS]
        merged.append(
            parts[0].model_copy(
                update={
                    "since": since,
                    "until": until,
                    "why": "; ".join(whys),
                    "reason": _joined([p.reason for p in parts if p.reason]),
                    "evidence": tuple(e for p in parts for e in p.evidence),
                }
            )
        )
    return tuple(sorted(merged, key=lambda r: (_ORDER[r.state], r.source, r.target)))


def _hull(parts: Sequence[Coverage]) -> tuple[datetime | None, datetime | None]:
    """Return the time from the first to the last; never an end before its beginning.

    One part may have only a beginning and another only an end, and a clock that was set back
    makes a capture end before it began.
    """
    since = min((part.since for part in parts if part.since), default=None)
    until = max((part.until for part in parts if part.until), default=None)
    if since and until and since > until:
        return until, since
    return since, until


def _joined(reasons: Sequence[Bilingual]) -> Bilingual | None:
    distinct = list({reason.en: reason for reason in reasons}.values())[:_WHYS]
    if not distinct:
        return None
    return Bilingual(en="; ".join(r.en for r in distinct), zh="；".join(r.zh for r in distinct))
