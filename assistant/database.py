"""The one database under the data directory: SQLite in WAL mode, for all that must not be lost.

WAL needs shared memory, which network file systems do not give; such a directory is refused.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from assistant.errors import StoreError
from assistant.schema import METADATA, keep_decisions
from tools.workspace import NETWORK, filesystem_of

MOUNTS = Path("/proc/self/mounts")
FILE = "firstfault.db"
_BUSY_S = 15.0
_MEMORY = "sqlite://"


def open_folder(data_dir: Path, *, mounts: Path = MOUNTS) -> Engine:
    """Open the database under `data_dir`, and make it where there is none.

    Raises:
        StoreError: the folder lies on a network file system or cannot be written.
    """
    for place in (data_dir, data_dir.resolve()):
        point, kind = filesystem_of(place, mounts)
        if kind in NETWORK:
            why = f"{point} is a network file system ({kind}), on which SQLite can be corrupted"
            raise StoreError(str(data_dir), why)
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _open(f"sqlite:///{data_dir / FILE}")
    except (OSError, SQLAlchemyError) as error:
        raise StoreError(str(data_dir), tell_reason(error)) from error


def open_address(url: str) -> Engine:
    """Open the database at a SQLAlchemy URL; this version speaks SQLite, `sqlite://` in memory.

    Raises:
        StoreError: another database, or it cannot be opened.
    """
    if not url.startswith("sqlite"):
        raise StoreError(url.partition(":")[0], "this version keeps incidents in SQLite only")
    try:
        return _open(url)
    except SQLAlchemyError as error:
        raise StoreError("the database", tell_reason(error)) from error


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Offer a connection to read by."""
    with engine.connect() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Offer a transaction that has the write lock from its begin."""
    with engine.connect() as connection:
        connection.execution_options(writes=True)
        with connection.begin():
            yield connection


def _open(url: str) -> Engine:
    pool = {"poolclass": StaticPool} if url == _MEMORY else {}
    arguments = {"timeout": _BUSY_S, "check_same_thread": False}
    engine = create_engine(url, connect_args=arguments, **pool)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    METADATA.create_all(engine)
    with writing(engine) as connection:
        keep_decisions(connection)
    return engine


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """Take transactions into our own hands: the driver would begin them too late."""
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    """Take the write lock at once where we will write, so that no two read the same number."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def tell_reason(error: Exception) -> str:
    """Say why the database refused, in its own words."""
    cause = getattr(error, "orig", None) or error
    return str(getattr(cause, "strerror", None) or cause)
