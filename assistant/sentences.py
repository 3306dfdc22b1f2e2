"""The sentences that the core itself says, in both languages, as data."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from knowledge.bilingual import Bilingual
from tools.late_patterns import compile_late

_NUMBER = compile_late(r"\b(\d+)((?: \w+)? )(\w+)\(s\)", re.ASCII)


@cache
def _table() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("assistant").joinpath("sentences.toml").read_text("utf-8"))


def say(key: str, **values: object) -> Bilingual:
    """Fill the sentence `key` with values that read the same in both languages."""
    row = _table()[key]
    return Bilingual(en=settle(row["en"].format(**values)), zh=row["zh"].format(**values))


def settle(english: str) -> str:
    """Put nouns that follow a number, written ``node(s)``, into singular or plural."""
    return _NUMBER.sub(_settle, english)


def say_both(words: str) -> Bilingual:
    """Return words, such as a name, that are the same in both languages."""
    return Bilingual(en=words, zh=words)


def _settle(found: re.Match[str]) -> str:
    """Put the noun after a number into singular or plural."""
    number, between, noun = found.groups()
    return f"{number}{between}{noun}{'' if number == '1' else 's'}"


def say_with(key: str, **values: Bilingual) -> Bilingual:
    """Fill the sentence `key` with values that differ between the languages."""
    row = _table()[key]
    return Bilingual(
        en=row["en"].format(**{name: value.en for name, value in values.items()}),
        zh=row["zh"].format(**{name: value.zh for name, value in values.items()}),
    )
