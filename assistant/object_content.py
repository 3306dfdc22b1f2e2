"""Reads what an object of an API holds, whatever may be missing or of another type."""

from collections.abc import Iterator, Mapping, Sequence

Things = Mapping[str, object]


def map_at(thing: object, *path: str) -> Things:
    """Go down the path; an empty mapping where there is none."""
    for key in path:
        thing = thing.get(key) if isinstance(thing, Mapping) else None
    return thing if isinstance(thing, Mapping) else {}


def list_at(thing: Things, *path: str) -> Iterator[Things]:
    """Yield the mappings of the list at a path."""
    found = map_at(thing, *path[:-1]).get(path[-1])
    if isinstance(found, Sequence) and not isinstance(found, str):
        yield from (item for item in found if isinstance(item, Mapping))


def word_at(thing: Things, key: str) -> str:
    """Return the plain value of a key as text; empty where there is none."""
    return text_of(thing.get(key))


def text_of(value: object) -> str:
    """Write a plain value as text; what holds others is none."""
    return "" if value is None or isinstance(value, Mapping | list | tuple) else str(value)


def names_of(value: object) -> Iterator[str]:
    """Yield one name, or each of several."""
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, Sequence):
        yield from (item for item in value if isinstance(item, str))
