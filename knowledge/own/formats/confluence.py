"""Confluence's XML export: current pages of ``entities.xml``, with their dates."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from knowledge.errors import DocumentRefusedError
from knowledge.own.dates import read_date
from knowledge.own.draft import Draft, Refusal, make_draft, one_line
from knowledge.own.formats.html import read_blocks

FORMAT = "confluence"
MEMBER = "entities.xml"
_KINDS = ("Page", "BlogPost")


@dataclass
class _Export:
    pages: dict[str, dict[str, str]] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)


def read_confluence(content: bytes) -> Iterator[Draft | Refusal]:
    """Yield the current pages and blog posts; drafts, deleted and earlier versions are left out.

    Raises:
        DocumentRefusedError: it is no well-formed XML, or defines entities of its own.
    """
    export = _Export()
    try:
        for _, element in iterparse(BytesIO(content), forbid_dtd=True):
            if element.tag == "object":
                _take(element, export)
                element.clear()
    except (ParseError, DefusedXmlException, ValueError) as error:
        why = f"a damaged Confluence export: {one_line(repr(error))}"
        raise DocumentRefusedError(MEMBER, why) from error
    for key, told in export.pages.items():
        yield _page(key, told, export.bodies.get(key, ""))


def _page(key: str, told: dict[str, str], body: str) -> Draft | Refusal:
    title = one_line(told.get("title", "")) or key
    draft = Draft(
        name=title,
        format=FORMAT,
        title=title,
        source=f"confluence:{key}",
        stated=read_date(told.get("lastModificationDate") or told.get("creationDate")),
    )
    try:
        return make_draft(read_blocks(_plain(body)), draft)
    except DocumentRefusedError as error:
        return Refusal(name=title, why=error.why)


def _plain(body: str) -> str:
    """Free the text of code macros, which lies in sections that HTML does not know."""
    return body.replace("<![CDATA[", "<pre>").replace("]]>", "</pre>").replace("]] >", "</pre>")


def _take(element: Element, export: _Export) -> None:
    told = {each.get("name", ""): each.text or "" for each in element.iter("property")}
    if element.get("class") == "BodyContent":
        if (owner := _id(element, "property[@name='content']/id")) and told.get("body"):
            export.bodies[owner] = told["body"]
    elif element.get("class") in _KINDS:
        current = told.get("contentStatus", "current") == "current"
        earlier = element.find("property[@name='originalVersion']") is not None
        if current and not earlier and (own := _id(element, "id")):
            export.pages[own] = told


def _id(element: Element, path: str) -> str:
    found = element.find(path)
    return ((found.text if found is not None else "") or "").strip()
