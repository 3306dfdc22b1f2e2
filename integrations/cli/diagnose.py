"""Diagnose files, bundles or the live system: where it began, why, and how it spread."""

from typing import Annotated

import typer

from integrations.bootstrap import (
    cache_dir,
    choose_colour,
    choose_width,
    choose_words,
    load_settings,
    open_handbook,
    open_postmortems,
    read_surroundings,
)
from integrations.cli.desk import Desk
from integrations.cli.fault import (
    StoppedFault,
)
from integrations.cli.input import check_paths, take_input, tell_unread
from integrations.cli.options import (
    ContextOption,
    FormOption,
    FullOption,
    JobOption,
    LangOption,
    Level,
    NoColourOption,
    NodeOption,
    PathsArgument,
    PodOption,
    SinceOption,
    UntilOption,
    ZoneOption,
)
from integrations.cli.output import print_view
from integrations.cli.scope import Asked, build_incident
from tools.masks import prepare

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})


_EXIT_CODES = """Exit codes:

\b
  0    done, whatever was found
  1    failure
  2    the command line makes no sense
  3    not found: a path, or nothing in the evidence is of the window, node, pod or job asked for
  4    not allowed to read or write
  5    done, but a source that was not seen could change the first answer
  10   with --fail-on only: a fault, or damage whose cause is open, so urgent or more; wins over 5
  124  --timeout reached
  130  interrupted
"""


@app.command(epilog=_EXIT_CODES)
def diagnose(
    *,
    paths: PathsArgument = None,
    context: ContextOption = None,
    since: SinceOption = "",
    until: UntilOption = "",
    tz: ZoneOption = None,
    node: NodeOption = None,
    pod: PodOption = None,
    job: JobOption = "",
    output: FormOption = "text",
    lang: LangOption = None,
    fail_on: Annotated[
        Level | None,
        typer.Option("--fail-on", help="Exit 10 on a fault so urgent or more."),
    ] = None,
    model: Annotated[
        bool | None, typer.Option("--model/--no-model", help="Let a model reason on; or not.")
    ] = None,
    full: FullOption = False,
    timeout: Annotated[
        float,
        typer.Option("--timeout", metavar="S", min=0, help="Stop after so many seconds; 0: never."),
    ] = 0,
    no_color: NoColourOption = False,
) -> int:
    """Diagnose PATHs, or the live system where none is given.

    \b
      firstfault diagnose node7.log nvidia-bug-report.log.gz events.json
      firstfault diagnose incident.tar.zst --tz Asia/Shanghai -o html > report.html
      firstfault diagnose --since 2h --node astra-gpu-07
    """  # noqa: D301 -- \b keeps the framework from joining the lines
    around = read_surroundings()
    flags = {"context": context, "tz": tz, "lang": lang, "fail_on": fail_on}
    settings = load_settings(flags, around).settings
    asked = Asked(since, until, node or (), pod or (), job, live=not paths)
    incident = build_incident(asked, settings)
    colour = choose_colour(around, wanted=False if no_color else None)
    if model:
        typer.echo("No model is connected in this version; the diagnosis needs none.", err=True)
    with take_input(paths or []) as taken:
        tell_unread(check_paths(taken), choose_words(settings, around))
        prepare(cache_dir(around))
        desk = Desk(settings, around, open_handbook(settings), colour=colour)
        code = desk.work(taken, incident, timeout)
        words = choose_words(settings, around)
        if output == "json" and not desk.found:
            raise StoppedFault(code)
        if desk.found:
            from integrations.cli.outcome import view_of  # noqa: PLC0415 -- loaded by the desk

            past = open_postmortems(around)
            view = view_of(desk.found, desk.catalog.pages, words, past=past, form=output)
            print_view(view, output, colour=colour, width=choose_width(around), whole=full)
            if output == "text" and desk.found.incident.id:
                typer.echo(words("progress.saved", id=desk.found.incident.id), err=True)
    return code
