"""The zone of a log without one, from when it was captured.

No line is stamped after its file was captured, and a busy log's last line is only moments older
than the capture: the difference is its zone, a whole quarter of an hour.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assistant.event import ClockCorrection
from assistant.ledger import Spanned
from assistant.zones import QUARTER_S, Captures, Written
from tools.evidence import UNKNOWN_ZONE_S, Evidence, Instant, Zone

_BUSY_LINES = 50
_BUSY_GAP_S = 120.0
"""A log with a longer mean pause may have been silent for a quarter of an hour."""
_STEADY_GAP_S = 30.0
"""Only a log with a shorter mean pause tells a zone of half hours, which are rare, from silence."""
_ODD_ZONES_MIN = frozenset({-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825})
"""Zones in use that are no whole hours from UTC, in minutes: any other difference is silence."""
_AFTER_S = 30.0
_BEFORE_S = 420.0
"""How much later or earlier than the capture the last line of a busy log may be."""


def capture_times(evidence: Iterable[Evidence]) -> dict[str, datetime]:
    """Return when each capture that says so was taken."""
    return {item.id: item.observed_at for item in evidence if item.observed_at is not None}


def learn_captures(spans: Iterable[Spanned], evidence: Iterable[Evidence]) -> Captures:
    """Return what the times of captures tell of zones, unknown or stated by the operator."""
    spans, times = list(spans), capture_times(evidence)
    return Captures(
        zones=zones_by_capture(spans, times),
        misses=zones_by_capture(spans, times, zone="assumed"),
        times=times,
        begun=_begun(spans),
    )


def _begun(spans: Iterable[Spanned]) -> dict[Written, datetime]:
    """Return the first stamp of each host's clock in each capture, where it names its zone."""
    found: dict[Written, datetime] = {}
    for span in spans:
        if span.first is not None and span.first.zone == "stated":
            key, moment = (f"host:{span.host}", span.evidence), span.first.utc
            found[key] = min(found.get(key, moment), moment)
    return found


def zones_by_capture(
    spans: Iterable[Spanned], captured: Mapping[str, datetime], *, zone: Zone = "unknown"
) -> dict[str, float]:
    """Return, by evidence, the seconds to add to stamps whose zone is known in this way."""
    by_evidence: dict[str, list[Spanned]] = defaultdict(list)
    for span in spans:
        wanted = span.last is not None and span.last.zone == zone
        if span.evidence in captured and wanted and not _is_boot_clock(span):
            by_evidence[span.evidence].append(span)
    found: dict[str, float] = {}
    for name, parts in by_evidence.items():
        last = max(part.last.utc for part in parts if part.last is not None)
        apart = (captured[name] - last).total_seconds()
        whole = round(apart / QUARTER_S) * QUARTER_S
        near = -_AFTER_S <= apart - whole <= _BEFORE_S and _is_in_use(-whole)
        pause = _BUSY_GAP_S if whole % 3600 == 0 else _STEADY_GAP_S
        if near and _is_busy(parts, pause):
            found[name] = whole
    return found


def align_spans(
    spans: Iterable[Spanned], corrections: Sequence[ClockCorrection]
) -> tuple[Spanned, ...]:
    """Put the stretches read from files without a zone to where their zone says."""
    zones = {
        name: correction.offset_s
        for correction in corrections
        if correction.kind == "zone"
        for name in correction.evidence[-1:]
    }
    return tuple(_aligned(span, zones) for span in spans)


def _aligned(span: Spanned, zones: Mapping[str, float]) -> Spanned:
    if span.evidence not in zones or span.first is None or span.last is None:
        return span
    seconds = zones[span.evidence]
    return replace(span, first=_moved(span.first, seconds), last=_moved(span.last, seconds))


def _moved(moment: Instant, seconds: float) -> Instant:
    if moment.zone == "stated":
        return moment
    own = moment.uncertainty_s - moment.common_s
    return Instant(moment.utc + timedelta(seconds=seconds), own, "assumed", moment.original)


def _is_boot_clock(span: Spanned) -> bool:
    """A clock that counts from a boot of unknown time differs from UTC by anything."""
    return span.last is not None and span.last.common_s > UNKNOWN_ZONE_S


def _is_in_use(zone_s: float) -> bool:
    """Tell whether people live by such a zone, in seconds east of UTC."""
    whole = zone_s % 3600 == 0 and abs(zone_s) <= UNKNOWN_ZONE_S
    return whole or zone_s / 60 in _ODD_ZONES_MIN


def _is_busy(parts: Sequence[Spanned], pause_s: float) -> bool:
    lines = sum(part.lines for part in parts)
    first = min(part.first.utc for part in parts if part.first is not None)
    last = max(part.last.utc for part in parts if part.last is not None)
    return lines >= _BUSY_LINES and (last - first).total_seconds() <= lines * pause_s
