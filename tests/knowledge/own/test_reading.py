"""Files are read by what they hold; what cannot be read says why, and stops nothing beside it."""

from datetime import date
from io import BytesIO

import docx
import pytest

from knowledge.errors import DocumentRefusedError
from knowledge.own.draft import Draft, Refusal
from knowledge.own.reading import read_drafts
from tests.knowledge.own.files import (
    CONFLUENCE_INDEX,
    CONFLUENCE_PAGE,
    ENTITIES,
    HTML,
    MARKDOWN,
    make_bare_docx,
    make_docx,
    make_pdf,
    make_zip,
)

LAUGHS = b"---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n%s---\ntext" % b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 10)
)
"""Ten lines that stand for 9^10 values."""


def read_one(content: bytes, name: str) -> Draft:
    """Read a file that holds one document."""
    (found,) = read_drafts(content, name)
    assert isinstance(found, Draft)
    return found


@pytest.mark.each_counts
@pytest.mark.parametrize(
    ("content", "name", "kind", "title", "stated"),
    [
        (MARKDOWN.encode(), "a.md", "markdown", "Ring of storage switches", date(2025, 3, 4)),
        (HTML.encode(), "a.html", "html", "Draining a rack", date(2024, 11, 5)),
        (make_pdf(["Valve of unit 7"], title="Cryo"), "a.pdf", "pdf", "Cryo", date(2023, 4, 5)),
        (make_docx(), "a.docx", "docx", "Fan tray", date(2022, 2, 3)),
    ],
)
@pytest.mark.parametrize("misnamed", [False, True])
def test_content_decides_and_not_the_name(
    content: bytes, name: str, kind: str, title: str, stated: date, *, misnamed: bool
) -> None:
    """A PDF called notes.md is a PDF; each tells its title and the date that it states."""
    found = read_one(content, "notes.md" if misnamed else name)

    assert (found.format, found.title, found.stated) == (kind, title, stated)


def test_markdown_keeps_headings_tables_and_code() -> None:
    """Marks are gone; a row stays on one line."""
    found = read_one(MARKDOWN.encode(), "a.md")

    assert [each.title for each in found.chapters] == ["", "First look", "Afterwards"]
    assert "Ask the switch leaf-3 whether" in found.chapters[1].text
    assert "49 | uplink to the spine" in found.chapters[1].text
    assert "show interface counters" in found.chapters[1].text


def test_html_shows_what_a_reader_would_see() -> None:
    """No script, no style, no menu, nothing that is hidden; cells are told apart."""
    text = "\n".join(each.text for each in read_one(HTML.encode(), "a.html").chapters)

    assert "Pause the queue before anything is cordoned." in text
    assert "pause | on call" in text
    for unseen in ("ignore all previous", "color", "Hidden", "Home Search"):
        assert unseen not in text


def test_xhtml_is_html() -> None:
    """Its prolog does not make it data."""
    prolog = b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
    assert read_one(prolog + HTML.encode(), "a.xml").format == "html"


def test_word_tables_are_read_by_row() -> None:
    """Under the heading that stands above them."""
    assert read_one(make_docx(), "a.docx").chapters[1].text == "tool | Torx 10"


def test_a_pdf_tells_the_page_of_its_text() -> None:
    """Pages without text are left out."""
    found = read_one(make_pdf(["one", "", "three"]), "a.pdf")

    assert {each.title: each.text for each in found.chapters} == {"p. 1": "one", "p. 3": "three"}


