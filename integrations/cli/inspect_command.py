"""Inspect files, bundles or the live system by check-list; exit codes as Nagios expects."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand

from assistant.gather import Stream, gather_live, gather_paths
from assistant.inspection import EXIT_CODES, Round, build_inspection_request, inspect
from assistant.inspection_things import host_of_labels
from assistant.settings import Settings
from integrations.bootstrap import (
    Surroundings,
    choose_colour,
    choose_words,
    load_settings,
    open_handbook,
    open_live,
    read_surroundings,
)
from integrations.cli.fault import UsageFault
from integrations.cli.input import check_paths, take_input, tell_unread
from integrations.cli.inspect_output import print_explanation, print_round
from integrations.cli.moment import read_moment, read_zone
from integrations.cli.options import (
    ContextOption,
    FullOption,
    LangOption,
    NodeOption,
    PathsArgument,
    PlainOption,
    SinceOption,
)
from integrations.cli.progress import Progress
from knowledge.inspection import ConditionLook, Inspection, Phase, load_inspections
from tools.context import ProbeContext
from tools.evidence import Evidence, Item, ObjectState, Reading, Record, Series, Span, Window
from tools.registry import load_probes
from tools.request import Request
from tools.transport.port import Look, Transport

LOOKBACK = timedelta(hours=24)
WEEKS = timedelta(days=28)
"""How far back a trend is read."""
UNKNOWN = EXIT_CODES["unknown"]


class NagiosCommand(TyperCommand):
    """A command whose every failure is UNKNOWN: 1 and 2 would read as findings."""

    failure_code = UNKNOWN


app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})


@app.command(cls=NagiosCommand)
def inspect_all(
    paths: PathsArgument = None,
    *,
    explain_only: Annotated[
        bool, typer.Option("--explain", help="Print the commands; run nothing.")
    ] = False,
    trend: Annotated[
        bool, typer.Option("--trend", help="What rose over weeks of Prometheus samples.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID", help="Only this check; repeatable.")
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="ID", help="Without this check; repeatable."),
    ] = None,
    phase: Annotated[
        Phase | None, typer.Option("--phase", help="Only the check-list of this phase.")
    ] = None,
    since: SinceOption = "",
    node: NodeOption = None,
    context: ContextOption = None,
    full: FullOption = False,
    output: PlainOption = "text",
    lang: LangOption = None,
) -> int:
    """Judge what operators check before, during and after an incident.

    \b
      firstfault inspect                       this system, every check
      firstfault inspect bundle.tar.zst        the same checks on saved evidence
      firstfault inspect --trend               early warning from four weeks of samples
      firstfault inspect --explain             the commands only

    Exit codes (Nagios): 0 ok, 1 warning, 2 critical, 3 unknown: a source was not seen.
    """  # noqa: D301 -- \b keeps the framework from joining the lines
    around = read_surroundings()
    flags = {"context": context, "lang": lang, "inspect_skip": tuple(skip or ())}
    settings = load_settings(flags, around).settings
    words = choose_words(settings, around)
    chosen = choose(trend=trend, only=only or (), skip=settings.inspect_skip, phase=phase)
    if explain_only:
        print_explanation(chosen, settings, words, output)
        return EXIT_CODES["ok"]
    hosts = tuple(node or settings.nodes)
    start = _read_start(since, settings)
    with take_input(paths or []) as taken:
        tell_unread(check_paths(taken), words)
        desk = Desk(settings, around, chosen, hosts)
        found = desk.work(taken, start)
    print_round(found, words, output, whole=full)
    return found.exit_code


def choose(
    *, trend: bool, only: Sequence[str], skip: Sequence[str], phase: Phase | None
) -> tuple[Inspection, ...]:
    """Choose the checks.

    Raises:
        UsageFault: one that is named does not exist, or none is left.
    """
    known = load_inspections()
    names = {each.id for each in known}
    for name in (*only, *skip):
        if name not in names:
            raise UsageFault(
                f"There is no check {name!r}.", f"There are: {', '.join(sorted(names))}."
            )
    chosen = tuple(
        each
        for each in known
        if each.id not in skip
        and (each.id in only if only else each.over_weeks == trend)
        and (phase is None or phase in each.phases)
    )
    if not chosen:
        raise UsageFault("No check is left.", "Leave out --phase, --only or --skip.")
    return chosen


@dataclass(frozen=True)
class Desk:
    """One round: what it works with."""

    settings: Settings
    around: Surroundings
    chosen: Sequence[Inspection]
    hosts: Sequence[str] = ()

    def work(self, paths: Sequence[Path], since: datetime | None) -> Round:
        """Read files, or look at the running system, and judge."""
        weekly = any(each.over_weeks for each in self.chosen)
        looks = [look for each in self.chosen for look in each.looks]
        asks = any(isinstance(look, ConditionLook) for look in looks)
        catalog = open_handbook(self.settings, self.around) if asks else None
        if paths:
            request = build_inspection_request(self.chosen, Window(since=since), catalog)
            items = gather_paths([*paths, *self._inventory()], request)
        else:
            now = datetime.now(UTC)
            window = Window(since=since or now - (WEEKS if weekly else LOOKBACK), until=now)
            items = self._look(build_inspection_request(self.chosen, window, catalog))
        return inspect(
            self._within(items),
            self.chosen,
            gpus_per_node=self.settings.gpus_per_node,
            catalog=catalog,
        )

    def _inventory(self) -> Sequence[Path]:
        path = self.settings.inventory
        return [Path(path).expanduser()] if path else []

    def _look(self, request: Request) -> Stream:
        words = choose_words(self.settings, self.around)
        live = open_live(self.settings, self.around, self.hosts)
        names = {name for each in self.chosen for look in each.looks for name in look.probes}
        live.transports = [Needed(way, names) for way in live.transports or ()]
        with Progress(words, {}, colour=choose_colour(self.around)) as progress:
            live.on_progress = progress.follow
            yield from gather_live(request.model_copy(update={"nodes": tuple(self.hosts)}), live)
        if self._inventory():
            yield from gather_paths(self._inventory(), request)

    def _within(self, items: Stream) -> Stream:
        """Leave out what is known to be of other hosts."""
        wanted = frozenset(self.hosts)
        return (item for item in items if not wanted or host_of(item) in {"", *wanted})


def host_of(item: Evidence | Item) -> str:
    """Tell of which host something speaks; empty where it speaks of more."""
    if isinstance(item, Evidence):
        return item.target if item.source in ("host", "nvml") else ""
    if isinstance(item, ObjectState):
        return item.name if item.kind == "Node" else ""
    if isinstance(item, Series):
        return host_of_labels(item)
    return item.host if isinstance(item, Reading | Record | Span) else ""


class Needed:
    """A way to reach nodes by which only the probes go that a check needs."""

    def __init__(self, way: Transport, names: set[str]) -> None:
        self.name = way.name
        self._way = way
        self._left_out = {probe.name for probe in load_probes()} - names

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give the looks that are needed; a remote host is asked as a whole."""
        looks = self._way.looks(request, context)
        return (look for look in looks if look.name not in self._left_out)


def _read_start(since: str, settings: Settings) -> datetime | None:
    if not since:
        return None
    return read_moment(since, read_zone(settings.tz), datetime.now(UTC))
