"""`nvidia-smi --query-gpu=… --format=csv,noheader`: rows of which only the command tells the query.

Without it only what no other column looks like is read: UUID, bus address, name, driver, state.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from tools.command_text import command_lines, host_of
from tools.evidence import Gap, Instant, Item, Reading
from tools.gpu_values import LOST, Value, canonical
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.readers.nvidia_smi_csv import values_of
from tools.request import Request
from tools.source import Source
from tools.stamps import Dating

_TOLD: Mapping[str, re.Pattern[str]] = {
    "uuid": compile_late(r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "bdf": compile_late(r"[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d"),
    "name": compile_late(r"(?:NVIDIA|Tesla|Quadro|GeForce) [\w ./()-]*\d[\w ./()-]*"),
    "driver": compile_late(r"\d{3}\.\d{2,3}\.\d{2}"),
    "pstate": compile_late(r"P(?:\d|1[0-5])"),
    "timestamp": compile_late(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}"),
}
"""Cells that are like no other column's."""
_WHO = ("uuid", "bdf", "name")
_UNIT = compile_late(r"\d+(?:\.\d+)? (?:W|MHz|MiB)")
_VALUE = compile_late(
    r"-?\d+(?:\.\d+)?(?: (?:W|MHz|MiB|%))?|0x[0-9a-fA-F]{16}|\[[^\]]+\]|N/A|Yes|No|"
    r"Enabled|Disabled|(?:Not )?Active|[0-9A-F]+(?:\.[0-9A-F]+)+|Default|Exclusive_\w+"
)
_QUERY = compile_late(r"--query-(?:gpu|remapped-rows)[= ]([\w.,]+)")
_FIRST_LINES = 8
_FEW = 2
Row = tuple[int, str, list[str]]
"""Line, text, cells."""


class NvidiaSmiRowsReader:
    """Yields a reading per row, and where nothing tells the query a gap that says so."""

    name = "nvidia-smi-rows"
    source = "nvml"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Tell whether the first lines are rows of GPUs and nothing else."""
        lines = [line for line in head[:16384].decode("utf-8", "replace").splitlines() if line]
        rows = [_cells(line) for line in lines[:_FIRST_LINES]]
        alike = bool(rows) and len({len(cells) for cells in rows}) == 1
        return 0.93 if alike and all(map(_is_row, rows)) and any(map(_is_gpus, rows)) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read each row by the query, as far as it is known."""
        yield from command_lines(source, request, "nvidia-smi")
        text = source.whole().decode("utf-8", "replace")
        numbered = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1)]
        rows = [(n, line, _cells(line)) for n, line in numbered if line]
        query = _QUERY.search(source.capture.command)
        columns = query[1].split(",") if query else []
        moment = source.capture.ended or source.capture.started
        dating = Dating(request, source.reference(request.now))
        host = host_of(source)
        known = bool(columns) and all(len(cells) == len(columns) for *_, cells in rows)
        indexed = _are_indexed(rows)
        for number, line, cells in rows:
            row = dict(zip(columns, cells, strict=True)) if known else {}
            values = values_of(row) if known else _told(cells, indexed=indexed)
            if not known and not any(values.get(name) for name in _WHO):
                continue
            told = canonical(values, host=host)
            observed = Instant(moment) if moment else _stamp(cells, dating, host)
            said = dict.fromkeys(told, (number, masked(line)))
            yield Reading(source.evidence, "gpu", host, told, observed, number, said)
        if not known:
            yield _gap(source)


def _cells(line: str) -> list[str]:
    return line.strip().split(", ")


def _is_row(cells: Sequence[str]) -> bool:
    """Tell whether each cell looks like something that nvidia-smi prints."""
    return len(cells) >= _FEW and all(_kind(cell) or _VALUE.fullmatch(cell) for cell in cells)


def _is_gpus(cells: Sequence[str]) -> bool:
    """Tell whether a row names a GPU, or has a unit that only nvidia-smi writes so."""
    return any(_kind(cell) in _WHO or _UNIT.fullmatch(cell) for cell in cells)


def _kind(cell: str) -> str:
    return next((name for name, form in _TOLD.items() if form.fullmatch(cell)), "")


def _are_indexed(rows: Sequence[Row]) -> bool:
    """Tell whether the rows count their GPUs in their first cell."""
    first = [cells[0] for *_, cells in rows]
    counted = list(dict.fromkeys(first))
    return len(counted) >= _FEW and counted == [str(number) for number in range(len(counted))]


def _told(cells: Sequence[str], *, indexed: bool) -> dict[str, Value]:
    """Take what a row says under any query."""
    kinds = ((_kind(cell), cell) for cell in cells)
    values: dict[str, Value] = {name: cell for name, cell in kinds if name}
    values.pop("timestamp", None)
    if indexed:
        values["index"] = int(cells[0])
    values["lost"] = any(LOST.search(cell) for cell in cells)
    return values


def _stamp(cells: Sequence[str], dating: Dating, host: str) -> Instant | None:
    stamp = next((cell for cell in cells if _kind(cell) == "timestamp"), "")
    return dating.iso(stamp, host) if stamp else None


def _gap(source: Source) -> Gap:
    why = (
        "rows of nvidia-smi without their header: nothing tells which query they answer, so that "
        "only what names a GPU was read; print them again without `noheader`"
    )
    return Gap(source="nvml", target=source.name, why=why, evidence=source.evidence)


READER = NvidiaSmiRowsReader()
