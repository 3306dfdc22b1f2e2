"""Loads the masking of texts when the first record needs it."""

import threading
from collections.abc import Callable
from functools import cache as keep
from functools import lru_cache
from pathlib import Path


@keep
def _mask_text() -> Callable[[str], str]:
    from tools.masking import mask_text  # noqa: PLC0415  # heavy, and needed by records only

    return mask_text


def prepare(cache: Path | None) -> None:
    """Begin to compile the rules in a thread, while other things are loaded.

    The folder `cache` keeps what was compiled for the next run.
    """
    threading.Thread(target=_open_masker, args=(cache,), daemon=True).start()


def _open_masker(cache: Path | None) -> None:
    from tools.masking import open_masker  # noqa: PLC0415  # as above

    open_masker(cache)


def masked_bytes(data: bytes) -> bytes:
    """Replace what looks like a secret in a whole document."""
    from tools.masking import mask_bytes  # noqa: PLC0415  # heavy, and needed by documents only

    return mask_bytes(data)


@lru_cache(maxsize=4096)
def masked(text: str) -> str:
    """Replace what looks like a secret; a flood repeats its text, and is masked once."""
    return _mask_text()(text)
