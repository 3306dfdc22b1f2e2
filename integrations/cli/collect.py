"""Save evidence to a bundle before a restart destroys it, the most volatile first."""

import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from assistant.gather import LIVE_LOOKBACK, build_request
from assistant.incident import Incident
from assistant.settings import Settings
from integrations.bootstrap import (
    choose_colour,
    choose_words,
    load_settings,
    new_capture_folder,
    open_context,
    open_handbook,
    open_transports,
    read_surroundings,
)
from integrations.cli.fault import NotFoundFault, UsageFault
from integrations.cli.options import (
    ContextOption,
    JobOption,
    LangOption,
    NodeOption,
    PodOption,
    SinceOption,
    UntilOption,
    ZoneOption,
)
from integrations.cli.progress import Progress
from integrations.cli.scope import Asked, build_incident
from integrations.cli.shortfall import tell_shortfall
from knowledge.catalog import Catalog
from tools.archive import pack
from tools.capture import Capture
from tools.collecting import collect as collect_evidence
from tools.transport.local import Local
from tools.workspace import MANIFEST

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})
STDOUT = "-"
ARCHIVE = ".tar.zst"
_HINT = f"Give a folder, new or of an earlier run, or a name that ends in {ARCHIVE}."
_OF_A_BUNDLE = frozenset({MANIFEST, "manifest.json", "incident.yaml", "incident.yml"})
_OTHER_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".zip", ".zst")


@app.command()
def collect(
    *,
    out: Annotated[
        str, typer.Option("--out", metavar="PATH", help="A folder, a .tar.zst, or - for stdout.")
    ] = "",
    context: ContextOption = None,
    since: SinceOption = "",
    until: UntilOption = "",
    tz: ZoneOption = None,
    node: NodeOption = None,
    pod: PodOption = None,
    job: JobOption = "",
    deadline: Annotated[
        float | None, typer.Option("--deadline", metavar="S", min=1, help="Stop after so long.")
    ] = None,
    size_cap: Annotated[
        int | None, typer.Option("--size-cap", metavar="MIB", min=1, help="Store at most so much.")
    ] = None,
    lang: LangOption = None,
) -> None:
    """Save evidence from the running system; run it again on the same folder to resume.

    \b
      firstfault collect --out incident-42            a folder; prints its path
      firstfault collect --out incident-42.tar.zst --since 2h
    """  # noqa: D301 -- \b keeps the framework from joining the lines
    check_target(out)
    around = read_surroundings()
    flags = {"context": context, "tz": tz, "deadline_s": deadline, "size_cap_mib": size_cap}
    settings = load_settings({**flags, "lang": lang}, around).settings
    incident = _within(build_incident(Asked(since, until, node or (), pod or (), job), settings))
    catalog = open_handbook(settings)
    words = choose_words(settings, around)
    with Progress(words, catalog.pages, colour=choose_colour(around)) as progress:
        if out == STDOUT or out.endswith(ARCHIVE):
            got = _collect_packed(out, settings, incident, catalog, progress)
        else:
            folder = Path(out) if out else new_capture_folder(settings, around)
            if not out:
                progress.say(words("progress.no_out", folder=folder))
            got = _collect(folder, settings, incident, catalog, progress)
            out = str(folder)
    if out != STDOUT:  # whoever asked over ssh reads the errors of ssh there, and the manifest
        typer.echo(out)
        for line in tell_shortfall(got, words):
            typer.echo(line, err=True)


def check_target(out: str) -> None:
    """Refuse a place that can hold no bundle, before anything is looked at.

    Raises:
        UsageFault: it is a file already, a folder of other things, or another kind of archive.
        NotFoundFault: the archive's folder is not there.
    """
    target = Path(out)
    if out in ("", STDOUT):
        return
    if out.endswith(ARCHIVE):
        if not target.parent.is_dir():
            message = f"There is no folder {target.parent} to put {target.name} in."
            raise NotFoundFault(message, "Make it first, or give another --out.")
        return
    if out.endswith(_OTHER_ARCHIVES):
        raise UsageFault(f"--out {out}: bundles are packed as {ARCHIVE} only", f"Write {ARCHIVE}.")
    if target.exists() and not target.is_dir():
        raise UsageFault(f"--out {out} is a file", _HINT)
    if target.is_dir() and not _may_hold_a_bundle(target):
        raise UsageFault(f"--out {out} is a folder that holds other things", _HINT)


def _may_hold_a_bundle(folder: Path) -> bool:
    names = {entry.name for entry in folder.iterdir()}
    return not names or not names.isdisjoint(_OF_A_BUNDLE)


def _within(incident: Incident) -> Incident:
    """Bound an open look to the last hours."""
    window = incident.window
    if window.since:
        return incident
    since = (window.until or datetime.now(UTC)) - LIVE_LOOKBACK
    return incident.model_copy(update={"window": window.model_copy(update={"since": since})})


def _collect(
    folder: Path,
    settings: Settings,
    incident: Incident,
    catalog: Catalog,
    progress: Progress,
    *,
    alone: bool = False,
) -> Sequence[Capture]:
    # A bundle for stdout is one host's part of a fan-out: were every host to read the whole
    # cluster too, a sick API server would be asked thirty times at once.
    hosts = incident.scope.nodes
    request = build_request(catalog, incident)
    if alone:  # whoever asks has widened the window already
        request = request.model_copy(update={"window": incident.window})
    context = open_context(settings, folder)
    collect_evidence(
        request,
        context,
        transports=(Local(),) if alone else open_transports(settings, hosts),
        deadline_s=settings.deadline_s,
        on_progress=progress.follow,
    )
    return list(context.workspace.captures())


def _collect_packed(
    out: str, settings: Settings, incident: Incident, catalog: Catalog, progress: Progress
) -> Sequence[Capture]:
    """Collect beside the archive and pack; the archive appears only when it is whole."""
    target = Path(out)
    beside = None if out == STDOUT else target.parent
    with tempfile.TemporaryDirectory(prefix=".collect-", dir=beside) as room:
        folder = Path(room) / "bundle"
        got = _collect(folder, settings, incident, catalog, progress, alone=out == STDOUT)
        if out == STDOUT:
            pack(folder, sys.stdout.buffer)
            return got
        packed = Path(room) / "packed"
        with packed.open("wb") as stream:
            pack(folder, stream)
        packed.replace(target)
    return got
