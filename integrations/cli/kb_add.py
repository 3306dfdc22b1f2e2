"""Take an organisation's documents and pages into its own collection, or take one out."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from integrations.bootstrap import choose_words, load_settings, read_surroundings
from integrations.cli.fault import APPROVAL_REQUIRED, DENIED, FAILURE, NOT_ALLOWED, OK, UsageFault
from integrations.cli.options import LangOption, PlainOption, read_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from integrations.cli.kb_added import Added

_KINDS = "Markdown, text, HTML, PDF, docx, and zip or XML exports of Confluence are read."


def add(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE|FOLDER]…", help="Documents or pages.", parser=read_path),
    ] = None,
    *,
    day: Annotated[
        str, typer.Option("--date", metavar="D", help="Their date, YYYY-MM-DD; else their own.")
    ] = "",
    source: Annotated[
        str, typer.Option("--source", metavar="URL", help="Where they come from; else their path.")
    ] = "",
    remove: Annotated[
        str, typer.Option("--remove", metavar="ID", help="Take this one out instead.")
    ] = "",
    output: PlainOption = "text",
    lang: LangOption = None,
) -> int:
    """Add runbooks, postmortems and pages of your own: Markdown, HTML, PDF, Word, Confluence.

    Documents are found by `kb search`. A page has effect once an admin approved its digest; until
    then the exit code is 6.
    """
    from integrations.cli.kb_added import print_added, print_removed  # noqa: PLC0415 -- slow
    from integrations.cli.kb_intake import take_in  # noqa: PLC0415 -- as above
    from integrations.own import open_collection  # noqa: PLC0415 -- as above

    around = read_surroundings()
    settings = load_settings({"lang": lang}, around).settings
    words = choose_words(settings, around)
    if bool(remove) == bool(paths):
        raise UsageFault("Name files or folders to add, or --remove ID", "One of the two.")
    if remove:
        gone = open_collection(settings, around).remove(remove)
        print_removed(gone, words, as_json=output == "json")
        return OK
    found = take_in(paths or (), source.strip(), _read_day(day), settings, around)
    if all(each.status == "passed" for each in found):
        raise UsageFault("There is no document in what was named", _KINDS)
    print_added(found, words, as_json=output == "json")
    return tell_code(found)


def tell_code(found: "Sequence[Added]") -> int:
    """Return the exit code: the worst of what became of the files."""
    refused = [each for each in found if each.status == "refused"]
    if refused:
        return NOT_ALLOWED if all(each.forbidden for each in refused) else FAILURE
    if any(each.state == "rejected" for each in found):
        return DENIED
    return APPROVAL_REQUIRED if any(each.state in {"pending", "expired"} for each in found) else OK


def _read_day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageFault(f"{text} is not a date", "Write it as 2025-06-20.") from None
