"""`dcgmi diag --json`: the same results as a document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from tools.command_text import command_lines, host_of
from tools.documents import json_values, text_start
from tools.evidence import Gap, Instant, Item, Reading
from tools.gpu_values import Value
from tools.late_patterns import compile_late
from tools.request import Request
from tools.source import Source

Content = Mapping[str, object]
_ROOT = compile_late(r"DCGM (?:GPU )?Diagnostic")


class DcgmiDiagJsonReader:
    """Yields a reading per test and GPU."""

    name = "dcgmi-diag-json"
    source = "host"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for the root's name."""
        start = text_start(head)[:400]
        known = b'"DCGM GPU Diagnostic"' in start or b'"DCGM Diagnostic"' in start
        return 0.95 if start.startswith(b"{") and known else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read the document."""
        yield from command_lines(source, request, "dcgmi")
        host = host_of(source)
        moment = source.capture.ended or source.capture.started
        observed = Instant(moment) if moment else None
        for value in json_values(source):
            if isinstance(value, Gap):
                yield value
                continue
            for values in results_of(value):
                own = {"host": host, **values}
                yield Reading(source.evidence, "dcgm_diag", host, own, observed)


def results_of(document: Content) -> Iterator[dict[str, Value]]:
    """Walk categories, tests and results."""
    roots = [part for name, part in document.items() if _ROOT.fullmatch(name)]
    for category in (one for root in _parts(roots) for one in _parts(root.get("test_categories"))):
        for test in _parts(category.get("tests")):
            named = {"test": _text(test.get("name")), "category": _text(category.get("category"))}
            for result in _parts(test.get("results")):
                yield from ({**named, **values} for values in _values(result))


def _values(result: Content) -> Iterator[dict[str, Value]]:
    values: dict[str, Value] = {"result": _text(result.get("status")).lower()}
    if detail := _detail(result):
        values["detail"] = detail
    yield from (values | ({"gpu": one} if one >= 0 else {}) for one in _gpus(result))


def _gpus(result: Content) -> Sequence[int]:
    """Name the GPUs of a result; -1 where it is of the host."""
    number = result.get("entity_id")
    if isinstance(number, int) and result.get("entity_group", "GPU") == "GPU":
        return [number]
    return [int(one) for one in re.findall(r"\d+", _text(result.get("gpu_ids")))] or [-1]


def _detail(result: Content) -> str:
    said = result.get("warnings") or result.get("warning") or ""
    if isinstance(said, str):
        return said
    return "; ".join(_text(part.get("warning")) for part in _parts(said))


def _parts(value: object) -> list[Content]:
    listed = value if isinstance(value, list) else []
    return [cast("Content", part) for part in listed if isinstance(part, Mapping)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


READER = DcgmiDiagJsonReader()
