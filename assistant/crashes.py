"""A boot that no shutdown preceded: its host went down after the last line before it."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from assistant.event import Event, FieldValue
from assistant.repair import A_BOOT, GOING_DOWN
from assistant.seats import BOOTED
from tools.boots import SILENCE
from tools.evidence import Record


def silence_of(record: Record) -> Mapping[str, FieldValue]:
    """Return for how long a host had not written when its kernel said its first word."""
    told = record.fields.get(SILENCE, "") if record.channel == "kernel" else ""
    return {SILENCE: float(told)} if told.replace(".", "", 1).isdigit() else {}


def begin_with_silence(events: Sequence[Event]) -> list[Event]:
    """Let a crash have begun anywhere between a host's last line and the first of its next boot.

    Whoever was told to go down did not crash, though another log than its own may say so.
    """
    ordered = [e for e in events if GOING_DOWN in e.fields]
    return [_widened(e, ordered) if SILENCE in e.fields else e for e in events]


def _widened(event: Event, ordered: Sequence[Event]) -> Event:
    silence = event.fields[SILENCE]
    if event.page != BOOTED or not isinstance(silence, float):
        return event
    if any(_told(other, event, silence) for other in ordered):
        fields = {name: value for name, value in event.fields.items() if name != SILENCE}
        return event.model_copy(update={"fields": fields})
    return event.model_copy(update={"before_s": max(event.before_s, silence)})


def _told(order: Event, boot: Event, silence: float) -> bool:
    since = boot.start.utc - timedelta(seconds=silence) - A_BOOT
    nodes = {a.id for a in boot.anchors if a.kind == "node"}
    asked = any(a.kind == "node" and a.id in nodes for a in order.anchors)
    return asked and since <= order.start.utc <= boot.last.utc
