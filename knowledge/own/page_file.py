"""A page of an organisation, whole or an addition to one, known by its content's digest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from pydantic import Field, ValidationError

from knowledge.bilingual import Bilingual, Part, Phrases
from knowledge.catalog import OWN_FAMILY
from knowledge.errors import DocumentRefusedError, PageInvalidError
from knowledge.front_matter import read_page
from knowledge.own.document import Kept, page_digest
from knowledge.own.draft import clean
from knowledge.own.front import split_front
from knowledge.page import Advice, Check, Distinction, Link, Origin, Page, Remedy, Signature

_LISTS = (
    "codes", "signatures", "causes", "distinguish", "checks", "practice", "contain", "do_not",
    "remedies", "traps", "sources",
)  # fmt: skip


class Extension(Part):
    """What an organisation adds to a page, which else stays as it is.

    It cannot say when an occurrence is harmless, nor what speaks against the condition.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    extends: str
    codes: tuple[str, ...] = ()
    phrases: Phrases = Phrases()
    signatures: tuple[Signature, ...] = ()
    causes: tuple[Link, ...] = ()
    distinguish: tuple[Distinction, ...] = ()
    checks: tuple[Check, ...] = ()
    practice: tuple[Advice, ...] = ()
    contain: tuple[Advice, ...] = ()
    do_not: tuple[Advice, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    traps: tuple[Bilingual, ...] = ()
    sources: tuple[Origin, ...] = ()
    body: str = ""


@dataclass(frozen=True, slots=True)
class OwnPage:
    """A page as an organisation wrote it; `badge` says whose it is, from where and of when.

    `kept` tells it as the list of own things does, once it is not only read to be proved;
    `standing` says how it stands where it has no effect.
    """

    content: Page | Extension
    digest: str
    badge: str = ""
    kept: Kept | None = None
    standing: str = ""

    @property
    def id(self) -> str:
        """Its own id; of an extension not that of the page that it adds to."""
        return self.content.id

    @property
    def target(self) -> str:
        """The id of the page that is shown in the end."""
        return self.content.extends if isinstance(self.content, Extension) else self.content.id


def read_own_page(text: str, page_id: str, *, family: str = OWN_FAMILY, where: str = "") -> OwnPage:
    """Read a page or an extension; `page_id` stands where its front matter names none.

    Raises:
        PageInvalidError: a field does not fit, or the front matter cannot be read.
    """
    where = where or page_id
    try:
        front, body = split_front(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except DocumentRefusedError as error:
        raise PageInvalidError(where, error.why) from error
    if any(clean(each) != each for each in (*_texts(front), body)):
        raise PageInvalidError(where, "it holds control or invisible characters; take them out")
    name = front.get("id", page_id)
    name = name if isinstance(name, str) else page_id
    content: Page | Extension
    if "extends" in front:
        content = _read_extension({**front, "id": name, "body": body.strip()}, where)
    else:
        path = PurePosixPath(f"{name}.md")
        content = read_page(text.removeprefix("\ufeff"), path=path, family=family)
    return OwnPage(content, page_digest(name, family, text))


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for key, each in value.items():
                yield from _texts(key)
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)
        case _:
            pass


def extend(page: Page, extension: Extension) -> Page:
    """Return the page with what is added, behind its own."""
    added = {name: (*getattr(page, name), *getattr(extension, name)) for name in _LISTS}
    phrases = Phrases(
        **{
            name: (*getattr(page.phrases, name), *getattr(extension.phrases, name))
            for name in Phrases.model_fields
        }
    )
    body = "\n\n".join(filter(None, (page.body, extension.body)))
    return page.model_copy(update={**added, "phrases": phrases, "body": body})


def _read_extension(data: dict[str, object], where: str) -> Extension:
    try:
        return Extension.model_validate(data)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in faults)
        raise PageInvalidError(where, "; ".join(told)) from error
