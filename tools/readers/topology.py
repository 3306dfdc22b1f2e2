"""An inventory: which rack, PDU, switch and storage each node hangs on."""

from collections.abc import Iterator, Mapping

import msgspec

from tools.documents import text_start
from tools.errors import WrongFormatError
from tools.evidence import Instant, Item, ObjectState
from tools.request import Request
from tools.source import Source

_PLACES = (b'"rack"', b'"racks"', b'"pdu"', b'"pdus"', b'"switch"', b'"switches"', b'"mounts"',
           b'"storage_server"', b'"rail"', b'"leaf"')  # fmt: skip
_EXPECTED = (b'"gpu_count"', b'"gpu_uuids"')
"""What a node should have; other documents have such keys too, so here the name must agree."""
_SUBJECTS = ("nodes", "hosts", "node", "host")


class TopologyReader:
    """Yields one object of kind Topology per node, and one for the whole."""

    name = "topology"
    source = "topology"

    def score(self, head: bytes, hint: str) -> float:
        """Look for places and nodes side by side."""
        start = text_start(head)
        if not start.startswith((b"{", b"[")) or b'"apiVersion"' in start:
            return 0.0
        named = hint.rsplit("/", 1)[-1].startswith("topology")
        if not named and not any(f'"{key}"'.encode() in start for key in _SUBJECTS):
            return 0.0
        keys = (*_PLACES, *_EXPECTED) if named else _PLACES
        return 0.9 if any(key in start for key in keys) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read the inventory."""
        try:
            document: object = msgspec.json.decode(source.whole())
        except (msgspec.DecodeError, UnicodeError) as error:
            raise WrongFormatError(f"{source.name}: damaged JSON: {error}") from error
        moment = source.capture.ended or source.capture.started
        observed = Instant(moment) if moment else None
        for name, content in _parts(document):
            yield ObjectState(source.evidence, "Topology", "", name, "", content, observed)


def _parts(document: object) -> Iterator[tuple[str, dict[str, object]]]:
    """Split into one mapping per node, whichever way the inventory is nested."""
    if isinstance(document, list):
        for part in document:
            yield from _parts(part)
    elif isinstance(document, Mapping):
        yield "", _texts(document)
        for key in ("nodes", "hosts"):
            yield from _nodes(document.get(key))


def _nodes(inner: object) -> Iterator[tuple[str, dict[str, object]]]:
    if isinstance(inner, Mapping):
        named = [(str(name), places) for name, places in inner.items()]
    else:
        parts = inner if isinstance(inner, list) else []
        named = [(_name(part), part) for part in parts if isinstance(part, Mapping)]
    for name, places in named:
        if isinstance(places, Mapping):
            yield name, {"node": name, **_texts(places)}


def _name(part: Mapping[object, object]) -> str:
    return str(part.get("name") or part.get("node") or part.get("host") or "")


def _texts(content: Mapping[object, object]) -> dict[str, object]:
    return {str(key): value for key, value in content.items()}


READER = TopologyReader()
