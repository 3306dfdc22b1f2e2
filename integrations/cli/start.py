"""The entry of the program: so light that Ctrl-C finds nothing half loaded."""

import gc
import sys

FEW_COLLECTIONS = (100_000, 50, 100)
"""Loading makes much that stays: looking through it for garbage took a twentieth of a short run."""
INTERRUPTED = 130
"""As `integrations.cli.fault` has it, which is not loaded yet."""


def run() -> None:
    """Run the command line; a Ctrl-C while it is loaded ends it like any other."""
    gc.set_threshold(*FEW_COLLECTIONS)
    try:
        from integrations.cli.main import run as run_command  # noqa: PLC0415 -- it takes its time

        run_command()
    except KeyboardInterrupt:
        sys.stderr.write("firstfault: interrupted\n")
        sys.exit(INTERRUPTED)
