"""Front matter of files that anybody may have written: bounded before it is built."""

import re
from collections.abc import Iterator, Mapping

import yaml

from knowledge.errors import DocumentRefusedError

_FENCE = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_MOST_CHARACTERS = 400_000
_DEEPEST = 30
_MOST_VALUES = 100_000
_PAGE_KEYS = ({"extends"}, {"signatures"}, {"role", "layer"})
"""Keys of which one set makes a page of the handbook and not a document with a date."""


def split_front(text: str) -> tuple[Mapping[str, object], str]:
    """Return the mapping between two lines of ``---``, empty if there is none, and the rest.

    Raises:
        DocumentRefusedError: the YAML is broken, too deep, or stands for too much: by aliases a few
            lines can stand for any number of values.
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
    try:
        _weigh(yaml.parse(text, Loader=yaml.CSafeLoader))
    except yaml.YAMLError as error:
        why = f"broken front matter: {' '.join(str(error).split())}"
        raise DocumentRefusedError("", why) from error


def _weigh(events: Iterator[yaml.Event]) -> None:
    """Count the values that the events stand for, aliases written out, before any is built."""
    named: dict[str, int] = {}
    open_: list[tuple[str, int]] = []
    total = 0
    for event in events:
        match event:
            case yaml.CollectionStartEvent():
                open_.append((event.anchor or "", total))
            case yaml.CollectionEndEvent():
                anchor, before = open_.pop()
                named[anchor] = total - before
            case yaml.AliasEvent():
                total += named.get(event.anchor or "", 0)
        total += 1
        if len(open_) > _DEEPEST:
            raise DocumentRefusedError("", f"front matter nested deeper than {_DEEPEST}")
        if total > _MOST_VALUES:
            why = f"front matter whose aliases stand for more than {_MOST_VALUES:,} values"
            raise DocumentRefusedError("", why)
