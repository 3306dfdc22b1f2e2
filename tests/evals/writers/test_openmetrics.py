"""Samples as promtool reads them."""

from evals.model import Metric
from evals.writers.openmetrics import render


def test_each_value_is_written_as_it_is() -> None:
    """Zero keeps its sign, a large counter all its digits, and what repeats stays the same."""
    samples = ((1.0, 0.0), (2.0, -0.0), (3.0, 61.5), (4.0, 61.5), (5.0, 1234567.0))
    text = render([Metric("gpu_temp", {"gpu": '0"'}, samples)])

    assert text.splitlines() == [
        "# TYPE gpu_temp gauge",
        'gpu_temp{gpu="0\\""} 0 1',
        'gpu_temp{gpu="0\\""} -0 2',
        'gpu_temp{gpu="0\\""} 61.5 3',
        'gpu_temp{gpu="0\\""} 61.5 4',
        'gpu_temp{gpu="0\\""} 1234567.000 5',
        "# EOF",
    ]
