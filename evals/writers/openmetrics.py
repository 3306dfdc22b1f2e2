"""Samples as OpenMetrics text that promtool turns into blocks."""

from collections import defaultdict
from collections.abc import Iterable

from evals.model import Metric

EXACT = 1e5
"""Above it, six significant digits would round a counter."""
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class _Shown(dict[float, str]):
    """Values as they are written, each put in words once; not zero, which may be negative."""

    def __missing__(self, value: float) -> str:
        text = self[value] = f"{value:g}" if abs(value) < EXACT else f"{value:.3f}"
        return text


class _Stamps(dict[float, str]):
    """Times as they are written: all series share them."""

    def __missing__(self, at: float) -> str:
        text = self[at] = f"{at:.0f}"
        return text


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
    shown, stamps = _Shown(), _Stamps()
    for name, members in families.items():
        counter = name.endswith("_total")
        family = name.removesuffix("_total")
        parts.append(f"# TYPE {family} {'counter' if counter else 'gauge'}\n")
        for metric in members:
            key = _labels(metric)
            parts += [
                f"{key} {shown[value] if value else f'{value:g}'} {stamps[at]}\n"
                for at, value in sorted(metric.samples)
            ]
    parts.append("# EOF\n")
    return "".join(parts)
