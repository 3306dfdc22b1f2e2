"""Which entity a match speaks of, and what else it touches."""

import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.alert_labels import hostless, labelled
from assistant.identity import UNNAMED, normalise
from assistant.relations import pod_of
from assistant.topology import Key
from knowledge.conditions import as_text, lookup
from knowledge.matching import Match
from knowledge.page import Page, Signature, TextSignature
from knowledge.template import expand, placeholders
from tools.evidence import UNKNOWN_ZONE_S, Instant, Reading, Record
from tools.late_patterns import compile_late

_OF_A_HOST = frozenset({"kernel", "quoted", "service", "command"})
"""Channels whose lines always speak of the host they come from."""


@dataclass(frozen=True, slots=True)
class Named:
    """What one line is about: the thing, what else it names, and the other side."""

    entity: Key
    anchors: tuple[Key, ...]
    peers: tuple[Key, ...]
    writer: tuple[Key, ...] = ()
    """The host that wrote it, where that is the host it speaks of."""
    implied: tuple[Key, ...] = ()
    """Those that only the page names, not the evidence."""


class Namer:
    """Fills templates once for each distinct set of names; a step counter names nothing new."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str, _Words, _Words, frozenset[str]], Named] = {}
        self._holes: dict[tuple[str, str], tuple[str, ...]] = {}
        self._fixed: dict[tuple[str, str], tuple[str, ...]] = {}
        self._record: Record | None = None
        self._said = ("", "")
        self._values: dict[str, str] = {}
        self._own: _Words = ()

    def values(self, record: Record) -> dict[str, str]:
        """Return what templates may use beside a line's named groups; read-only."""
        last, said = self._record, (said_host(record), said_job(record))
        same = (
            last is not None
            and said == self._said
            and last.fields is record.fields
            and last.host == record.host
            and last.unit == record.unit
            and last.evidence == record.evidence
            and last.channel == record.channel
        )
        if not same:
            self._record, self._said, self._values = record, said, values_of(record)
            labels = sorted(record.fields.items()) if record.channel == "alert" else ()
            self._own = (
                record.channel,
                *map(self._values.get, _ALWAYS),
                *itertools.chain.from_iterable(labels),
            )
        return self._values

    def name(self, record: Record, match: Match, page: Page) -> Named:
        """Say what a matched line is about."""
        signature = match.signature
        own = self.values(record)
        holes = self._holes.get((page.id, signature.id))
        if holes is None:
            holes = self._holes[page.id, signature.id] = _holes(signature)
            self._fixed[page.id, signature.id] = tuple(fixed(signature.entity).values())
        unsaid = frozenset[str]()
        if texts := self._fixed[page.id, signature.id]:
            unsaid = unsaid_of(texts, (record.text, record.unit, *own.values()))
        found = match.values
        words = tuple([found.get(hole) or own.get(hole) for hole in holes])
        key = (page.id, signature.id, self._own, words, unsaid)
        known = self._names.get(key)
        if known is None:
            if len(self._names) >= MOST_NAMES:
                self._names.clear()
            named = _named(record, page, signature, {**own, **match.values})
            implied = implied_by(signature.entity, unsaid)
            known = self._names[key] = replace(named, implied=implied) if implied else named
        return known


_Words = tuple[str | None, ...]
MOST_NAMES = 100_000
_ALWAYS = ("host", "node", "pod", "namespace")
"""Names that may stand in where a template fills none."""


def fixed(templates: Mapping[str, str]) -> dict[str, str]:
    """Return the templates that no word of the evidence fills."""
    return {kind: text for kind, text in templates.items() if not placeholders(text)}


def unsaid_of(texts: Iterable[str], said: Iterable[str]) -> frozenset[str]:
    """Return those texts that occur nowhere in what the evidence says."""
    whole = "\n".join(said)
    return frozenset(text for text in texts if text not in whole)


def implied_by(templates: Mapping[str, str], unsaid: Collection[str]) -> tuple[Key, ...]:
    """Return the things that only the page names: a conclusion, however plausible."""
    return tuple(
        (kind, normalise(kind, text)) for kind, text in fixed(templates).items() if text in unsaid
    )


def _holes(signature: Signature) -> tuple[str, ...]:
    templates = [*signature.entity.values()]
    if isinstance(signature, TextSignature):
        templates += signature.peer.values()
    return tuple({hole for template in templates for hole in placeholders(template)})


def _named(record: Record, page: Page, signature: Signature, values: Mapping[str, str]) -> Named:
    if record.channel == "alert":
        return _alerted(record, page, signature, values)
    anchors = anchors_of(signature.entity, values)
    peers = anchors_of(signature.peer, values) if isinstance(signature, TextSignature) else {}
    return Named(
        entity=subject_of(page, anchors, values),
        anchors=tuple(anchors.items()),
        peers=tuple(peers.items()),
        writer=_writer(record, anchors, page),
    )


