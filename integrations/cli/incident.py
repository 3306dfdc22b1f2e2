"""List, show and keep incidents: notes, who has them, merge, split, close and reopen."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

from assistant.incident import Incident, Scope
from assistant.investigation import Investigation
from assistant.scope import keys_of
from assistant.store import Kept, Store
from integrations.bootstrap import (
    choose_colour,
    choose_width,
    choose_words,
    current_user,
    load_settings,
    open_handbook,
    open_incidents,
    open_postmortems,
    read_surroundings,
)
from integrations.cli.fault import NotFoundFault, UsageFault
from integrations.cli.options import (
    FormOption,
    FullOption,
    LangOption,
    NodeOption,
    PlainOption,
)
from integrations.cli.output import print_view
from integrations.cli.table import print_document, print_items, print_table
from integrations.rendering.document import SCHEMA_VERSION, build_document
from integrations.rendering.moments import write_iso, write_stamp
from integrations.rendering.naming import for_people
from integrations.rendering.view import View
from integrations.wording.words import Words

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})

_NAMES = 20
_OF_NODES = frozenset({"host", "journal", "nvml", "dcgm", "containers"})
"""Sources whose captures have a node as their target."""

IncidentArgument = Annotated[str, typer.Argument(metavar="ID", help="Such as I-20250620-1.")]


@app.callback()
def _incident() -> None:
    """Incidents that `diagnose` saved."""


@dataclass(frozen=True, slots=True)
class Drawer:
    """The store with the words to speak of it."""

    store: Store
    words: Words
    user: str


@app.command("list")
def list_incidents(*, output: PlainOption = "text", lang: LangOption = None) -> None:
    """List all incidents, the latest first."""
    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    with _open(lang) as drawer:
        found = drawer.store.list()
        pages = open_handbook(settings).pages if found else {}
        views = [for_people(View(drawer.store.load(one.id), pages, drawer.words)) for one in found]
    rows = [(kept, *_conclude(kept, view)) for kept, view in zip(found, views, strict=True)]
    if output == "json":
        print_items([
            {**kept.model_dump(mode="json"), "title": title, "priority": level, "verdict": verdict}
            for kept, title, level, verdict in rows
        ])  # fmt: skip
        return
    words = drawer.words
    if not rows:
        typer.echo(words("incident.none"), err=True)
        return
    names = ("id", "status", "priority", "verdict", "assignee", "updated", "title")
    print_table([words(f"incident.{name}") for name in names], [
        (
            kept.id, words(f"incident.{kept.status}"), level,
            words(f"verdict.{verdict}") if verdict else "", kept.assignee,
            write_stamp(kept.updated_at), title,
        )
        for kept, title, level, verdict in rows
    ])  # fmt: skip


def _conclude(kept: Kept, view: View) -> tuple[str, str, str]:
    """Return title (the headline where nobody gave one), level and verdict of an incident."""
    priority, diagnosis = view.investigation.priority, view.diagnosis
    title = kept.title or (view.headline() if diagnosis else "")
    return title, priority.level if priority else "", diagnosis.verdict if diagnosis else ""


@app.command()
def show(
    incident: IncidentArgument,
    *,
    output: FormOption = "text",
    full: FullOption = False,
    lang: LangOption = None,
) -> None:
    """Show an incident's diagnosis again."""
    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    with _open(lang) as drawer:
        investigation = drawer.store.load(incident)
    pages, past = open_handbook(settings).pages, open_postmortems(around)
    view = View(investigation, pages, drawer.words, past)
    colour, width = choose_colour(around), choose_width(around)
    print_view(view, output, colour=colour, width=width, whole=full)


@app.command()
def timeline(
    incident: IncidentArgument, *, output: PlainOption = "text", lang: LangOption = None
) -> None:
    """Show what happened and what people noted, in order."""
    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    with _open(lang) as drawer:
        investigation, notes = drawer.store.load(incident), drawer.store.notes(incident)
    view = View(investigation, open_handbook(settings).pages, drawer.words)
    if output == "json":
        print_document({
            "schema_version": SCHEMA_VERSION,
            "incident": incident,
            "events": build_document(view)["events"],
            "notes": [note.model_dump(mode="json") for note in notes],
        })  # fmt: skip
        return
    happened = [
        (event.start.utc, view.onset(event, day=True), view.label(event), event.id)
        for event in view.shown_events
    ]
    noted = [(note.at, write_stamp(note.at), note.text, note.author) for note in notes]
    words = drawer.words
    columns = (words("column.time"), words("column.what"), "")
    print_table(columns, [row[1:] for row in sorted(happened + noted)])


@app.command()
def note(
    incident: IncidentArgument,
    text: Annotated[list[str], typer.Argument(metavar="TEXT")],
    *,
    output: PlainOption = "text",
) -> None:
    """Write a note."""
    if not " ".join(text).strip():
        raise UsageFault("TEXT is empty", "Write what is to be remembered.")
    with _open(None) as drawer:
        drawer.store.note(incident, " ".join(text), author=drawer.user)
        _confirm(drawer, incident, output)


