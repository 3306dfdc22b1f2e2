"""Browse the handbook: list, show, search and lint its pages."""

from collections.abc import Mapping, Sequence
from typing import Annotated, get_args

import typer

from assistant.vocabulary import find_faulty
from integrations.bootstrap import (
    choose_words,
    load_settings,
    open_finder,
    open_handbook,
    open_postmortems,
    read_surroundings,
)
from integrations.cli.fault import FAILURE, OK, UsageFault
from integrations.cli.kb_add import add
from integrations.cli.kb_find import find_entry
from integrations.cli.kb_page import print_page
from integrations.cli.kb_postmortem import print_postmortem, print_postmortems
from integrations.cli.kb_similar import similar
from integrations.cli.options import LangOption, PlainOption
from integrations.cli.table import print_document, print_items, print_table
from integrations.rendering.document import SCHEMA_VERSION
from integrations.rendering.escaping import flatten
from integrations.wording.words import Words
from knowledge.catalog import Catalog
from knowledge.lint import lint as check_pages
from knowledge.listing import LAYERS, PLANES, FamilyCoverage, Row, coverage, matrix, rows
from knowledge.page import Page
from knowledge.problem import Problem
from tools.entity import ENTITY_KINDS

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})
FamilyOption = Annotated[
    list[str] | None, typer.Option("--family", help="Only this family; may be repeated.")
]
LayerOption = Annotated[
    list[str] | None, typer.Option("--layer", help="Only this layer; may be repeated.")
]
KindOption = Annotated[
    list[str] | None,
    typer.Option(
        "--kind", help="Only pages, postmortems or documents (page, postmortem, document)."
    ),
]
PlaneOption = Annotated[
    list[str] | None, typer.Option("--plane", help="Only this plane; may be repeated.")
]
LanguageOption = Annotated[
    list[str] | None,
    typer.Option("--language", help="Show only text in en or zh; may be repeated."),
]
_CODES = 40
"""Characters of the codes' column."""


@app.callback()
def _kb() -> None:
    """Browse the handbook: one page is one condition that can be true of an entity."""


@app.command("list")
def list_pages(
    *,
    covered: Annotated[bool, typer.Option("--coverage", help="Count pages instead.")] = False,
    postmortems: Annotated[
        bool, typer.Option("--postmortems", help="List incidents of the past instead.")
    ] = False,
    own: Annotated[
        bool, typer.Option("--own", help="List what was added instead: documents and own pages.")
    ] = False,
    output: PlainOption = "text",
    lang: LangOption = None,
) -> None:
    """List all pages, or with --coverage how many there are of each family, layer and plane."""
    if covered + postmortems + own > 1:
        raise UsageFault("--coverage, --postmortems and --own exclude each other", "Give one.")
    if own:
        _list_own(lang, as_json=output == "json")
        return
    catalog, words = _open(lang)
    if postmortems:
        past = open_postmortems(read_surroundings())
        print_postmortems(past, catalog.pages, words, as_json=output == "json")
        return
    if covered:
        _print_coverage(catalog, words, as_json=output == "json")
        return
    found = rows(catalog)
    if output == "json":
        print_items([{**_row(r), "badge": catalog.pages[r.id].badge or None} for r in found])
        return
    columns = [words(f"kb.{name}") for name in ("id", "codes", "layer", "plane", "title")]
    titles = {row.id: row.zh if words.lang == "zh" else row.en for row in found}
    print_table(
        columns,
        [
            (
                r.id,
                _some(r.codes),
                words(f"layer.{r.layer}"),
                words(f"plane.{r.plane}"),
                titles[r.id],
            )
            for r in found
        ],
    )


def _list_own(lang: str | None, *, as_json: bool) -> None:
    from integrations.cli.kb_own import list_own  # noqa: PLC0415 -- loads the database

    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    list_own(settings, around, choose_words(settings, around), as_json=as_json)


app.command()(add)


@app.command()
def show(
    page: Annotated[
        str, typer.Argument(metavar="ID", help="Id of a page, postmortem or document; or a code.")
    ],
    *,
    output: PlainOption = "text",
    lang: LangOption = None,
) -> None:
    """Show one page, one postmortem, or one document that was added."""
    if page.startswith("doc-") and _show_own(page, lang, as_json=output == "json"):
        return
    catalog, words = _open(lang)
    found = find_entry(catalog, open_postmortems(read_surroundings()), page)
    if output == "json":
        kind = "page" if isinstance(found, Page) else "postmortem"
        told = {"schema_version": SCHEMA_VERSION, "kind": kind}
        print_document({**told, **found.model_dump(mode="json")})
    elif isinstance(found, Page):
        print_page(found, catalog.pages, words)
    else:
        print_postmortem(found, catalog.pages, words)


