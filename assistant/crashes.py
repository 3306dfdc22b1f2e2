"""A boot that no shutdown preceded: its host went down after the last line before it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from assistant.burst import Burst
from assistant.event import Event, FieldValue
from assistant.ledger import Spanned
from assistant.repair import A_BOOT, GOING_DOWN
from assistant.seats import BOOTED
from tools.boots import LAST_WORDS_S, OWN_S, SILENCE
from tools.evidence import Ending, Record


def silence_of(record: Record) -> Mapping[str, FieldValue]:
    """Return for how long a host had not written when its kernel said its first word."""
    told = record.fields.get(SILENCE, "") if record.channel == "kernel" else ""
    return {SILENCE: float(told)} if told.replace(".", "", 1).isdigit() else {}


def hear_last_boots(bursts: list[Burst], spans: Sequence[Spanned]) -> list[Burst]:
    """Return bursts, noting of a boot that begins a file since when another of its host ended.

    A file for each boot, or a log that was rotated, tells the old boot's end apart from the new
    one's beginning. What ended longer ago than a boot takes may have been followed by what is lost.
    """
    boots = [b for b in bursts if b.page == BOOTED and "kernel" in b.channels]
    by_host: dict[str, list[Spanned]] = defaultdict(list)
    for span in spans if boots else ():
        if span.channel in {"service", "kernel"} or span.ending:
            by_host[span.host].append(span)
    for burst in boots:
        silence = _since_last_file(burst, by_host.get(burst.entity[1], ()))
        if 0.0 < silence <= A_BOOT.total_seconds():
            burst.fields.setdefault(SILENCE, silence)
    return bursts


def _since_last_file(boot: Burst, own: Iterable[Spanned]) -> float:
    """Return the seconds since a file of the host's services ended; 0 where none is known to.

    A log that runs through the boot tells by itself what came before it. One that ends with the
    words of a shutdown was no crash, and one of a single daemon may have ended with that daemon.
    """
    began = boot.first.utc
    ended: dict[str, float] = {}
    endings: dict[str, Ending] = {}
    for span in own:
        endings[span.evidence] = span.ending or endings.get(span.evidence, "")
        if span.first is None or span.last is None or span.last.zone != boot.first.zone:
            continue
        gap = (began - span.last.utc).total_seconds()
        if gap <= 0.0 and (began - span.first.utc).total_seconds() > OWN_S:
            return 0.0
        if gap > 0.0 and span.channel == "service":
            ended[span.evidence] = min(gap, ended.get(span.evidence, gap))
    silence = min((gap for name, gap in ended.items() if endings[name] == "cut"), default=0.0)
    orderly = (gap for name, gap in ended.items() if endings[name] == "orderly")
    return 0.0 if any(gap <= silence + LAST_WORDS_S for gap in orderly) else silence


def begin_with_silence(events: Sequence[Event]) -> list[Event]:
    """Let a crash have begun anywhere between a host's last line and the first of its next boot.

    Whoever was told to go down did not crash, though another log than its own may say so.
    """
    ordered = [e for e in events if GOING_DOWN in e.fields]
    boots = [e for e in events if e.page == BOOTED and "kernel" in e.channels]
    return [_widened(e, ordered, boots) if SILENCE in e.fields else e for e in events]


def _widened(event: Event, ordered: Sequence[Event], boots: Sequence[Event]) -> Event:
    silence = event.fields[SILENCE]
    if event.page != BOOTED or not isinstance(silence, float):
        return event
    told = (other for other in ordered if _told(other, event, silence))
    if any(not _is_carried_out(order, event, boots) for order in told):
        fields = {name: value for name, value in event.fields.items() if name != SILENCE}
        return event.model_copy(update={"fields": fields})
    return event.model_copy(update={"before_s": max(event.before_s, silence)})


def _is_carried_out(order: Event, boot: Event, boots: Iterable[Event]) -> bool:
    """Tell whether the host had booted after an order before this boot, which has another cause."""
    earlier = (one for one in boots if one is not boot and _nodes(one) & _nodes(boot))
    return any(order.start.utc <= one.last.utc < boot.start.utc for one in earlier)


def _nodes(event: Event) -> set[str]:
    return {anchor.id for anchor in event.anchors if anchor.kind == "node"}


def _told(order: Event, boot: Event, silence: float) -> bool:
    since = boot.start.utc - timedelta(seconds=silence) - A_BOOT
    return bool(_nodes(order) & _nodes(boot)) and since <= order.start.utc <= boot.last.utc
