"""The product's own words, by key, in the language of the reader."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from integrations.wording.errors import say_in_chinese
from knowledge.bilingual import Bilingual

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    lang: Language
    table: Mapping[str, str]

    def __call__(self, key: str, /, **values: object) -> str:
        """Return the words for `key` with `values` filled in; an unknown key raises KeyError."""
        return self.table[key].format(**values) if values else self.table[key]

    def tell(self, sentence: str) -> str:
        """Return a sentence that the code below says in English only, in this language."""
        return say_in_chinese(sentence) if self.lang == "zh" else sentence

    def say(self, sentence: Bilingual) -> str:
        """Return the half of `sentence` that is in this language."""
        return sentence.zh if self.lang == "zh" else sentence.en


@cache
def load_words(lang: Language) -> Words:
    """Load the words of `lang`; keys are ``section.name``."""
    source = files("integrations.wording").joinpath(f"{lang}.toml")
    sections = tomllib.loads(source.read_text("utf-8"))
    table = {
        f"{section}.{name}": text
        for section, words in sections.items()
        for name, text in words.items()
    }
    return Words(lang=lang, table=table)


def tell_language(tag: str) -> Language:
    """Read a locale such as ``zh_CN.UTF-8`` as one of our languages; English unless Chinese."""
    return "zh" if tag.lower().startswith("zh") else "en"
