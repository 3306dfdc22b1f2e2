"""All pages, loaded and validated, and the lookups over them."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath, PurePosixPath

from knowledge.errors import PageDuplicateError, PageInvalidError, PageUnknownError
from knowledge.page import Link, MetricSignature, Page, Signature, TextSignature
from knowledge.page_cache import PageCache
from knowledge.template import placeholders

OWN_FAMILY = "own"
"""The family of an organisation's page that lies in no sub-folder."""

PROGRESS_PAUSE_S = 120.0
"""Steps that come within this are one run of work; a longer pause may be a stall."""
HARMLESS_PAUSE_S = 3600.0
RECOVERY_PAUSE_S = 300.0
"""A writer that says "well again" so often without complaint in between says it once."""

_WORD = re.compile(r"[a-z]+|[0-9]+")
_FILLERS = frozenset({"code", "error", "status", "no", "number"})
_LONGEST_CODE = 3
_STRUCTURED = frozenset({"event", "alert"})
"""Channels that never come as lines of a log: their readers deliver every record."""


@dataclass(frozen=True)
class Catalog:
    """The handbook in memory.

    `digest` is the SHA-256 over the bytes of all pages in order of id; `warnings` says in one line
    each which pages of an organisation were skipped and why. `pending` are pages that nobody
    approved: search shows their prose, and they take part in nothing else.
    """

    pages: Mapping[str, Page]
    digest: str = ""
    warnings: tuple[str, ...] = ()
    pending: Mapping[str, Page] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Let what is derived from a catalog be kept under it."""
        return hash((self.digest, len(self.pages)))

    def page(self, page_id: str) -> Page:
        """Return the page of this id.

        Raises:
            PageUnknownError: no page has it.
        """
        try:
            return self.pages[page_id]
        except KeyError:
            raise PageUnknownError(page_id) from None

    def by_code(self, text: str) -> tuple[Page, ...]:
        """Find pages by the codes in `text`: ``GST-2001``, ``xid 79``, ``exit code 137``."""
        found = {page: None for run in _code_runs(text) for page in self._codes.get(run, ())}
        return tuple(self.pages[page] for page in found)

    def signatures(self) -> Iterator[tuple[Page, Signature]]:
        """Yield every signature with its page."""
        for page in self.pages.values():
            for signature in page.signatures:
                yield page, signature

    def literals(self) -> tuple[str, ...]:
        """Every text of which a matching line must contain one: the prefilter of all readers."""
        return self._literals

    def kernel_literals(self) -> tuple[str, ...]:
        """The literals that only kernel signatures use."""
        return self._kernel_literals

    def hum_literals(self) -> Mapping[str, float]:
        """The literals of harmless lines and recoveries that name nothing but their writer.

        Each has the pause in seconds that means something: progress that stops for so long.
        """
        return self._hum_literals

    def queries(self) -> tuple[tuple[str, str], ...]:
        """Name and expression of every PromQL query, each once."""
        return self._queries

    def links_from(self, page_id: str) -> tuple[Link, ...]:
        """What the condition causes."""
        return self.page(page_id).causes

    def links_to(self, page_id: str) -> tuple[tuple[Page, Link], ...]:
        """What causes the condition: each cause with its link."""
        return self._links_to.get(page_id, ())

    @cached_property
    def _literals(self) -> tuple[str, ...]:
        return tuple(sorted({literal for _, literal in self._sourced_literals}))

    @cached_property
    def _kernel_literals(self) -> tuple[str, ...]:
        others = {literal for source, literal in self._sourced_literals if source != "kernel"}
        return tuple(literal for literal in self._literals if literal not in others)

    @cached_property
    def _hum_literals(self) -> Mapping[str, float]:
        telling: set[str] = set()
        pauses: dict[str, float] = {}
        for page, signature in self.signatures():
            if isinstance(signature, TextSignature):
                if page.role != "benign" or _names_more(signature):
                    telling.add(signature.literal)
                pause = PROGRESS_PAUSE_S if page.progress else HARMLESS_PAUSE_S
                pauses[signature.literal] = min(pause, pauses.get(signature.literal, pause))
                if signature.ends and "(?P<" in signature.ends.regex:
                    telling.add(signature.ends.literal)
                elif signature.ends:
                    pauses[signature.ends.literal] = RECOVERY_PAUSE_S
        return {literal: pause for literal, pause in pauses.items() if literal not in telling}

    @cached_property
    def _sourced_literals(self) -> frozenset[tuple[str, str]]:
        texts = [
            signature
            for _, signature in self.signatures()
            if isinstance(signature, TextSignature) and signature.source not in _STRUCTURED
        ]
        begins = {(s.source, s.literal) for s in texts if s.literal}
        ends = {(s.ends.source or s.source, s.ends.literal) for s in texts if s.ends}
        return frozenset(begins | ends)

    @cached_property
    def _queries(self) -> tuple[tuple[str, str], ...]:
        metrics = (s for _, s in self.signatures() if isinstance(s, MetricSignature))
        return tuple(sorted({(s.query, s.expr) for s in metrics}))

    @cached_property
    def _links_to(self) -> Mapping[str, tuple[tuple[Page, Link], ...]]:
        links: dict[str, list[tuple[Page, Link]]] = {}
        for page in self.pages.values():
            for link in page.causes:
                links.setdefault(link.effect, []).append((page, link))
        return {effect: tuple(causes) for effect, causes in links.items()}

    @cached_property
    def _codes(self) -> Mapping[str, tuple[str, ...]]:
        codes: dict[str, list[str]] = {}
        for page in self.pages.values():
            for code in page.codes:
                codes.setdefault("".join(_code_words(code)), []).append(page.id)
        return {code: tuple(pages) for code, pages in codes.items()}


def load_catalog(
    extra: Sequence[Path] = (), *, tolerant: bool = False, cache: Path | None = None
) -> Catalog:
    """Load the shipped handbook and the pages in `extra` files and folders.

    A broken extra page is skipped with a warning; if `tolerant`, so is a broken shipped one (for
    `kb lint`, which wants to report all of them). `cache` is a folder on a local disk where
    validated pages are kept for the next run; a cache that cannot be used costs only time.

    Raises:
        PageInvalidError: a shipped page is broken.
        PageDuplicateError: two pages have one name, wherever they lie.
    """
    shelf = _Shelf(PageCache(cache))
    for file, where, family in _shipped():
        shelf.add(file, where, family, tolerant=tolerant)
    for path, family in _own(extra):
        shelf.add(path, path, family, tolerant=True)
    return shelf.catalog()


class _Shelf:
    """Pages as they are collected."""

    def __init__(self, cache: PageCache) -> None:
        self._cache = cache
        self._pages: dict[str, Page] = {}
        self._digests: dict[str, bytes] = {}
        self._places: dict[str, str] = {}
        self._warnings: list[str] = []

    def add(self, file: Traversable, where: PurePath, family: str, *, tolerant: bool) -> None:
        if where.stem in self._places:
            raise PageDuplicateError(where.stem, self._places[where.stem], str(where))
        self._places[where.stem] = str(where)
        try:
            self._read(file.read_bytes(), where, family)
        except (PageInvalidError, OSError) as error:
            if not tolerant:
                raise
            self._warnings.append(f"page skipped: {error}")

    def _read(self, content: bytes, where: PurePath, family: str) -> None:
        key = self._cache.key(content, where.name, family)
        page = self._cache.get(key)
        if page is None:
            from knowledge.front_matter import read_page  # noqa: PLC0415 -- YAML is slow to load

            page = read_page(_decode(content, str(where)), path=where, family=family)
            self._cache.put(key, page)
        self._pages[page.id] = page
        self._digests[page.id] = hashlib.sha256(content).digest()

    def catalog(self) -> Catalog:
        self._cache.save()
        ids = sorted(self._pages)
        digest = hashlib.sha256()
        for page_id in ids:
            digest.update(page_id.encode() + b"\0" + self._digests[page_id])
        return Catalog({i: self._pages[i] for i in ids}, digest.hexdigest(), tuple(self._warnings))


def _shipped() -> Iterator[tuple[Traversable, PurePosixPath, str]]:
    root = files("knowledge") / "handbook"
    for family in sorted(root.iterdir(), key=lambda folder: folder.name):
        if not family.is_dir():
            continue
        for file in sorted(family.iterdir(), key=lambda entry: entry.name):
            if file.name.endswith(".md"):
                yield file, PurePosixPath("handbook", family.name, file.name), family.name


def _own(extra: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    for root in extra:
        for path in sorted(root.rglob("*.md")) if root.is_dir() else [root]:
            in_folder = root.is_dir() and path.parent != root
            yield path, path.parent.name if in_folder else OWN_FAMILY


def _names_more(signature: TextSignature) -> bool:
    """Tell whether lines of one writer can speak of different things."""
    templates = (*signature.entity.values(), *signature.peer.values())
    named = {name for template in templates for name in placeholders(template)}
    from_text = any(f"(?P<{name}>" in signature.regex for name in named)
    return from_text or signature.yields != "event" or bool(signature.relation)


def _decode(content: bytes, where: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise PageInvalidError(where, f"not UTF-8 at byte {error.start}") from error


def _code_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _FILLERS]


def _code_runs(text: str) -> Iterator[str]:
    words = _code_words(text)
    for start in range(len(words)):
        for length in range(1, _LONGEST_CODE + 1):
            yield "".join(words[start : start + length])
