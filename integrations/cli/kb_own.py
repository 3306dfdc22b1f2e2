"""Lists and shows what an organisation added."""

from collections.abc import Iterator

from assistant.settings import Settings
from assistant.standing import Standing
from integrations.bootstrap import Surroundings
from integrations.cli.kb_added import print_own, print_text
from integrations.own import gather_own, judge_own, open_collection
from integrations.wording.words import Words
from knowledge.errors import NotOwnError
from knowledge.own.document import PART_MARK, Kept


def list_own(settings: Settings, around: Surroundings, words: Words, *, as_json: bool) -> None:
    """List every version of all that was added, and the pages of the folders in the settings."""
    print_own(list(_rows(settings, around)), words, as_json=as_json)


def show_own(
    name: str, settings: Settings, around: Surroundings, words: Words, *, as_json: bool
) -> bool:
    """Show a document that was added; tell whether there is one of that name."""
    collection = open_collection(settings, around)
    try:
        kept = collection.find(name.partition(PART_MARK)[0])
    except NotOwnError:
        return False
    if kept.kind != "document":
        return False
    print_text(kept, collection.document(kept), words, as_json=as_json)
    return True


def _rows(settings: Settings, around: Surroundings) -> Iterator[tuple[Kept, Standing]]:
    pages = gather_own(settings, around).pages
    standings = judge_own(pages, settings, around)
    every = list(open_collection(settings, around).kept())
    lying = (page.kept for page in pages if page.kept and page.kept not in every)
    return ((kept, standings[kept.digest]) for kept in (*every, *lying))
