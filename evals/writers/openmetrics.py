"""Samples as OpenMetrics text that promtool turns into blocks."""

from collections import defaultdict
from collections.abc import Iterable

from evals.model import Metric

EXACT = 1e5
"""Above it, six significant digits would round a counter."""
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def _labels(metric: Metric) -> str:
    inner = ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in metric.labels.items())
    return f"{metric.name}{{{inner}}}" if inner else metric.name


def render(metrics: Iterable[Metric]) -> str:
    """Return the exposition text, families together, each series in ascending time.

    promtool silently drops a sample that is older than the one before it in its series.
    """
    families: dict[str, list[Metric]] = defaultdict(list)
    for metric in metrics:
        families[metric.name].append(metric)
    parts: list[str] = []
    for name, members in families.items():
        counter = name.endswith("_total")
        family = name.removesuffix("_total")
        parts.append(f"# TYPE {family} {'counter' if counter else 'gauge'}\n")
        for metric in members:
            key = _labels(metric)
            parts += [
                f"{key} {value:g} {at:.0f}\n"
                if abs(value) < EXACT
                else f"{key} {value:.3f} {at:.0f}\n"
                for at, value in sorted(metric.samples)
            ]
    parts.append("# EOF\n")
    return "".join(parts)
