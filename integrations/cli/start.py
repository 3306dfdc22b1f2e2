"""The entry of the program: so light that Ctrl-C finds nothing half loaded."""

import sys

INTERRUPTED = 130
"""As `integrations.cli.fault` has it, which is not loaded yet."""


def run() -> None:
    """Run the command line; a Ctrl-C while it is loaded ends it like any other."""
    try:
        from integrations.cli.main import run as run_command  # noqa: PLC0415 -- it takes its time

        run_command()
    except KeyboardInterrupt:
        sys.stderr.write("firstfault: interrupted\n")
        sys.exit(INTERRUPTED)
