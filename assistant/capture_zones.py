"""The zone of a log without one, from when it was captured.

No line is stamped after its file was captured, and a busy log's last line is only moments older
than the capture: the difference is its zone, a whole quarter of an hour.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from assistant.event import ClockCorrection
from assistant.ledger import Spanned
from tools.evidence import UNKNOWN_ZONE_S, Evidence, Instant

QUARTER_S = 900
_BUSY_LINES = 50
_BUSY_GAP_S = 120.0
"""A log with a longer mean pause may have been silent for a quarter of an hour."""
_AFTER_S = 30.0
_BEFORE_S = 420.0
"""How much later or earlier than the capture the last line of a busy log may be."""


def zones_by_capture(spans: Iterable[Spanned], evidence: Iterable[Evidence]) -> dict[str, float]:
    """Return, by evidence, the seconds to add to stamps without a zone."""
    captured = {item.id: item.observed_at for item in evidence if item.observed_at is not None}
    by_evidence: dict[str, list[Spanned]] = defaultdict(list)
    for span in spans:
        zoneless = span.last is not None and span.last.zone == "unknown"
        if span.evidence in captured and zoneless and not _is_boot_clock(span):
            by_evidence[span.evidence].append(span)
    found: dict[str, float] = {}
    for name, parts in by_evidence.items():
        last = max(part.last.utc for part in parts if part.last is not None)
        apart = (captured[name] - last).total_seconds()
        zone = round(apart / QUARTER_S) * QUARTER_S
        near = -_AFTER_S <= apart - zone <= _BEFORE_S and abs(zone) <= UNKNOWN_ZONE_S
        if near and _is_busy(parts):
            found[name] = zone
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
    if moment.zone != "unknown":
        return moment
    own = moment.uncertainty_s - moment.common_s
    return Instant(moment.utc + timedelta(seconds=seconds), own, "assumed", moment.original)


def _is_boot_clock(span: Spanned) -> bool:
    """A clock that counts from a boot of unknown time differs from UTC by anything."""
    return span.last is not None and span.last.common_s > UNKNOWN_ZONE_S


def _is_busy(parts: Sequence[Spanned]) -> bool:
    lines = sum(part.lines for part in parts)
    first = min(part.first.utc for part in parts if part.first is not None)
    last = max(part.last.utc for part in parts if part.last is not None)
    return lines >= _BUSY_LINES and (last - first).total_seconds() <= lines * _BUSY_GAP_S
