"""Builds the corpus, says which component wrote how much, and what a diagnosis makes of it."""

import argparse
import sys
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from evals.benign import corpus, sample
from evals.benign.everything import COMPONENTS
from knowledge.catalog import load_catalog


def main() -> None:
    """Run `python -m evals.benign OUT [--sample DIR]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="a new folder for the corpus")
    parser.add_argument("--sample", type=Path, help="a folder for the part of it that is shipped")
    arguments = parser.parse_args()
    for written in corpus.build(COMPONENTS, arguments.out):
        told = f"{written.component:14}{written.lines:8}{written.distinct:8} {written.why}"
        sys.stdout.write(told.rstrip() + "\n")
        sys.stdout.flush()
    if arguments.sample:
        counts = sample.pack(arguments.out, arguments.sample)
        sys.stdout.write(f"{sum(counts.values())} lines kept as a sample\n")
    found = investigate([arguments.out], Incident(), load_catalog())
    for event in found.timeline.events:
        sys.stdout.write(f"{event.severity} {event.page} {event.count}x {event.text}\n")


if __name__ == "__main__":
    main()
