"""Draws all figures beside their bounds."""

from pathlib import Path

from evals.bench.measure import Figures


def draw(figures: Figures, target: Path) -> None:
    """Write a bar a figure: how much of its bound it uses; a least is drawn upside down."""
    import matplotlib as mpl  # noqa: PLC0415  # slow, and only needed at the end

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415  # as above

    names = sorted(figures)
    used = [_used(figures, name) for name in names]
    colours = ["#2a9d8f" if figures[name].holds else "#e76f51" for name in names]
    figure, axes = plt.subplots(figsize=(8, 0.4 * len(names) + 1.2))
    axes.barh(names, used, color=colours)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xlabel("share of the bound that is used (1 = at the bound)")
    axes.invert_yaxis()
    figure.tight_layout()
    figure.savefig(target, dpi=110)
    plt.close(figure)


def _used(figures: Figures, name: str) -> float:
    """Return how much of its bound a figure uses, at most 2."""
    figure = figures[name]
    if figure.floor:
        return min(2.0, figure.bound / figure.value) if figure.value else 2.0
    if figure.bound == 0:
        return min(2.0, figure.value * 100)
    return min(2.0, figure.value / figure.bound)
