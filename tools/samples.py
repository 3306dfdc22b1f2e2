"""Samples of one series in two columns; a `Sample` is made when one is looked at."""

from array import array
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, overload

from tools.evidence import Sample

if TYPE_CHECKING:
    Cut = slice[int | None, int | None, int | None]
LATEST_S = 4e9
"""Epoch seconds above this, in the year 2096, are damage."""


class Samples(Sequence[Sample]):
    """Values in order of time. Most series hold nothing of note, so few samples are ever made."""

    __slots__ = ("times", "values")

    def __init__(self, times: Sequence[float], values: Sequence[float]) -> None:
        """Take epoch seconds and values, one for one."""
        self.times = times
        self.values = values

    def __reduce__(self) -> tuple[object, tuple[bytes, bytes]]:
        """Go to another process as two blocks of bytes."""
        return _unpacked, (array("d", self.times).tobytes(), array("d", self.values).tobytes())

    def __len__(self) -> int:
        """Count the samples."""
        return len(self.times)

    @overload
    def __getitem__(self, place: int) -> Sample: ...
    @overload
    def __getitem__(self, place: "Cut") -> "Samples": ...
    def __getitem__(self, place: "int | Cut") -> "Sample | Samples":
        """Make the sample at a place, or cut out some."""
        if isinstance(place, slice):
            return Samples(self.times[place], self.values[place])
        return Sample(_moment(self.times[place]), self.values[place])

    def __iter__(self) -> Iterator[Sample]:
        """Make all samples."""
        return map(Sample, map(_moment, self.times), self.values)


def _unpacked(times: bytes, values: bytes) -> Samples:
    columns = array("d"), array("d")
    for column, packed in zip(columns, (times, values), strict=True):
        column.frombytes(packed)
    return Samples(*map(tuple, columns))


def _moment(stamp: float) -> datetime:
    return datetime.fromtimestamp(stamp, UTC)
