"""Measures speed and robustness: ``python -m evals.bench [--only PART]``."""

import argparse
import json
import random
import sys
from pathlib import Path

from evals.bench import growth, plot, search, speed
from evals.bench.gates import Gates
from evals.bench.measure import Figures
from knowledge.catalog import load_catalog

HERE = Path(__file__).parent
PARTS = ("speed", "search", "growth", "gates")


def main() -> int:
    """Measure, write `results.json` and `results.png`, and fail if a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="a part; all by default")
    parser.add_argument("--seeds", type=int, default=4, help="of each fault, for the gates")
    parser.add_argument("--out", type=Path, default=HERE, help="where the results go")
    given = parser.parse_args()
    figures: Figures = {}
    for part in given.only or PARTS:
        sys.stderr.write(f"measuring {part}\n")
        with speed.open_scratch() as folder:
            figures |= measure(part, Path(folder), given.seeds)
    store(figures, given.out)
    for name, figure in sorted(figures.items()):
        mark = "  " if figure.holds else "✗ "
        sign = ">=" if figure.floor else "<="
        extra = f"  n={figure.n} {figure.interval}" if figure.n else ""
        sys.stdout.write(
            f"{mark}{name:<26}{figure.value:>9.3f} {figure.unit:<6}{sign} {figure.bound:g}{extra}\n"
        )
    return int(not all(figure.holds for figure in figures.values()))


def measure(part: str, scratch: Path, seeds: int) -> Figures:
    """Measure one part."""
    if part == "speed":
        return speed.measure(scratch)
    if part == "search":
        return search.measure(scratch)
    if part == "growth":
        return growth.measure(load_catalog(), scratch)
    drawn = random.SystemRandom().sample(range(1, 10**6), seeds)
    return Gates(load_catalog(), scratch, drawn).measure()


def store(figures: Figures, folder: Path) -> None:
    """Write the results; figures of parts that were not measured now stay."""
    path = folder / "results.json"
    known: dict[str, object] = json.loads(path.read_text()) if path.exists() else {}
    known |= {name: figure.document() for name, figure in figures.items()}
    path.write_text(json.dumps(dict(sorted(known.items())), indent=2) + "\n")
    plot.draw(figures, folder / "results.png")


if __name__ == "__main__":
    sys.exit(main())