def _alerted(record: Record, page: Page, signature: Signature, values: Mapping[str, str]) -> Named:
    """Name what an alert is about by its words first, then by its labels, else the cluster."""
    if hostless(page.entity.kind, record.fields):
        values = {**values, "host": "", "node": record.fields.get("node", "")}
    labels = labelled(record.fields)
    near = {kind: name for kind, name in labels.items() if kind == "job"}
    anchors = {**near, **anchors_of(signature.entity, values)}
    kind, name = subject_of(page, anchors, values)
    wide = {
        k: n for k, n in labels.items() if k == "cluster" or (kind == "cluster" and k not in near)
    }
    return Named(
        entity=(kind, labels.get("cluster", name)) if kind == "cluster" else (kind, name),
        anchors=tuple({**wide, **anchors}.items()),
        peers=(),
    )


def _writer(record: Record, anchors: Mapping[str, str], page: Page) -> tuple[Key, ...]:
    """The host that a line speaks of by being in its log.

    Controllers and schedulers write about other hosts than the one they run on.
    """
    elsewhere = page.entity.kind in _SPOKEN_OF or record.channel in {"event", "alert"}
    if not record.host or "node" in anchors or elsewhere:
        return ()
    return (("node", normalise("node", record.host)),)


_SPOKEN_OF = frozenset(
    {"node", "job", "queue", "cluster", "storage_server", "switch", "switch_port"}
)


def values_of(record: Record) -> dict[str, str]:
    """Return what templates may use beside the named groups of a line."""
    fields = record.fields
    host = record.host or said_host(record)
    namespace, _, pod = fields.get("pod", "").rpartition("/")
    if not host and not pod and record.channel in _OF_A_HOST:
        host = f"{UNNAMED}{record.evidence}"
    values = {**fields, "host": host, "unit": record.unit, "node": fields.get("node", host)}
    if pod:
        values["pod"] = pod
    if namespace:
        values["namespace"] = namespace
    if place := host or pod_of(values):
        values["place"] = place
    if job := said_job(record):
        values["job"] = job
    return values


def said_host(record: Record) -> str:
    """Return the host that a program's own line begins with, where nothing else tells it.

    NCCL begins its lines with ``HOST:PID:TID [DEVICE]``; in a pod that host is the pod.
    """
    if record.channel != "app" or record.host or "NCCL " not in record.text:
        return ""
    fields = record.fields
    found = None if fields.get("pod") or fields.get("node") else _NCCL_HEAD.match(record.text)
    return found.group(1) if found else ""


def said_job(record: Record) -> str:
    """Return the job whose step daemon passes a line on and puts its job before it."""
    found = _STEP_HEAD.match(record.text) if record.unit == "slurmstepd" else None
    return f"slurm:{found[1] or found[2]}" if found else ""


_STEP_HEAD = compile_late(r"(?:\[(\d+)\.\w+\] |job (\d+): )")
_NCCL_HEAD = compile_late(r"([A-Za-z][\w.-]*):\d+:\d+ \[\d+\] ")


def with_device(reading: Reading) -> Reading:
    """Name what a report leaves out: the host that printed it, and a GPU by its address there."""
    if reading.kind not in {"gpu", "nic", "process"} or reading.values.get("uuid"):
        return reading
    host = reading.host or f"{UNNAMED}{reading.evidence}"
    values = {**reading.values, "host": host}
    if isinstance(bus := reading.values.get("bdf"), str) and reading.kind == "gpu":
        values["uuid"] = f"{host}/{bus}"
    return replace(reading, host=host, values=values)


def anchors_of(templates: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """Fill every template; what names something absent is left out."""
    found: dict[str, str] = {}
    for kind, template in templates.items():
        text = expand(template, values)
        name = normalise(kind, text) if text else ""
        if name:
            found[kind] = name
    return found


def subject_of(page: Page, anchors: Mapping[str, str], values: Mapping[str, str]) -> Key:
    """Choose the thing the condition is true of: the page's kind, else the nearest named one."""
    for kind in (page.entity.kind, *page.entity.anchors, *anchors):
        if kind in anchors:
            return kind, anchors[kind]
    pod, namespace = values.get("pod"), values.get("namespace")
    if pod and namespace:
        return "pod", f"{namespace}/{pod}"
    host = values.get("host") or values.get("node") or ""
    return ("node", normalise("node", host)) if host else ("cluster", "cluster")


def resolved(templates: Iterable[str], content: Mapping[str, object]) -> dict[str, str]:
    """Look the templates' paths up in an object or reading that no signature held for."""
    paths = {path for template in templates for path in placeholders(template)}
    values = {path: lookup(content, path) for path in paths}
    return {
        path: as_text(value)
        for path, value in values.items()
        if isinstance(value, str | int | float | bool)
    }


def parse_instant(text: str) -> Instant | None:
    """Read an ISO time; one without a zone may be any zone's. None for anything else and year 1."""
    if moment := parse_moment(text):
        return Instant(moment, original=text)
    moment = parse_moment(f"{text}+00:00") if "T" in text else None
    return Instant(moment, UNKNOWN_ZONE_S, "unknown", text) if moment else None


def parse_moment(text: str) -> datetime | None:
    """Read an RFC 3339 time that states its zone; None for anything else and for year 1."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None and moment.year > 1 else None
