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
    """How people who do not know the page's words say it; search reads them, nobody else does."""

    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()
