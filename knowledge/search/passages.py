"""What search reads of a page: passages by section and language, each under its page's titles."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from knowledge.bilingual import Bilingual
from knowledge.page import MetricSignature, Page, StateSignature, TextSignature

Section = Literal[
    "overview", "title", "phrases", "signs", "links", "differences", "checks", "actions",
    "practice", "traps", "disputes", "notes", "chapter",
]  # fmt: skip
Language = Literal["en", "zh"]
Form = Literal["phrase", "text"]
FORMS: tuple[Form, ...] = ("text", "phrase")
LANGUAGES: tuple[Language, ...] = ("en", "zh")
EMBEDDED: frozenset[Section] = frozenset(("overview", "title", "phrases", "practice", "chapter"))
"""Sections that get vectors; the others cost a third of a build each and told hardly more (measured
on the tuned half of `evals/retrieval`). Words find all of them."""

_CODES = re.compile(r"^[^:：]*\d[^:：]*[:：]\s*")

MOST_CHARACTERS = 420
"""A passage holds whole sentences up to so many characters: what one vector can still tell, and
what a small model embeds in some 30 ms."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a page that can be found.

    `text` is in `lang`; `heading` joins both titles. `signs` holds samples of lines, which are of
    no language: search finds them by their words alone, without a vector.
    """

    id: str
    page: str
    section: Section
    lang: Language
    heading: str
    text: str

    @property
    def embedded(self) -> bool:
        """Tell whether it gets a vector."""
        return self.section in EMBEDDED

    @property
    def form(self) -> Form:
        """Tell a phrase, as people ask, from text that explains."""
        return "phrase" if self.section in ("title", "phrases") else "text"

    @property
    def group(self) -> str:
        """Name the texts that share a centre with it."""
        return f"{self.form}-{self.lang}"

    @property
    def digest(self) -> str:
        """Name its vector by all that it is made of."""
        return hashlib.sha256(f"{self.lang}\0{self.text}".encode()).hexdigest()


def passages_of(page: Page) -> Iterator[Passage]:
    """Yield the passages of a page, in order of section; ids are stable and unique."""
    for lang in LANGUAGES:
        yield from cut(page.id, page.title, lang, _sections(page, lang))


def cut(
    entry: str, title: Bilingual, lang: Language, sections: Iterable[tuple[Section, Iterable[str]]]
) -> Iterator[Passage]:
    """Cut the sections of one language into passages; each phrase stays alone."""
    heading = f"{title.en} / {title.zh}"
    for section, sentences in sections:
        alone = section in ("title", "phrases")
        texts = sentences if alone else _packed(getattr(title, lang), sentences)
        for number, text in enumerate(texts):
            yield Passage(f"{entry}/{section}/{lang}/{number}", entry, section, lang, heading, text)


def _sections(page: Page, lang: Language) -> Iterator[tuple[Section, Iterable[str]]]:
    yield "overview", (getattr(page.summary, lang),)
    yield "title", (_bare(getattr(page.title, lang)),)
    yield "phrases", getattr(page.phrases, lang)
    if lang == "en":
        yield "signs", _signs(page)
    yield "links", _said((link.why for link in page.causes), lang)
    yield "differences", _said((each.means for each in page.distinguish), lang)
    yield "checks", _said((check.tells for check in page.checks), lang)
    yield "actions", _actions(page, lang)
    yield (
        "practice",
        (f"{getattr(each.text, lang)} {getattr(each.why, lang)}" for each in page.practice),
    )
    yield "traps", _said(page.traps, lang)
    yield "disputes", _disputes(page, lang)
    if lang == "en":
        yield "notes", (" ".join(each.split()) for each in page.body.split("\n\n"))


def _bare(title: str) -> str:
    """Return a title without the codes before its colon: the condition by its plain name."""
    return _CODES.sub("", title)


def _signs(page: Page) -> Iterator[str]:
    yield " ".join((page.id, *page.codes))
    yield " ".join(page.phrases.names)
    yield from page.phrases.lines
    for signature in page.signatures:
        match signature:
            case TextSignature():
                yield from signature.examples
                yield f"{signature.reason} {signature.literal}"
            case MetricSignature():
                yield f"{signature.query} {signature.expr}"
            case StateSignature():
                yield " ".join((signature.kind, *_tested(signature)))


def _tested(signature: StateSignature) -> Iterator[str]:
    for test in signature.where:
        yield f"{test.field} {test.value}"


def _actions(page: Page, lang: Language) -> Iterator[str]:
    for advice in (*page.contain, *page.do_not):
        yield f"{getattr(advice.text, lang)} {getattr(advice.why, lang)}"
    for remedy in page.remedies:
        yield getattr(remedy.title, lang)


def _disputes(page: Page, lang: Language) -> Iterator[str]:
    for dispute in page.disputes:
        said = (dispute.about, *(claim.text for claim in dispute.claims), dispute.advice)
        yield " ".join(_said(said, lang))


def _said(sentences: Iterable[Bilingual | None], lang: Language) -> Iterator[str]:
    return (getattr(each, lang) for each in sentences if each is not None)


def _packed(title: str, sentences: Iterable[str]) -> Iterator[str]:
    """Join sentences under the title until a passage is full; none is split or lost."""
    held: list[str] = []
    for sentence in filter(None, sentences):
        if held and sum(map(len, held)) + len(sentence) > MOST_CHARACTERS:
            yield f"{title}\n{' '.join(held)}"
            held = []
        held.append(sentence)
    if held:
        yield f"{title}\n{' '.join(held)}"
