"""Options that several commands share, so that one name means one thing."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from integrations.cli.fault import UsageFault

Form = Literal["text", "json", "markdown", "html"]
Plain = Literal["text", "json"]
Lang = Literal["en", "zh"]
Level = Literal["P0", "P1", "P2", "P3"]


def read_path(text: str) -> Path:
    """Read a path; an empty one would silently mean the current folder.

    Raises:
        UsageFault: it is empty, as an unset shell variable is.
    """
    if not text:
        raise UsageFault(
            "A PATH is empty", "Is a shell variable unset? Write . for the current folder."
        )
    return Path(text)


FormOption = Annotated[Form, typer.Option("--output", "-o", help="Form of the answer on stdout.")]
PlainOption = Annotated[Plain, typer.Option("--output", "-o", help="Form of the answer.")]
LangOption = Annotated[
    Lang | None, typer.Option("--lang", help="Language; else that of the locale.")
]
ContextOption = Annotated[
    str | None, typer.Option("--context", help="Kubernetes context, as in kubectl.")
]
SinceOption = Annotated[
    str, typer.Option("--since", metavar="T", help="Start: ISO 8601, @epoch, or 2h for long ago.")
]
UntilOption = Annotated[str, typer.Option("--until", metavar="T", help="End, in the same forms.")]
ZoneOption = Annotated[
    str | None, typer.Option("--tz", metavar="ZONE", help="Zone of stamps without one.")
]
NodeOption = Annotated[
    list[str] | None,
    typer.Option("--node", "-n", metavar="N", help="Only this node; may be repeated."),
]
PodOption = Annotated[
    list[str] | None,
    typer.Option("--pod", metavar="NS/NAME", help="Only this pod; may be repeated."),
]
JobOption = Annotated[str, typer.Option("--job", metavar="J", help="Only this job.")]
FullOption = Annotated[
    bool, typer.Option("--full", help="On a terminal: everything, not only what matters.")
]
NoColourOption = Annotated[bool, typer.Option("--no-color", help="Never colour.")]
PathsArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[PATH]…",
        help="Bundles, folders, any files, - for stdin; none: the live system.",
        parser=read_path,
    ),
]
