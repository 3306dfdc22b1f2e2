"""Sentences of the code below in Chinese: they are found by the English ones that it says."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

_TABLES = ("errors", "doctor", "reasons")


def say_in_chinese(sentence: str) -> str:
    """Return the sentence in Chinese, its parts too; itself where nobody wrote it down."""
    for pattern, chinese in _sentences():
        found = pattern.fullmatch(sentence)
        if found:
            return chinese.format(*(say_in_chinese(part) for part in found.groups()))
    return sentence


@cache
def _sentences() -> Sequence[tuple[re.Pattern[str], str]]:
    """Read all tables; what begins with a word or has fewer holes says more, and is tried first."""
    folder = files("integrations.wording")
    tables = (tomllib.loads(folder.joinpath(f"{n}.toml").read_text("utf-8")) for n in _TABLES)
    said = [one for table in tables for one in table["said"]]
    said.sort(key=lambda one: (one["en"].startswith("{}"), one["en"].count("{}"), -len(one["en"])))
    return [(_pattern(one["en"]), one["zh"]) for one in said]


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = (re.escape(part) for part in sentence.split("{}"))
    return re.compile("(.+?)".join(parts), re.DOTALL)
