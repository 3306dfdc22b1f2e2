"""`firstfault kb similar`: past incidents that an incident, or a chain of conditions, is like."""

import re
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import typer

from integrations.bootstrap import (
    choose_colour,
    choose_width,
    choose_words,
    load_settings,
    open_finder,
    open_handbook,
    open_incidents,
    open_postmortems,
    read_surroundings,
)
from integrations.cli.fault import UsageFault
from integrations.cli.kb_find import find_page
from integrations.cli.options import LangOption, PlainOption
from integrations.cli.table import print_items
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from assistant.settings import Settings
    from integrations.bootstrap import Surroundings
    from integrations.rendering.view import View
    from integrations.wording.words import Words
    from knowledge.catalog import Catalog
    from knowledge.similar import Course, Similar

_INCIDENT = compile_late(r"I-\d{8}-\d+", re.ASCII)


def similar(
    *,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[INCIDENT|PAGE]…",
            help="A kept incident's id, or pages and codes in the order in which they came.",
        ),
    ] = None,
    words_told: Annotated[
        str, typer.Option("--words", metavar="TEXT", help="Also find incidents by these words.")
    ] = "",
    output: PlainOption = "text",
    lang: LangOption = None,
) -> None:
    """Find past incidents that spread as this one does, and what would tell them apart."""
    if not names and not words_told.strip():
        raise UsageFault("Nothing to compare", "Name an incident or pages, or give --words TEXT.")
    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    words, catalog = choose_words(settings, around), open_handbook(settings, around)
    told = _find_told(settings, around, catalog, words_told) if words_told.strip() else ()
    found = _find(names or (), told, (settings, around), catalog)
    _print(found, catalog, words, as_json=output == "json")


def _find(
    names: Sequence[str],
    told: Sequence[str],
    opened: "tuple[Settings, Surroundings]",
    catalog: "Catalog",
) -> "Sequence[Similar]":
    from integrations.rendering.past import find_past  # noqa: PLC0415 -- help needs no report
    from knowledge.similar import find_similar  # noqa: PLC0415 -- as above

    settings, around = opened
    past = open_postmortems(around)
    if len(names) == 1 and _INCIDENT.fullmatch(names[0]):
        return find_past(_load(names[0], settings, around, catalog), told)
    return find_similar(_course(names, catalog), past, catalog.pages, told=told)


def _course(names: Sequence[str], catalog: "Catalog") -> "Course":
    """Take pages in the order in which they are named, the first for the root."""
    from knowledge.similar import Course  # noqa: PLC0415 -- help needs none

    wrong = [name for name in names if _INCIDENT.fullmatch(name)]
    if wrong:
        raise UsageFault(f"{wrong[0]} stands beside other names", "Name one incident, or pages.")
    pages = list(dict.fromkeys(find_page(catalog, name).id for name in names))
    return Course(tuple(pages[:1]), tuple(pairwise(pages)))


def _load(
    incident: str, settings: "Settings", around: "Surroundings", catalog: "Catalog"
) -> "View":
    from integrations.rendering.view import View  # noqa: PLC0415 -- help needs no report

    with closing(open_incidents(settings, around)) as store:
        found = store.load(incident)
    return View(found, catalog.pages, choose_words(settings, around), open_postmortems(around))


def _find_told(
    settings: "Settings", around: "Surroundings", catalog: "Catalog", words: str
) -> Sequence[str]:
    from knowledge.search.incidents import find_incidents  # noqa: PLC0415 -- loads numpy

    return find_incidents(open_finder(settings, around, catalog).finder, words)


def _print(
    found: "Sequence[Similar]", catalog: "Catalog", words: "Words", *, as_json: bool
) -> None:
    from integrations.rendering.past import list_past, tell_past  # noqa: PLC0415 -- as above
    from integrations.rendering.terminal import open_console, print_section  # noqa: PLC0415 -- too

    if as_json:
        print_items(list_past(found, catalog.pages, words))
        return
    if not found:
        typer.echo(words("past.nothing"), err=True)
        return
    around = read_surroundings()
    console = open_console(sys.stdout, colour=choose_colour(around), width=choose_width(around))
    print_section(tell_past(found, catalog.pages, words), console)
