"""Decodes JSON documents, whole or what is left of them."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec

from tools.errors import WrongFormatError
from tools.evidence import Gap
from tools.late_patterns import compile_late
from tools.masks import masked_bytes
from tools.source import Source

_LIST_START = compile_late(r'"(?:items|result|alerts|data)"\s*:\s*\[')
_KIND = compile_late(r'"kind"\s*:\s*"(\w+List)"')


def text_start(head: bytes) -> bytes:
    """Drop a byte-order mark and white space."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def lines_before(head: bytes) -> int:
    """Count the lines that `text_start` drops."""
    return head[: len(head) - len(text_start(head))].count(b"\n")


def json_data(source: Source, whole: bytes | None = None) -> bytes:
    """Read the whole content, masked, from its first bracket on; `whole` is what was read of it."""
    return text_start(masked_bytes(source.whole() if whole is None else whole))


def json_values(source: Source, data: bytes | None = None) -> Iterator[Mapping[str, object] | Gap]:
    """Decode one document, a list of them, or one per line; salvage a truncated list.

    `data` is what `json_data` gave, where the caller needs it as well.

    Raises:
        WrongFormatError: nothing in it is JSON.
    """
    data = json_data(source) if data is None else data
    try:
        document: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError):
        yield from _salvage(data, source)
        return
    yield from _mappings(document)


def _mappings(document: object) -> Iterator[Mapping[str, object]]:
    if isinstance(document, Mapping):
        yield cast("Mapping[str, object]", document)
    elif isinstance(document, list):
        for part in document:
            yield from _mappings(part)


def _salvage(data: bytes, source: Source) -> Iterator[Mapping[str, object] | Gap]:
    text = data.decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    start = _LIST_START.search(text)
    place = start.end() if start and not _whole_first(text, decoder) else 0
    kind = _KIND.search(text[: start.start()]) if start else None
    items: list[object] = []
    while place < len(text):
        place = _skip(text, place)
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        items.append(value)
    if not items:
        raise WrongFormatError(f"{source.name}: not JSON, and nothing in it can be saved")
    listed = {"kind": kind.group(1) if kind else "List", "apiVersion": "v1", "items": items}
    yield from [listed] if place and start else _mappings(items)
    rest = len(text[place:].strip(" \n\r\t,]}"))
    if rest or start:
        yield Gap(
            source=source.capture.source or "file", target=source.name, evidence=source.evidence,
            why=f"damaged JSON: {len(items)} whole parts read, {rest} characters behind them lost",
        )  # fmt: skip


def _whole_first(text: str, decoder: json.JSONDecoder) -> bool:
    """Tell whether the text begins with a whole document (then there are several)."""
    try:
        decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n,\x1e":
        place += 1
    return place
