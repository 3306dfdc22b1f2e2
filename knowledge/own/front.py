"""Front matter of files that anybody may have written: bounded before it is built."""

import re
from collections.abc import Mapping

import yaml

from knowledge.errors import DocumentRefusedError

_FENCE = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_MOST_CHARACTERS = 400_000
_DEEPEST = 30
_PAGE_KEYS = ({"extends"}, {"signatures"}, {"role", "layer"})
"""Keys of which one set makes a page of the handbook and not a document with a date."""


def split_front(text: str) -> tuple[Mapping[str, object], str]:
    """Return the mapping between two lines of ``---``, empty if there is none, and the rest.

    Raises:
        DocumentRefusedError: the YAML is broken, too deep or too large, or has aliases, by which a
            few lines can stand for any number.
    """
    fence = _FENCE.match(text)
    if fence is None:
        return {}, text
    _bound(fence.group(1))
    try:
        data = yaml.load(fence.group(1), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        why = f"broken front matter: {' '.join(str(error).split())}"
        raise DocumentRefusedError("", why) from error
    return (data if isinstance(data, dict) else {}), text[fence.end() :]


def is_page(front: Mapping[str, object]) -> bool:
    """Tell whether it is the front matter of a page of the handbook."""
    return any(keys <= front.keys() for keys in _PAGE_KEYS)


def _bound(text: str) -> None:
    if len(text) > _MOST_CHARACTERS:
        raise DocumentRefusedError("", f"front matter of more than {_MOST_CHARACTERS:,} characters")
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise DocumentRefusedError("", "the front matter uses YAML aliases; write it out")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise DocumentRefusedError("", f"front matter nested deeper than {_DEEPEST}")
    except yaml.YAMLError as error:
        why = f"broken front matter: {' '.join(str(error).split())}"
        raise DocumentRefusedError("", why) from error
