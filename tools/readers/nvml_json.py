"""What the NVML probe wrote: a host, its driver, and one object per GPU."""

from collections.abc import Iterator, Mapping
from typing import cast

import msgspec

from tools.documents import text_start
from tools.errors import WrongFormatError
from tools.evidence import Gap, Instant, Item, Reading
from tools.gpu_values import Value, canonical
from tools.request import Request
from tools.source import Source
from tools.stamps import Dating
from tools.writers import writer_of

Content = Mapping[str, object]
_PARTS = {"processes": "process", "nvlinks": "nvlink", "nvlink": "nvlink", "links": "nvlink"}


class NvmlReader:
    """Yields a reading for the host, each GPU, each of its links and processes."""

    name = "nvml"
    source = "nvml"

    def score(self, head: bytes, hint: str) -> float:
        """Look for a list of GPUs."""
        start = text_start(head)
        if not start.startswith(b"{") or b'"gpus"' not in start or b'"apiVersion"' in start:
            return 0.0
        return 0.94 if b'"uuid"' in start or b'"driver' in start or b'"host"' in start else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read the document."""
        try:
            document: object = msgspec.json.decode(source.whole())
        except (msgspec.DecodeError, UnicodeError) as error:
            raise WrongFormatError(f"{source.name}: damaged JSON: {error}") from error
        if not isinstance(document, Mapping):
            raise WrongFormatError(f"{source.name}: not an object")
        yield from _host_items(cast("Content", document), source, request)


def _host_items(content: Content, source: Source, request: Request) -> Iterator[Item]:
    host = str(content.get("host") or writer_of(source.capture, source.name).host)
    driver = str(content.get("driver") or content.get("driver_version") or "")
    observed = _observed(content, source, request)
    if error := content.get("error"):
        why = f"NVML: {error}"
        yield Gap(source="nvml", target=host, why=why, evidence=source.evidence)
    gpus = content.get("gpus")
    parts = [part for part in gpus if isinstance(part, Mapping)] if isinstance(gpus, list) else []
    top = flatten({key: value for key, value in content.items() if key != "gpus"})
    top |= {"host": host, "driver": driver, "gpu_count": len(parts)}
    yield Reading(source.evidence, "gpu_host", host, top, observed)
    for part in parts:
        gpu = cast("Content", part)
        values = canonical(flatten(gpu), host=host, driver=driver)
        yield Reading(source.evidence, "gpu", host, values, observed)
        for key, kind in _PARTS.items():
            yield from _inner(gpu.get(key), kind, values, source.evidence, observed)


def _inner(
    part: object, kind: str, gpu: Mapping[str, Value], evidence: str, observed: Instant | None
) -> Iterator[Reading]:
    items = part if isinstance(part, list) else []
    shared = {key: gpu[key] for key in ("uuid", "bdf") if key in gpu}
    host = str(gpu.get("host") or "")
    for item in items:
        if isinstance(item, Mapping):
            values = {**shared, "host": host, **flatten(cast("Content", item))}
            yield Reading(evidence, kind, host, values, observed)


def flatten(content: Content, prefix: str = "") -> dict[str, Value]:
    """Bring nested objects to one level: ``ecc.volatile.x`` becomes ``ecc_volatile_x``."""
    flat: dict[str, Value] = {}
    for key, value in content.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat |= flatten(cast("Content", value), f"{name}_")
        elif isinstance(value, str | int | float | bool) or value is None:
            flat[name] = value
        elif isinstance(value, list) and all(isinstance(part, str | int) for part in value):
            flat[name] = ",".join(str(part) for part in value)
    return flat


def _observed(content: Content, source: Source, request: Request) -> Instant | None:
    dating = Dating(request, source.reference(request.now))
    for key in ("observed_at", "time", "timestamp", "at"):
        value = content.get(key)
        if isinstance(value, str) and (found := dating.iso(value)):
            return found
    moment = source.capture.ended or source.capture.started
    return Instant(moment) if moment else None


READER = NvmlReader()
