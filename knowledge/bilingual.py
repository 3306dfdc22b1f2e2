"""What all parts of a page share: their strictness, and words in both languages."""

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """What all parts of a page have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Bilingual(Part):
    """The same sentence in both languages of the product."""

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)


class Phrases(Part):
    """How people who do not know the page's words ask for it; search alone reads them.

    `names` are identifiers that point to this page (of errors, metrics, reasons, alerts), `lines`
    messages in which it shows in other versions or programs; no line is matched by them.
    """

    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
