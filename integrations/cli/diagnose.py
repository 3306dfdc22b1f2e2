"""Diagnose files, bundles or the live system: where it began, why, and how it spread."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.alarm import is_alarming
from assistant.errors import StoreError
from assistant.gather import Live
from assistant.incident import Incident
from assistant.investigate import PRODUCT, investigate
from assistant.investigation import Investigation
from assistant.scope import SOURCE, nothing_matches, tell
from assistant.sentences import say
from assistant.settings import Settings
from integrations.bootstrap import (
    Surroundings,
    cache_dir,
    choose_colour,
    choose_width,
    choose_words,
    load_settings,
    open_handbook,
    open_incidents,
    open_live,
    read_surroundings,
)
from integrations.cli.fault import (
    DECIDED_BY_UNSEEN,
    FAIL_ON,
    INTERRUPTED,
    NOT_FOUND,
    OK,
    TIME_LIMIT,
    CommandFault,
    NotAllowedFault,
    NotFoundFault,
    StoppedFault,
    UsageFault,
)
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
from integrations.cli.progress import Progress
from integrations.cli.scope import Asked, build_incident
from integrations.cli.stopping import TimeLimitReached, limit_time
from integrations.rendering.escaping import make_visible
from integrations.rendering.view import View
from integrations.wording.errors import say_in_chinese
from integrations.wording.words import Words, load_words
from knowledge.catalog import Catalog
from tools.masks import prepare

if TYPE_CHECKING:
    from assistant.store import Store

_STDIN = Path("-")
_CHECK_NAME = "Check the name; nothing was read."

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
        if desk.found and code == NOT_FOUND:
            raise tell_unmet(desk.found, load_words("en") if output == "json" else words)
        if desk.found:
            view = View(desk.found, desk.catalog.pages, words)
            print_view(view, output, colour=colour, width=choose_width(around), whole=full)
            if output == "text" and desk.found.incident.id:
                typer.echo(words("progress.saved", id=desk.found.incident.id), err=True)
    return code


def tell_unmet(found: Investigation, words: Words) -> NotFoundFault:
    """Say what was asked for and stands nowhere: there is nothing else to report."""
    unmet = [words.say(tell(gap)) for gap in found.gaps if gap.source == SOURCE]
    return NotFoundFault(" ".join(dict.fromkeys(unmet)), words.say(say("scope-unmet-why")))


@contextmanager
def take_input(paths: Sequence[Path]) -> Iterator[Sequence[Path]]:
    """Let ``-`` stand for the standard input, kept as a file while it is read."""
    if _STDIN not in paths:
        yield paths
        return
    with tempfile.TemporaryDirectory(prefix="firstfault-") as room:
        saved = Path(room) / "stdin"
        with saved.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield [saved if path == _STDIN else path for path in paths]


def check_paths(paths: Sequence[Path]) -> Sequence[CommandFault]:
    """Find what cannot be read from, before anything is loaded; the rest is read without it.

    Raises:
        CommandFault: nothing is left to be read, and why the first is not.
    """
    faults = [fault for path in paths if (fault := _fault_of(path))]
    if faults and len(faults) == len(paths):
        raise faults[0]
    if paths and not any(_holds_a_file(path) for path in paths):
        names = ", ".join(str(path) for path in paths)
        raise NotFoundFault(f"There is no file in {names}.", "Nothing was read.")
    return faults


def _fault_of(path: Path) -> CommandFault | None:
    if not path.exists():
        return NotFoundFault(f"There is no file or folder {path}.", _CHECK_NAME)
    if not path.is_file() and not path.is_dir():
        hint = "Save what it gives to a file first, and name that."
        return UsageFault(f"{path} is neither a file nor a folder", hint)
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        hint = "Run as a user who may, or copy it to where this user may read."
        return NotAllowedFault(f"{path} may not be read by this user", hint)
    return None


def tell_unread(faults: Sequence[CommandFault], words: Words) -> None:
    """Say on stderr what is left out, for the rest is read."""
    for fault in faults:
        told = say_in_chinese(fault.message) if words.lang == "zh" else fault.message
        typer.echo(make_visible(told), err=True)


def _holds_a_file(path: Path) -> bool:
    return path.is_file() or any(inner.is_file() for inner in path.rglob("*"))


@dataclass
class Desk:
    """One run: what it works with, and the furthest it came."""

    settings: Settings
    around: Surroundings
    catalog: Catalog
    colour: bool | None
    found: Investigation | None = field(default=None, init=False)
    _store: "Store | None" = field(default=None, init=False)
    _last: Investigation | None = field(default=None, init=False)
    """The step that was kept last."""
    _held: Investigation | None = field(default=None, init=False)
    """A step that waits for the next to be kept."""
    _fresh: bool = field(default=False, init=False)
    """Whether the incident is this run's own."""

    def work(self, paths: Sequence[Path], incident: Incident, timeout_s: float = 0) -> int:
        """Investigate and return the exit code; what is known stays in `found`."""
        words = choose_words(self.settings, self.around)
        with Progress(words, self.catalog.pages, colour=self.colour) as progress:
            for warning in self.catalog.warnings:
                progress.say(warning)
            source = list(paths) or self._live(progress, incident.scope.nodes)
            try:
                with limit_time(timeout_s):
                    self._run(source, incident, progress)
            except TimeLimitReached:
                key = "time_limit" if self.found else "time_limit_nothing"
                progress.say(words(f"progress.{key}", seconds=f"{timeout_s:g}"))
                return TIME_LIMIT
            except KeyboardInterrupt:
                progress.say(words(f"progress.interrupted{'' if self.found else '_nothing'}"))
                return INTERRUPTED
            finally:
                if self._store:
                    self._store.close()
        return exit_code(self.found, self.settings)

    def _run(self, source: Sequence[Path] | Live, incident: Incident, progress: Progress) -> None:
        def on_step(investigation: Investigation) -> None:
            if self.found is None:
                # Not before: the files' digests are computed while the store is opened.
                self._store = self._open_store(progress)
            self._last = investigation
            self.found = self._kept(investigation)
            if not _misses(self.found):
                progress.step(self.found)

        done = investigate(source, incident, self.catalog, on_step=on_step)
        for gap in done.gaps:
            if gap.source == SOURCE and not _misses(done):
                progress.say(choose_words(self.settings, self.around).say(tell(gap)))
        if done is not self._last:
            self.found = self._kept(done)
        self._tell_shut(progress)

    def _tell_shut(self, progress: Progress) -> None:
        """Say that trouble lies in an incident that nobody has open any more."""
        found = self.found
        diagnosis = found.diagnosis if found else None
        if self._store is None or found is None or not found.incident.id or diagnosis is None:
            return
        kept = self._store.describe(found.incident.id)
        if kept.status != "open" and diagnosis.verdict != "healthy":
            words, key = choose_words(self.settings, self.around), f"progress.is_{kept.status}"
            progress.say(words(key, id=kept.id, whole=kept.merged_into))

    def _kept(self, found: Investigation) -> Investigation:
        """Keep a step under its incident's id; what is shown to be healthy begins as closed."""
        if self._store is None or _misses(found) or found.step == "opened":
            return found
        if found.step == "recognised":
            # Whether anything is of what was asked for is known once it is in order.
            self._held = found
            return found
        self._fresh = self._fresh or not self._store.holds(found)
        if self._held is not None:
            self._store.save(self._held)
            self._held = None
        kept = self._store.save(found)
        if self._fresh and kept.diagnosis and kept.diagnosis.verdict == "healthy":
            self._store.close_incident(kept.incident.id, author=PRODUCT)
        return kept

    def _live(self, progress: Progress, hosts: Sequence[str]) -> Live:
        live = open_live(self.settings, self.around, hosts)
        live.on_progress = progress.follow
        return live

    def _open_store(self, progress: Progress) -> "Store | None":
        """Open the store; a diagnosis must not fail because it cannot be kept."""
        try:
            return open_incidents(self.settings, self.around)
        except StoreError as error:
            words = choose_words(self.settings, self.around)
            progress.say(words("progress.not_stored", why=str(error)))
            return None


def _misses(found: Investigation) -> bool:
    """Tell whether nothing that was asked for is in the evidence."""
    return nothing_matches(found.incident.scope, found.gaps)


def exit_code(found: Investigation | None, settings: Settings) -> int:
    """Return the contract's code: 10 wins over 5, and findings alone change nothing."""
    diagnosis = found.diagnosis if found else None
    if found is None or diagnosis is None:
        return OK
    if _misses(found):
        return NOT_FOUND
    if settings.fail_on and found.priority and found.priority.level <= settings.fail_on:
        hurt = diagnosis.verdict == "inconclusive" and any(map(is_alarming, found.timeline.events))
        if diagnosis.verdict == "fault" or hurt:
            return FAIL_ON
    return DECIDED_BY_UNSEEN if diagnosis.decided_by_unseen else OK