@app.command()
def assign(
    incident: IncidentArgument,
    user: Annotated[str, typer.Argument(metavar="USER")],
    *,
    output: PlainOption = "text",
) -> None:
    """Give an incident to somebody."""
    if not user.strip():
        raise UsageFault("USER is empty", "Name who takes it over.")
    with _open(None) as drawer:
        drawer.store.assign(incident, user, author=drawer.user)
        _confirm(drawer, incident, output)


@app.command()
def merge(
    incident: IncidentArgument,
    other: Annotated[str, typer.Argument(metavar="ID", help="Becomes part of the first.")],
    *,
    output: PlainOption = "text",
) -> None:
    """Make the second incident a part of the first."""
    if incident == other:
        raise UsageFault(f"{incident} cannot be merged into itself", "Name two incidents.")
    with _open(None) as drawer:
        drawer.store.merge(incident, other, author=drawer.user)
        _confirm(drawer, incident, output)


@app.command()
def split(
    incident: IncidentArgument,
    title: Annotated[list[str] | None, typer.Argument(metavar="[TITLE]")] = None,
    *,
    node: NodeOption = None,
    output: PlainOption = "text",
) -> None:
    """Open a new incident out of another, with its own title and nodes."""
    nodes = tuple(dict.fromkeys(node or ()))
    with _open(None) as drawer:
        _check_nodes(nodes, drawer.store, incident)
        title_of_part = " ".join(title or ()) or _title_of_part(drawer, incident, nodes)
        part = Incident(title=title_of_part, scope=Scope(nodes=nodes))
        opened = drawer.store.split(incident, part, author=drawer.user)
        _confirm(drawer, opened.incident.id, output)


def _check_nodes(nodes: Sequence[str], store: Store, incident: str) -> None:
    """Refuse a node that the incident does not know: its part would be about nothing.

    Raises:
        NotFoundFault: no evidence of the incident, or of what was merged into it, names it.
    """
    taken_in = [kept.id for kept in store.list() if kept.merged_into == incident]
    known = frozenset[str]().union(*(_nodes_of(store.load(one)) for one in (incident, *taken_in)))
    unknown = [node for node in nodes if node not in known]
    if unknown:
        names = ", ".join(sorted(known)[:_NAMES]) + (", …" if len(known) > _NAMES else "")
        hint = f"It knows {names}." if known else "It names no node; leave out --node."
        raise NotFoundFault(f"{incident} knows no node {', '.join(unknown)}.", hint)


def _nodes_of(found: Investigation) -> frozenset[str]:
    """Return the nodes that an incident's question, events and captures name."""
    named = {
        name for event in found.timeline.events for kind, name in keys_of(event) if kind == "node"
    }
    looked = {one.target for one in found.evidence if one.source in _OF_NODES and one.target}
    return frozenset({*named, *looked, *found.incident.scope.nodes})


def _title_of_part(drawer: Drawer, incident: str, nodes: Sequence[str]) -> str:
    """Tell by its title which part it is: of several without one, none could be told apart."""
    number = 1 + sum(kept.split_from == incident for kept in drawer.store.list())
    what = ", ".join([_title_of(drawer, incident), *nodes])
    return drawer.words("incident.part", number=number, id=incident, what=what)


def _title_of(drawer: Drawer, incident: str) -> str:
    """Return the title that the list shows."""
    pages = open_handbook(load_settings({}, read_surroundings()).settings).pages
    view = for_people(View(drawer.store.load(incident), pages, drawer.words))
    return _conclude(drawer.store.describe(incident), view)[0]


@app.command()
def close(incident: IncidentArgument, *, output: PlainOption = "text") -> None:
    """Close an incident."""
    with _open(None) as drawer:
        drawer.store.close_incident(incident, author=drawer.user)
        _confirm(drawer, incident, output)


@app.command()
def reopen(incident: IncidentArgument, *, output: PlainOption = "text") -> None:
    """Open a closed or merged incident again."""
    with _open(None) as drawer:
        drawer.store.reopen(incident, author=drawer.user)
        _confirm(drawer, incident, output)


@contextmanager
def _open(lang: str | None) -> Iterator[Drawer]:
    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    store = open_incidents(settings, around)
    try:
        yield Drawer(store, choose_words(settings, around), current_user())
    finally:
        store.close()


def _confirm(drawer: Drawer, incident: str, output: str) -> None:
    kept = drawer.store.describe(incident)
    if output == "json":
        print_document({"schema_version": SCHEMA_VERSION, **_describe(kept)})
    else:
        parts = (
            kept.id,
            drawer.words(f"incident.{kept.status}"),
            kept.assignee,
            kept.merged_into,
            kept.title,
        )
        typer.echo(" · ".join(part for part in parts if part))


def _describe(kept: Kept) -> Mapping[str, object]:
    times = {"created_at": write_iso(kept.created_at), "updated_at": write_iso(kept.updated_at)}
    return {**kept.model_dump(mode="json"), **times}
