"""Put a node beside a peer: driver, firmware, kernel, mounts and settings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from assistant.comparison import REQUEST, Comparison, compare_paths
from assistant.settings import Settings
from integrations.bootstrap import (
    Surroundings,
    choose_words,
    load_settings,
    new_capture_folder,
    open_context,
    open_transports,
    read_surroundings,
)
from integrations.cli.fault import NotFoundFault, UsageFault
from integrations.cli.input import check_paths
from integrations.cli.options import ContextOption, LangOption, PlainOption, read_path
from integrations.cli.table import print_document, print_table
from integrations.rendering.document import SCHEMA_VERSION
from integrations.wording.words import Words
from tools.collecting import collect

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})
_NAMES = 12
_DIFFERS, _SAME, _UNKNOWN = "≠", "=", "?"


@app.command()
def compare(
    node: Annotated[str, typer.Argument(metavar="NODE")],
    peer: Annotated[str, typer.Argument(metavar="PEER")],
    *,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="PATH",
            help="A bundle or files; else the live system.",
            parser=read_path,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what is the same on both.")
    ] = False,
    context: ContextOption = None,
    output: PlainOption = "text",
    lang: LangOption = None,
) -> None:
    """Compare two nodes over captures, or over a fresh look at both."""
    if node == peer:
        raise UsageFault(f"NODE and PEER are both {node}", "Name two nodes.")
    around = read_surroundings()
    settings = load_settings({"context": context, "lang": lang}, around).settings
    check_paths(source or ())
    paths = source or [_look(settings, around, (node, peer))]
    found = compare_paths(node, peer, paths)
    if found.absent:
        missing = " and ".join(found.absent)
        named = [host for host in (node, peer) if host not in found.absent]
        raise NotFoundFault(
            f"Nothing was found of {missing}.", _say_names(sorted({*named, *found.others}))
        )
    if len(found.unseen) > 1:
        raise NotFoundFault(
            f"Nothing to compare was found of {node} and {peer}.",
            "The evidence names both but tells no version, setting or mount of theirs.",
        )
    if output == "json":
        _print_json(found)
        return
    _print_text(found, choose_words(settings, around), everything=everything)


def _say_names(hosts: Sequence[str]) -> str:
    if not hosts:
        return "The evidence names no node."
    more = ", …" if len(hosts) > _NAMES else ""
    told = ", ".join(hosts[:_NAMES]) + more
    return f"Name nodes as the evidence does; it speaks of: {told}."


def _print_text(found: Comparison, words: Words, *, everything: bool) -> None:
    rows = [row for row in found.rows if everything or row.node != row.peer]
    if not rows:
        typer.echo(words("compare.no_difference", count=len(found.rows)))
        return
    print_table(
        ("", words("column.what"), "", found.node, found.peer),
        [
            (
                _mark(one.node, one.peer),
                words(f"aspect.{one.aspect}"),
                words.tell(one.name),
                one.node,
                one.peer,
            )
            for one in rows
        ],
    )
    typer.echo(f"\n{words('compare.legend')}")
    for host in found.unseen:
        typer.echo(words("compare.unseen", host=host), err=True)


def _look(settings: Settings, around: Surroundings, hosts: Sequence[str]) -> Path:
    folder = new_capture_folder(settings, around)
    return collect(
        REQUEST,
        open_context(settings, folder),
        transports=open_transports(settings, hosts),
        deadline_s=settings.deadline_s,
    )


def _mark(node: str, peer: str) -> str:
    if not node or not peer:
        return _UNKNOWN
    return _SAME if node == peer else _DIFFERS


def _print_json(found: Comparison) -> None:
    print_document({
        "schema_version": SCHEMA_VERSION,
        "node": found.node,
        "peer": found.peer,
        "unseen": list(found.unseen),
        "items": [{**row.model_dump(), "differs": row.differs} for row in found.rows],
    })  # fmt: skip
