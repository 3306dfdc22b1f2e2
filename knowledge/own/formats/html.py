"""HTML as text: block by block, without scripts, styles and what a reader would not see."""

import re
from collections.abc import Iterator
from datetime import date

from selectolax.lexbor import LexborHTMLParser, LexborNode

from knowledge.own.dates import find_date, read_date
from knowledge.own.draft import Block, Draft, make_draft, one_line

FORMAT = "html"
_DROPPED = [
    "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "head", "nav",
    "footer", "form", "button", "select", "textarea",
]  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl",
    "dt", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li",
    "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
})  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = frozenset({"td", "th"})
_ROOTS = ("#main-content", "main", "article", "body")
"""Where the text of a page lies; the first is Confluence's."""
_TITLES = ("#title-text", "h1", "title")
_METAS = (
    "article:modified_time", "last-modified", "dcterms.modified", "date", "dcterms.date",
    "article:published_time",
)  # fmt: skip
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MODIFIED = re.compile(r"last (?:modified|updated)(?: by .{0,80}?)? on (.{6,40})", re.IGNORECASE)
_INDEX = re.compile(r"(?:^|/)index\.x?html?$", re.IGNORECASE)
_BESIDE = re.compile(r"(?![a-z]+:|/|#)[^?#]+\.x?html?", re.IGNORECASE)
_FEW_WORDS = 120
"""Characters of text beside links and headings, as of who made an index."""
_NUMBERED = re.compile(r"(?:^|[/_])(\d{4,})\.html?$")


def read_html(content: bytes | str, name: str = "") -> Draft | None:
    """Read one HTML page; None for a list of an export's pages.

    Raises:
        DocumentRefusedError: it holds no text.
    """
    tree = LexborHTMLParser(content)
    if tree.css_first("div.pageSection > ul > li > a") and not tree.css_first("#title-heading"):
        return None
    if _INDEX.search(name) and _is_list(tree):
        return None
    stated, source, title = _date(tree), _source(tree, name), _title(tree)
    found = (tree.css_first(each) for each in _ROOTS)
    root = next((each for each in found if each is not None), None)
    blocks = list(_blocks(root)) if root is not None else []
    stated = stated or find_date("\n".join(each.text for each in blocks[:30]))
    draft = Draft(name=name, format=FORMAT, title=title, source=source, stated=stated)
    return make_draft(blocks, draft)


def _is_list(tree: LexborHTMLParser) -> bool:
    """Tell whether a page holds links to others beside it and hardly a word of its own."""
    links = (node.attributes.get("href") or "" for node in tree.css("body a"))
    if not any(_BESIDE.match(link) for link in links):
        return False
    told = LexborHTMLParser(tree.html or "")
    told.strip_tags([*_DROPPED, "a", *_HEADINGS])
    return len(told.body.text(strip=True) if told.body else "") < _FEW_WORDS


def read_blocks(content: str) -> Iterator[Block]:
    """Read a piece of HTML."""
    root = LexborHTMLParser(content).body
    return _blocks(root) if root is not None else iter(())


def _title(tree: LexborHTMLParser) -> str:
    for each in _TITLES:
        node = tree.css_first(each)
        if node is not None and node.text().strip():
            title = one_line(node.text())
            # Confluence writes the space's name before a page's.
            return title.partition(" : ")[2] or title
    return ""


def _date(tree: LexborHTMLParser) -> date | None:
    metadata = tree.css_first(".page-metadata")
    if metadata is not None and (told := _MODIFIED.search(one_line(metadata.text(), 500))):
        return read_date(told.group(1))
    metas = {
        (node.attributes.get("property") or node.attributes.get("name") or "").lower(): node
        for node in tree.css("meta")
    }
    contents = (metas[key].attributes.get("content") for key in _METAS if key in metas)
    times = (node.attributes.get("datetime") for node in tree.css("time"))
    return next(filter(None, map(read_date, (*contents, *times))), None)


def _source(tree: LexborHTMLParser, name: str) -> str:
    if tree.css_first(".page-metadata") and (number := _NUMBERED.search(name)):
        return f"confluence:{number[1]}"
    link = tree.css_first("link[rel=canonical]")
    address = (link.attributes.get("href") or "") if link is not None else ""
    return address if address.startswith(("http://", "https://")) else ""


def _blocks(root: LexborNode) -> Iterator[Block]:
    """Join the texts that one block holds, in their order; cells of a row with a bar."""
    root.strip_tags(_DROPPED)
    held: list[str] = []
    block, cell = root, None
    for node in root.traverse(include_text=True):
        if node.tag == "br":
            held.append("\n")
        if not node.is_text_node:
            continue
        mine, in_cell, hidden = _place(node, root)
        if hidden:
            continue
        if mine.mem_id != block.mem_id:
            yield _block(block, held)
            held, cell = [], None
        elif in_cell is not None and cell is not None and in_cell.mem_id != cell.mem_id:
            held.append(" | ")
        block, cell = mine, in_cell
        held.append(node.text_content or "")
    yield _block(block, held)


def _place(node: LexborNode, root: LexborNode) -> tuple[LexborNode, LexborNode | None, bool]:
    """Return the block that a text lies in, its cell in a row, and whether it is hidden."""
    cell: LexborNode | None = None
    block: LexborNode | None = None
    hidden = False
    above = node.parent
    while above is not None:
        tag = above.tag or ""
        if block is None and tag in _CELLS:
            cell = above
        if block is None and tag in _BLOCKS:
            block = above
        hidden = hidden or _is_hidden(above)
        if above.mem_id == root.mem_id:
            break
        above = above.parent
    return block or root, cell, hidden


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


def _block(node: LexborNode, texts: list[str]) -> Block:
    text = "".join(texts)
    if node.tag == "pre":
        return Block(text.strip("\n"))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    level = _HEADINGS.get(node.tag or "", 0)
    joined = " ".join(filter(None, lines))
    return Block(joined, level)