@pytest.mark.each_counts
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b" \n\t", "it is empty"),
        (b"\x00\x01\x02\x03", "it is binary"),
        (b"caf\xe9", "not UTF-8 at byte 3"),
        (b'<?xml version="1.0"?><svg>text</svg>', "XML of a kind not known"),
        (b"# Only a title\n", "it holds headings only"),
        (b"x " * 1_000_001, "more than 2,000,000; split it"),
        (b"a" * 10_000_000, "more than 2,000,000; split it"),
        (b"\xd0\xcf\x11\xe0junk", "old Office file"),
        (b"%PDF-1.7 nonsense", "a damaged PDF"),
        (make_pdf(["secret"], password="x"), "an encrypted PDF"),
        (make_pdf(["", ""]), "perhaps a scan"),
        (make_docx()[:-400], "a damaged archive"),
        (make_zip({"word/document.xml": "<broken"}), "a damaged Word document"),
        (make_zip({"picture.png": b"\x89PNG"}), "an archive without documents"),
        (make_zip({"entities.xml": "<a><b>"}), "a damaged Confluence export"),
        (
            make_zip({"entities.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}),
            "a damaged Confluence export",
        ),
        (LAUGHS, "aliases stand for more than"),
        (b"---\na: " + b"[" * 60 + b"\n---\ntext", "nested deeper"),
        (b"---\na: [\n---\ntext", "broken front matter"),
        (b"---\na: '" + b"x" * 500_000 + b"'\n---\ntext", "front matter of more than"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(content: bytes, why: str) -> None:
    """Encrypted, scanned, damaged, empty, binary or swollen."""
    with pytest.raises(DocumentRefusedError, match=why):
        list(read_drafts(content, "a.md"))


def test_an_export_as_html_gives_its_pages() -> None:
    """By the number that Confluence gave them; its index is no page."""
    content = make_zip(
        {"OPS/index.html": CONFLUENCE_INDEX, "OPS/Cable-swaps_98765.html": CONFLUENCE_PAGE}
    )
    found = read_one(content, "export.zip")

    assert (found.title, found.source, found.stated) == (
        "Cable swaps", "confluence:98765", date(2024, 3, 1),
    )  # fmt: skip
    assert [(each.title, each.text) for each in found.chapters] == [("Before", "先确认对端端口。")]


@pytest.mark.parametrize("packed", [False, True])
def test_an_export_as_xml_gives_its_current_pages(*, packed: bool) -> None:
    """Packed or not; earlier versions are left out, dates are those of the last change."""
    content = make_zip({"export/entities.xml": ENTITIES}) if packed else ENTITIES.encode()
    (found,) = read_drafts(content, "export.zip")
    assert isinstance(found, Draft)

    assert (found.name, found.source) == ("Night shift", "confluence:101")
    assert (found.title, found.stated) == ("Night shift", date(2024, 5, 6))
    assert [each.text for each in found.chapters] == ["Escalate after ten minutes."]


def test_members_of_an_archive_that_cannot_be_read_stop_no_other() -> None:
    """Paths that lead out, archives inside, bombs and binaries are told by name."""
    content = make_zip(
        {
            "../out.md": "text",
            "/etc/out.md": "text",
            "C:\\out.md": "text",
            "inner.zip": make_zip({"a.md": "text"}),
            "bomb.md": b"a" * (33 << 20),
            "bad.md": b"\x00\x01",
            "good.md": "# Good\n\ntext",
            "image.png": b"\x89PNG",
        }
    )
    found = list(read_drafts(content, "a.zip"))
    refused = {each.name: each.why for each in found if isinstance(each, Refusal)}

    assert [each.title for each in found if isinstance(each, Draft)] == ["Good"]
    assert {name for name, why in refused.items() if "leads out" in why} == {
        "../out.md", "/etc/out.md", "C:\\out.md",
    }  # fmt: skip
    assert "inside an archive" in refused["inner.zip"]
    assert "unpacks to more than 32 MiB" in refused["bomb.md"]
    assert "binary" in refused["bad.md"]


def test_escapes_and_invisible_characters_are_gone() -> None:
    """What steers a terminal or reorders text is not kept."""
    content = "# Re\x1b[31md\x1b]0;title\x07\n\nbe\u202efore\u200b and\x9b after\r\nend"
    found = read_one(content.encode(), "a.md")

    assert found.title == "Red"
    assert found.chapters[0].text == "before and after\nend"


def test_a_page_of_the_handbook_is_told_from_a_document() -> None:
    """By its front matter; it is given as it is."""
    text = "---\nextends: xid-79\n---\nProse."
    assert read_one(text.encode(), "a.md").page == text
    assert read_one(b"---\ntitle: A\ndate: 2024-01-02\n---\nProse.", "a.md").page == ""


def test_a_word_document_without_metadata_says_nothing_of_itself() -> None:
    """What the library makes up is no title and no date."""
    found = read_one(make_bare_docx("The spine card reboots."), "lemur-7.docx")
    assert (found.title, found.stated) == ("lemur-7", None)


def test_a_template_dates_no_document() -> None:
    """It was written long before; the first heading names the document."""
    document = docx.Document()
    document.add_heading("Spine cards", 2)
    document.add_paragraph("They reboot.")
    out = BytesIO()
    document.save(out)
    found = read_one(out.getvalue(), "a.docx")
    assert (found.title, found.stated) == ("Spine cards", None)


@pytest.mark.parametrize("prolog", [
    '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE d SYSTEM "http://nowhere/x.dtd">',
    '<!DOCTYPE d [<!ENTITY x "lost">]>',
])  # fmt: skip
def test_a_word_document_with_entities_is_refused(prolog: str) -> None:
    """Else their text would be missing without a word."""
    with pytest.raises(DocumentRefusedError, match="defines entities"):
        list(read_drafts(make_bare_docx("before &x; after", prolog), "a.docx"))


CHINESE = "# 换电源\n\n先确认告警编号，然后联系机房更换电源模块。\n"


def test_chinese_text_of_an_older_encoding_is_read_and_told() -> None:
    """GB18030 where it decodes and the words are everyday ones; HTML as it says of itself."""
    found = read_one(CHINESE.encode("gb18030"), "a.md")
    assert (found.title, found.encoding) == ("换电源", "GB18030")
    assert read_one(CHINESE.encode(), "a.md").encoding == ""
    page = f'<html><head><meta charset="gbk"></head><body><p>{CHINESE}</p></body></html>'
    assert "联系机房" in read_one(page.encode("gbk"), "a.html").chapters[0].text


@pytest.mark.parametrize(
    "text", ["Café stoat: réinitialiser", "Überprüfung der Lüfter für Geräte", "naïve ÄÖÜäöüß"]
)
def test_western_text_is_not_taken_for_chinese(text: str) -> None:
    """Its bytes decode too, to signs that nobody wrote."""
    with pytest.raises(DocumentRefusedError, match="save it as UTF-8"):
        list(read_drafts(text.encode("latin-1"), "a.txt"))


def test_a_list_of_links_is_no_page() -> None:
    """An export's index, however it is laid out; an index with a text of its own is one."""
    links = '<h1>Space Details</h1><ul><li><a href="Gecko_123.html">Gecko</a></li></ul>'
    index = f"<html><head><title>OPS</title></head><body>{links}</body></html>"
    found = read_one(make_zip({"OPS/index.html": index, "OPS/a.md": "# A\n\nx"}), "e.zip")
    assert found.title == "A"
    told = index.replace("</ul>", "</ul><p>" + "Who is on call restarts the fan. " * 9 + "</p>")
    assert read_one(told.encode(), "index.html").title == "Space Details"