def _show_own(name: str, lang: str | None, *, as_json: bool) -> bool:
    from integrations.cli.kb_own import show_own  # noqa: PLC0415 -- loads the database

    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    return show_own(name, settings, around, choose_words(settings, around), as_json=as_json)


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, a code or a log line.")],
    *,
    limit: Annotated[int, typer.Option("-k", min=1, max=100, help="At most so many.")] = 10,
    family: FamilyOption = None,
    layer: LayerOption = None,
    plane: PlaneOption = None,
    kind: KindOption = None,
    language: LanguageOption = None,
    output: PlainOption = "text",
    lang: LangOption = None,
) -> None:
    """Find pages and past incidents by code, log line, or words in English or Chinese."""
    if not query.strip():
        raise UsageFault("QUERY is empty", "Give words, a code or a log line.")
    from integrations.cli.kb_search import print_answer  # noqa: PLC0415 -- loads numpy
    from knowledge.search.corpus import Kind  # noqa: PLC0415 -- as above
    from knowledge.search.finder import Filters  # noqa: PLC0415 -- as above
    from knowledge.search.passages import LANGUAGES  # noqa: PLC0415 -- as above

    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    words = choose_words(settings, around)
    catalog = open_handbook(settings, around)
    families = sorted({page.family for page in catalog.pages.values()})
    filters = Filters(
        families=_known("family", family, families),
        layers=_known("layer", layer, LAYERS),
        planes=_known("plane", plane, PLANES),
        kinds=_known("kind", kind, get_args(Kind)),
        languages=_known("language", language, LANGUAGES),
    )
    opened = open_finder(settings, around, catalog)
    if opened.said:
        typer.echo(words("kb.rebuilt"), err=True)
    _print_warnings(catalog, words)
    answer = opened.finder.find(query, most=limit, filters=filters)
    print_answer(query, answer, words, as_json=output == "json")


def _known(what: str, wanted: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """Check the values of a filter; an unknown one would silently find nothing."""
    for name in wanted or ():
        if name not in known:
            raise UsageFault(f"There is no {what} {name!r}", f"There are {', '.join(known)}.")
    return tuple(wanted or ())


app.command()(similar)


@app.command()
def lint(*, output: PlainOption = "text") -> int:
    """Prove that every page and postmortem can work; exit 1 where one cannot."""
    around = read_surroundings()
    from integrations.own import whole_handbook  # noqa: PLC0415 -- only here
    from knowledge.catalog import load_catalog  # noqa: PLC0415 -- a broken page must not stop lint
    from knowledge.past import load_postmortems  # noqa: PLC0415 -- only here
    from knowledge.rules.postmortems import check_postmortems  # noqa: PLC0415 -- only here

    settings = load_settings({}, around).settings
    catalog = whole_handbook(load_catalog(tolerant=True), settings, around)
    words = (Problem(page, "vocabulary", fault) for page, fault in find_faulty(catalog))
    past = load_postmortems()
    incidents = check_postmortems(past, catalog)
    problems = [*check_pages(catalog, ENTITY_KINDS), *words, *incidents]
    errors = [problem for problem in problems if problem.level == "error"]
    if output == "json":
        print_items([
            {"page": p.page, "rule": p.rule, "level": p.level, "text": p.text} for p in problems
        ])  # fmt: skip
    else:
        for problem in problems:
            typer.echo(f"{problem.level}: {problem.page}: {problem.rule}: {problem.text}")
        for warning in catalog.warnings:
            typer.echo(f"skipped: {warning}")
        typer.echo(f"{len(catalog.pages)} pages, {len(past)} postmortems, {len(errors)} errors.")
    return FAILURE if errors or catalog.warnings else OK


def _some(codes: Sequence[str]) -> str:
    """Name codes as far as a column takes them, and how many more there are."""
    shown = [codes[n] for n in range(len(codes)) if len(", ".join(codes[: n + 1])) <= _CODES]
    left = len(codes) - len(shown)
    return ", ".join(shown) + (f" +{left}" if left else "")


def _open(lang: str | None) -> tuple[Catalog, Words]:
    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    catalog, words = open_handbook(settings), choose_words(settings, around)
    _print_warnings(catalog, words)
    return catalog, words


def _print_warnings(catalog: Catalog, words: Words) -> None:
    for warning in catalog.warnings:
        typer.echo(flatten(words.tell(warning)), err=True)


def _row(row: Row) -> Mapping[str, object]:
    return {
        "id": row.id,
        "codes": list(row.codes),
        "titles": {"en": row.en, "zh": row.zh},
        "layer": row.layer,
        "plane": row.plane,
        "family": row.family,
        "role": row.role,
        "severity": row.severity,
        "priority": row.priority,
        "signatures": row.signatures,
    }


def _page(page: Page) -> Mapping[str, object]:
    return {
        "id": page.id,
        "codes": list(page.codes),
        "titles": page.title.model_dump(),
        "layer": page.layer,
        "plane": page.plane,
        "family": page.family,
    }


def _print_coverage(catalog: Catalog, words: Words, *, as_json: bool) -> None:
    families = coverage(catalog)
    cells = matrix(catalog)
    if as_json:
        print_document({
            "schema_version": SCHEMA_VERSION,
            "items": [_family(one) for one in families],
            "matrix": [{"layer": k[0], "plane": k[1], "pages": n} for k, n in cells.items()],
        })  # fmt: skip
        return
    columns = ("family", "pages", "signatures", "guidance")
    print_table([words(f"kb.{name}") for name in columns], [
        (one.family, *map(str, (one.pages, one.signatures, one.guidance))) for one in families
    ])  # fmt: skip
    typer.echo()
    layers = list(dict.fromkeys(layer for layer, _ in cells))
    planes = list(dict.fromkeys(plane for _, plane in cells))
    print_table((words("kb.layer"), *(words(f"plane.{plane}") for plane in planes)), [
        (words(f"layer.{layer}"), *(str(cells[layer, plane]) for plane in planes))
        for layer in layers
    ])  # fmt: skip


def _family(one: FamilyCoverage) -> Mapping[str, object]:
    return {
        "family": one.family,
        "pages": one.pages,
        "guidance": one.guidance,
        "signatures": one.signatures,
        "layers": one.layers,
        "planes": one.planes,
        "roles": one.roles,
    }
