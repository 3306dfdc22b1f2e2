"""Regular expressions that are compiled when they are first used.

There are hundreds, of which one run needs a few dozen; compiling all of them is a tenth of the
command's start.
"""

import re
from typing import AnyStr, Generic, cast

_METHODS = ("match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split")


class _Late(Generic[AnyStr]):
    """Stands for a compiled expression and becomes one at the first question to it."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self.pattern: AnyStr = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        # Reached only while there is no such attribute: after this the methods are the
        # expression's own, and calling them costs no more than they do.
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update((each, getattr(compiled, each)) for each in _METHODS)
        return cast("object", getattr(compiled, name))


def compile_late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` does, to be used in the same way; an error shows at first use."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))
