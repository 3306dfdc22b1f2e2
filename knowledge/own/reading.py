"""Reads a file of an organisation by what it holds, not by its name, into drafts."""

import re
from collections.abc import Iterator

from knowledge.errors import DocumentRefusedError
from knowledge.own.draft import MOST_CHARACTERS, Draft, Refusal
from knowledge.own.formats import archive, confluence, pdf
from knowledge.own.formats.archive import Archive, open_archive

MOST_BYTES = 64 << 20
"""Of one file; an archive unpacks to more, within its own bounds."""
SUFFIXES = (
    ".md", ".markdown", ".txt", ".html", ".htm", ".xhtml", ".pdf", ".docx", ".zip", ".xml",
)  # fmt: skip
"""Files of a folder that are read; others are attachments."""
_HEAD = 4096
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_XML = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml\b")
_EXPORT = b"<hibernate-generic"
_HTML = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_HTML_NAME = re.compile(r"\.x?html?$", re.IGNORECASE)
_BINARY = re.compile(rb"[\x00-\x06\x0e-\x1a]")
_WORD = "word/document.xml"
_DOCTYPE = b"<!DOCTYPE"
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_CHINESE = "GB18030"
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
_LEAST_CHINESE = 4
_EVERYDAY = 0.9
"""Share of the signs that GB 2312 holds: other encodings decode too, to rare signs."""
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def read_drafts(content: bytes, name: str) -> Iterator[Draft | Refusal]:
    """Yield what a file holds; `name` only helps where content alone does not tell.

    Raises:
        DocumentRefusedError: nothing of it can be read.
    """
    if not content.strip():
        raise DocumentRefusedError("", "it is empty")
    if content.startswith(archive.MARK):
        yield from _read_zip(content, name)
    elif _EXPORT in content[:_HEAD]:
        yield from confluence.read_confluence(content)
    elif found := _read_one(content, name):
        yield found.model_copy(update={"name": ""})


def _read_one(content: bytes, name: str) -> Draft | None:
    """Read a file that holds one document."""
    if content[:1024].lstrip().startswith(pdf.MARK):
        return pdf.read_pdf(content, name)
    if content.startswith(archive.MARK):
        return _read_packed(content, name)
    if content.startswith(_OLD_OFFICE):
        why = "an encrypted or old Office file; save it as docx without a password"
        raise DocumentRefusedError(name, why)
    if _HTML.match(content[:_HEAD]) or (_HTML_NAME.search(name) and not _is_binary(content)):
        from knowledge.own.formats.html import read_html  # noqa: PLC0415 -- each loads its library

        return read_html(_decode_html(content, name), name)
    if _XML.match(content):
        raise DocumentRefusedError(name, "XML of a kind not known here")
    text, encoding = _decode(content, name)
    if len(text) > MOST_CHARACTERS:
        why = f"it holds {len(text):,} characters, more than {MOST_CHARACTERS:,}; split it"
        raise DocumentRefusedError(name, why)
    from knowledge.own.formats.markdown import read_markdown  # noqa: PLC0415 -- as above

    return read_markdown(text, name).model_copy(update={"encoding": encoding})


def _read_packed(content: bytes, name: str) -> Draft:
    """Read a Word document; another archive inside an archive is refused."""
    held = open_archive(content)
    if _WORD not in held.names():
        raise DocumentRefusedError(name, "an archive inside an archive; add it by itself")
    return _read_word(held, content, name)


def _read_word(held: Archive, content: bytes, name: str) -> Draft:
    for info in held.members():
        inner = held.read(info)  # A bomb is found here, before the library unpacks it unbounded.
        if info.filename.endswith((".xml", ".rels")) and _DOCTYPE in inner.replace(b"\0", b""):
            # The library would leave their text out without a word.
            why = f"a Word document that defines entities ({info.filename}); save it anew in Word"
            raise DocumentRefusedError(name, why)
    from knowledge.own.formats.docx import read_docx  # noqa: PLC0415 -- each loads its library

    return read_docx(content, name)


def _read_zip(content: bytes, name: str) -> Iterator[Draft | Refusal]:
    held = open_archive(content)
    if _WORD in held.names():
        yield _read_word(held, content, name).model_copy(update={"name": ""})
        return
    exports = [i for i in held.members() if i.filename.rpartition("/")[2] == confluence.MEMBER]
    for info in exports:
        yield from confluence.read_confluence(held.read(info, archive.MOST_UNPACKED))
    if not exports:
        yield from _read_members(held)


def _read_members(held: Archive) -> Iterator[Draft | Refusal]:
    """Read each document of an archive; one that cannot be read does not stop the others."""
    wanted = [info for info in held.members() if info.filename.lower().endswith(SUFFIXES)]
    if not wanted:
        raise DocumentRefusedError("", "an archive without documents")
    for info in wanted:
        try:
            found = _read_one(held.read(info), info.filename)
        except DocumentRefusedError as error:
            yield Refusal(name=info.filename, why=error.why)
        else:
            yield from (found,) if found else ()


def _is_binary(content: bytes) -> bool:
    return bool(_BINARY.search(content[:65536]))


def _decode_html(content: bytes, name: str) -> str:
    """Decode as the page says of itself where it is not UTF-8."""
    declared = _CHARSET.search(content[:_HEAD])
    for encoding in ("utf-8-sig", declared[1].decode() if declared else ""):
        try:
            return content.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return _decode(content, name)[0]


def _decode(content: bytes, name: str) -> tuple[str, str]:
    """Return the text, and the encoding's name where it is not the usual."""
    encoding = _MARKS.get(content[:2], "utf-8-sig")
    if encoding != "utf-16" and _BINARY.search(content):
        raise DocumentRefusedError(name, "not a document: it is binary, of a kind not known here")
    try:
        return content.decode(encoding), ""
    except UnicodeDecodeError as error:
        if encoding != "utf-16" and (text := _decode_chinese(content)):
            return text, _CHINESE
        why = f"not UTF-8 at byte {error.start}; save it as UTF-8"
        raise DocumentRefusedError(name, why) from error


def _decode_chinese(content: bytes) -> str:
    """Decode Chinese text as it was written before UTF-8; empty where it is something else."""
    try:
        text = content.decode(_CHINESE)
    except UnicodeDecodeError:
        return ""
    foreign = [sign for sign in text if not sign.isascii()]
    everyday = sum(bool(sign.encode("gb2312", "ignore")) for sign in foreign)
    enough = len(foreign) >= _LEAST_CHINESE and everyday >= _EVERYDAY * len(foreign)
    return text if enough and _IDEOGRAPH.search(text) else ""
