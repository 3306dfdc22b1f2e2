"""The Markdown report parses into the tables it means, and no line of a log becomes markup."""

from markdown_it.token import Token

from integrations.rendering.markdown import render_markdown
from integrations.rendering.view import View
from tests.integrations.markup import parse


def _parse(view: View) -> list[Token]:
    return parse(render_markdown(view))


def test_every_section_is_a_heading(view: View) -> None:
    """The document has one title and the sections of the report."""
    tokens = _parse(view)

    assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1
    assert sum(token.tag == "h2" for token in tokens if token.type == "heading_open") >= 12


def test_tables_have_as_many_cells_as_columns(hostile: tuple[str, View]) -> None:
    """A pipe in a log line does not open a cell."""
    _, view = hostile
    rows: list[int] = []
    for token in _parse(view):
        if token.type == "tr_open":
            rows.append(0)
        elif token.type in ("th_open", "td_open"):
            rows[-1] += 1

    assert len(rows) > 30
    assert set(rows) <= {5, 6}


def test_hostile_lines_add_no_links_images_or_html(hostile: tuple[str, View]) -> None:
    """Links lead to our own anchors only; the only HTML is those anchors."""
    _, view = hostile
    inline = [child for token in _parse(view) for child in token.children or ()]

    links = {str(child.attrs["href"]) for child in inline if child.type == "link_open"}
    html = [child.content for child in inline if child.type == "html_inline"]
    assert all(link.startswith("#") for link in links)
    assert not any(child.type == "image" for child in inline)
    assert all(part.startswith(('<a id="', "</a>")) for part in html)
    assert not any(token.type == "html_block" for token in _parse(view))


def test_every_link_has_its_anchor(view: View) -> None:
    """Evidence, events, hypotheses and checks can be linked to."""
    text = render_markdown(view)
    inline = [child for token in _parse(view) for child in token.children or ()]

    links = {str(child.attrs["href"])[1:] for child in inline if child.type == "link_open"}
    assert {name for name in links if f'id="{name}"' not in text} == set()
