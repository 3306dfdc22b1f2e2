"""The incidents of the past that travel with the product, loaded and validated."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from knowledge.errors import PostmortemInvalidError
from knowledge.page_cache import ModelCache
from knowledge.postmortem import Postmortem

_FOLDER = "postmortems"
_SCHEMA = ("postmortem.py", "page.py", "bilingual.py")


def load_postmortems(cache: Path | None = None) -> tuple[Postmortem, ...]:
    """Load the shipped postmortems, the newest first; `cache` as for the catalog.

    Raises:
        PostmortemInvalidError: a shipped file is broken.
    """
    kept = ModelCache(cache, Postmortem, "postmortems.json", *_SCHEMA)
    found = [_read(file, kept) for file in _shipped()]
    kept.save()
    return tuple(sorted(found, key=lambda each: each.id, reverse=True))


def _read(file: Traversable, kept: ModelCache[Postmortem]) -> Postmortem:
    content = file.read_bytes()
    key = kept.key(content, file.name)
    known = kept.get(key)
    if known is not None:
        return known
    from knowledge.front_matter import read_postmortem  # noqa: PLC0415 -- YAML is slow to load

    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise PostmortemInvalidError(file.name, f"not UTF-8 at byte {error.start}") from error
    fresh = read_postmortem(text, path=PurePosixPath(_FOLDER, file.name))
    kept.put(key, fresh)
    return fresh


def _shipped() -> Iterator[Traversable]:
    for file in (files("knowledge") / _FOLDER).iterdir():
        if file.name.endswith(".md"):
            yield file
