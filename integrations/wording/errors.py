"""The errors of a command in Chinese: sentences are found by the English ones the code says."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files


def say_in_chinese(sentence: str) -> str:
    """Return the sentence in Chinese, itself where nobody wrote it down."""
    for pattern, chinese in _sentences():
        found = pattern.fullmatch(sentence)
        if found:
            return chinese.format(*found.groups())
    return sentence


@cache
def _sentences() -> Sequence[tuple[re.Pattern[str], str]]:
    text = files("integrations.wording").joinpath("errors.toml").read_text("utf-8")
    return [(_pattern(one["en"]), one["zh"]) for one in tomllib.loads(text)["said"]]


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = (re.escape(part) for part in sentence.split("{}"))
    return re.compile("(.+?)".join(parts), re.DOTALL)
