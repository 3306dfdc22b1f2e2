"""Samples in columns read like the samples they stand for."""

import math
import pickle
from datetime import UTC, datetime

from tools.evidence import Sample
from tools.samples import Samples

TIMES, VALUES = (1750386000.0, 1750386030.0, 1750386060.5), (1.0, 0.0, float("inf"))
ALL = [
    Sample(datetime.fromtimestamp(at, UTC), value) for at, value in zip(TIMES, VALUES, strict=True)
]


def test_each_place_is_a_sample() -> None:
    """Indexing, slices and iteration give the same samples."""
    samples = Samples(TIMES, VALUES)
    assert list(samples) == ALL
    assert [samples[0], samples[-1]] == [ALL[0], ALL[2]]
    assert list(samples[1:]) == ALL[1:]


def test_none_is_false() -> None:
    """A series without samples is told by its truth, like a tuple."""
    assert not Samples((), ())
    assert len(Samples(TIMES, VALUES)) == 3


def test_samples_go_to_another_process_as_they_are() -> None:
    """Every value, whatever float it is."""
    samples = Samples((0.1, 2.0, 1750384800.25), (math.inf, -0.0, 1e-300))
    back = pickle.loads(pickle.dumps(samples))  # noqa: S301  # our own bytes
    assert (back.times, back.values) == (samples.times, samples.values)
    assert math.copysign(1, back.values[1]) == -1
    assert len(pickle.loads(pickle.dumps(Samples((), ())))) == 0  # noqa: S301  # our own bytes
