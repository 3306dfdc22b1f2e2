"""Identity templates of signatures: ``{namespace}/{pod}`` over named values."""

import re
from collections.abc import Mapping
from functools import lru_cache

_HOLE = re.compile(r"\{([^{}]+)\}")


@lru_cache(maxsize=4096)
def placeholders(template: str) -> tuple[str, ...]:
    """Return the names in braces, which may be dotted paths with quoted keys."""
    return tuple(_HOLE.findall(template))


def expand(template: str, values: Mapping[str, str]) -> str | None:
    """Fill the template; None if a name is absent or empty, so that half identities never arise."""
    if not all(values.get(name) for name in placeholders(template)):
        return None
    return _HOLE.sub(lambda hole: values[hole.group(1)], template)
