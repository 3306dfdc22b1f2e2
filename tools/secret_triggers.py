"""The compiled triggers of all rules for secrets, kept between runs: to compile takes 0.2 s.

Whatever is wrong with a kept one (unreadable, damaged, of another version or processor) only costs
the time that it would have saved.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import hyperscan


def open_triggers(expressions: Sequence[str], folder: Path | None) -> hyperscan.Database:
    """Take the database of these expressions from `folder`, or compile and keep it there."""
    file = folder / f"triggers-{_name(expressions)}.hs" if folder else None
    database = _read(file) if file else None
    if database is None:
        database = _compile(expressions)
        if file:
            _keep(database, file)
    return database


def _name(expressions: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(expressions).encode()).hexdigest()[:32]


def _compile(expressions: Sequence[str]) -> hyperscan.Database:
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[expression.encode() for expression in expressions],
        ids=list(range(len(expressions))),
        elements=len(expressions),
        flags=hyperscan.HS_FLAG_MULTILINE,
    )
    return database


def _read(file: Path) -> hyperscan.Database | None:
    """Read a kept database: a digest stands before it, because nothing may crash on it."""
    try:
        kept = file.read_bytes()
        digest, body = kept[:32], kept[32:]
        if hashlib.sha256(body).digest() != digest:
            return None
        return hyperscan.loadb(body, mode=hyperscan.HS_MODE_BLOCK)
    except (OSError, hyperscan.error):
        return None


def _keep(database: hyperscan.Database, file: Path) -> None:
    """Write it, renamed into place, so never half."""
    aside = file.with_suffix(f".{os.getpid()}")
    body = hyperscan.dumpb(database)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(hashlib.sha256(body).digest() + body)
        aside.replace(file)
