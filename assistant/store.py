"""Keeps incidents: an Investigation after each step, notes, and who has them."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import zstandard
from pydantic import AwareDatetime, BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError
from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.engine import Engine

from assistant.database import MOUNTS, open_address, open_folder, reading, writing
from assistant.errors import MergeRefusedError, NoSuchIncidentError, StoreError
from assistant.fingerprint import fingerprint
from assistant.incident import Incident
from assistant.investigation import Investigation
from assistant.schema import INCIDENTS, INVESTIGATIONS, NOTES

_STEPS = ("opened", "gathered", "recognised", "ordered", "diagnosed")
_Row = Row[*tuple[object, ...]]


class Kept(BaseModel):
    """An incident as the store lists it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str = ""
    status: Literal["open", "closed", "merged"] = "open"
    assignee: str = ""
    merged_into: str = ""
    split_from: str = ""
    created_at: AwareDatetime
    updated_at: AwareDatetime


class Note(BaseModel):
    """What somebody wrote on an incident."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: AwareDatetime
    author: str
    text: str


class Store:
    """Incidents in one database. Safe to share between threads and processes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def save(self, investigation: Investigation) -> Investigation:
        """Save a step and return the investigation with its incident's id.

        The same input again finds the same incident. Before anything was read there is nothing to
        know it by, so that the step "opened" is not kept. The id is given once the start of the
        window is known, at the latest with the diagnosis.
        """
        if investigation.step == "opened" and not investigation.incident.id:
            return investigation
        with self._write() as connection:
            row = _find_or_add(connection, investigation)
            row = _name(connection, row, investigation)
            incident = investigation.incident.model_copy(
                update={
                    "id": _id_of(row),
                    "assignee": row.assignee,
                    "title": investigation.incident.title or row.title,
                    "status": "open" if row.status == "open" else "closed",
                },
            )
            saved = investigation.model_copy(update={"incident": incident})
            _put_step(connection, row.key, saved)
        return saved

    def load(self, incident_id: str) -> Investigation:
        """Return the furthest step of an incident.

        Raises:
            NoSuchIncidentError: there is none of that id.
        """
        with self._read() as connection:
            key = _key(connection, incident_id)
            query = select(INVESTIGATIONS.c.step, INVESTIGATIONS.c.body)
            rows = connection.execute(query.where(INVESTIGATIONS.c.incident == key)).all()
        if not rows:
            raise NoSuchIncidentError(incident_id)
        furthest = max(rows, key=lambda row: _STEPS.index(row.step))
        return Investigation.model_validate_json(zstandard.decompress(furthest.body))

    def steps(self, incident_id: str) -> Sequence[str]:
        """Return the names of the steps that are kept, in their order."""
        with self._read() as connection:
            key = _key(connection, incident_id)
            query = select(INVESTIGATIONS.c.step).where(INVESTIGATIONS.c.incident == key)
            return sorted(connection.execute(query).scalars(), key=_STEPS.index)

    def list(self) -> Sequence[Kept]:
        """Return all incidents, the latest first."""
        query = select(INCIDENTS).where(INCIDENTS.c.day.is_not(None))
        query = query.order_by(INCIDENTS.c.day.desc(), INCIDENTS.c.number.desc())
        with self._read() as connection:
            rows = connection.execute(query).all()
        ids = {row.key: _id_of(row) for row in rows}
        return [_kept(row, ids) for row in rows]

    def describe(self, incident_id: str) -> Kept:
        """Return one incident as the list shows it."""
        found = [kept for kept in self.list() if kept.id == incident_id]
        if not found:
            raise NoSuchIncidentError(incident_id)
        return found[0]

    def holds(self, investigation: Investigation) -> bool:
        """Tell whether the same input has an incident already."""
        with self._read() as connection:
            return _same(connection, investigation) is not None

    def notes(self, incident_id: str) -> Sequence[Note]:
        """Return an incident's notes in order."""
        with self._read() as connection:
            key = _key(connection, incident_id)
            query = select(NOTES).where(NOTES.c.incident == key).order_by(NOTES.c.at, NOTES.c.key)
            rows = connection.execute(query).all()
        return [Note(at=_aware(row.at), author=row.author, text=row.text) for row in rows]

    def note(self, incident_id: str, text: str, *, author: str) -> None:
        """Write a note."""
        with self._write() as connection:
            _add_note(connection, _key(connection, incident_id), author, text)

    def assign(self, incident_id: str, assignee: str, *, author: str) -> None:
        """Give an incident to somebody."""
        self._change(incident_id, {"assignee": assignee}, f"assigned to {assignee}", author)

    def close_incident(self, incident_id: str, *, author: str) -> None:
        """Close an incident."""
        self._change(incident_id, {"status": "closed"}, "closed", author)

    def reopen(self, incident_id: str, *, author: str) -> None:
        """Open a closed or merged incident again."""
        self._change(incident_id, {"status": "open", "merged_into": None}, "reopened", author)

    def merge(self, into: str, other: str, *, author: str) -> None:
        """Make `other` a part of `into`; its investigation stays where it is.

        Raises:
            StoreError: the two are one.
            MergeRefusedError: one of them is part of another already.
        """
        if into == other:
            raise StoreError("one incident", "an incident cannot be merged into itself")
        with self._write() as connection:
            target, part = _key(connection, into), _key(connection, other)
            for name, key in ((into, target), (other, part)):
                if whole := _whole_of(connection, key):
                    raise MergeRefusedError(name, whole)
            _set(connection, part, {"status": "merged", "merged_into": target})
            _add_note(connection, part, author, f"merged into {into}")
            _add_note(connection, target, author, f"took in {other}")

    def split(self, incident_id: str, incident: Incident, *, author: str) -> Investigation:
        """Open a new incident out of another, with the scope and title of `incident`.

        It holds what was read so far and no conclusion: its own diagnosis is still to be made.
        """
        parent = self.load(incident_id)
        part = Investigation(
            incident=incident,
            window=parent.window,
            cluster=parent.cluster,
            versions=parent.versions,
            generated_at=datetime.now(UTC),
        )
        with self._write() as connection:
            origin = _key(connection, incident_id)
            values = {"title": incident.title, "split_from": origin, **_times()}
            row = _name(connection, _add(connection, values), part)
            named = incident.model_copy(update={"id": _id_of(row)})
            part = part.model_copy(update={"incident": named})
            _put_step(connection, row.key, part)
            _add_note(connection, origin, author, f"split off {named.id}")
            _add_note(connection, row.key, author, f"split from {incident_id}")
        return part

    def _change(self, incident_id: str, values: dict[str, object], said: str, author: str) -> None:
        with self._write() as connection:
            key = _key(connection, incident_id)
            _set(connection, key, values)
            _add_note(connection, key, author, said)

    def _read(self) -> AbstractContextManager[Connection]:
        return reading(self._engine)

    def _write(self) -> AbstractContextManager[Connection]:
        return writing(self._engine)


def open_store(data_dir: Path, *, mounts: Path = MOUNTS) -> Store:
    """Open the store under `data_dir`, and make it where there is none.

    Raises:
        StoreError: the folder lies on a network file system or cannot be written.
    """
    return Store(open_folder(data_dir, mounts=mounts))


def open_url(url: str) -> Store:
    """Open the store at a SQLAlchemy URL; this version speaks SQLite, `sqlite://` in memory.

    Raises:
        StoreError: another database, or it cannot be opened.
    """
    return Store(open_address(url))


def _find_or_add(connection: Connection, investigation: Investigation) -> _Row:
    incident = investigation.incident
    if incident.id:
        key = _key(connection, incident.id)
        _set(connection, key, {})
        return connection.execute(select(INCIDENTS).where(INCIDENTS.c.key == key)).one()
    found = _same(connection, investigation)
    if found:
        _set(connection, found.key, {})
        return found
    mark = fingerprint(investigation)
    named = {"title": incident.title, "assignee": incident.assignee}
    return _add(connection, {"fingerprint": mark, **named, **_times()})


def _same(connection: Connection, investigation: Investigation) -> _Row | None:
    mark = fingerprint(investigation)
    return connection.execute(select(INCIDENTS).where(INCIDENTS.c.fingerprint == mark)).first()


def _add(connection: Connection, values: Mapping[str, object]) -> _Row:
    return connection.execute(insert(INCIDENTS).values(values).returning(INCIDENTS)).one()


def _name(connection: Connection, row: _Row, investigation: Investigation) -> _Row:
    """Give the incident its day and number, once the day is known."""
    start = investigation.incident.window.since or investigation.window.since
    if start is None and investigation.step in ("opened", "diagnosed"):
        start = investigation.generated_at
    if row.day or start is None:
        return row
    day = f"{start.astimezone(UTC):%Y%m%d}"
    last = select(func.max(INCIDENTS.c.number)).where(INCIDENTS.c.day == day)
    number = (connection.execute(last).scalar() or 0) + 1
    change = update(INCIDENTS).where(INCIDENTS.c.key == row.key).values(day=day, number=number)
    return connection.execute(change.returning(INCIDENTS)).one()


def _put_step(connection: Connection, key: int, investigation: Investigation) -> None:
    body = zstandard.compress(_write(investigation), 1)
    values = {"incident": key, "step": investigation.step, "saved_at": _now(), "body": body}
    connection.execute(insert(INVESTIGATIONS).prefix_with("OR REPLACE").values(values))


def _write(investigation: Investigation) -> bytes:
    try:
        return investigation.model_dump_json().encode()
    except PydanticSerializationError:
        # A file name or an argument that is not UTF-8 came in as lone surrogates.
        document = investigation.model_dump(mode="json")
        return json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")


def _key(connection: Connection, incident_id: str) -> int:
    form = re.fullmatch(r"I-(\d{8})-([1-9]\d{0,8})", incident_id, re.ASCII)
    if form is None:
        raise NoSuchIncidentError(incident_id)
    same = (INCIDENTS.c.day == form[1], INCIDENTS.c.number == int(form[2]))
    key = connection.execute(select(INCIDENTS.c.key).where(*same)).scalar()
    if key is None:
        raise NoSuchIncidentError(incident_id)
    return int(key)


def _whole_of(connection: Connection, key: int) -> str:
    """Return the id of the incident that this one is merged into, if any."""
    merged_into = select(INCIDENTS.c.merged_into).where(INCIDENTS.c.key == key).scalar_subquery()
    row = connection.execute(select(INCIDENTS).where(INCIDENTS.c.key == merged_into)).first()
    return _id_of(row) if row else ""


def _set(connection: Connection, key: int, values: dict[str, object]) -> None:
    change = update(INCIDENTS).where(INCIDENTS.c.key == key)
    connection.execute(change.values(**values, updated_at=_now()))


def _add_note(connection: Connection, key: int, author: str, text: str) -> None:
    values = {"incident": key, "at": _now(), "author": author, "text": text}
    connection.execute(insert(NOTES).values(values))


def _kept(row: _Row, ids: dict[int, str]) -> Kept:
    return Kept(
        id=_id_of(row),
        title=row.title,
        status=row.status,
        assignee=row.assignee,
        merged_into=ids.get(row.merged_into, ""),
        split_from=ids.get(row.split_from, ""),
        created_at=_aware(row.created_at),
        updated_at=_aware(row.updated_at),
    )


def _id_of(row: _Row) -> str:
    return f"I-{row.day}-{row.number}" if row.day else ""


def _times() -> dict[str, datetime]:
    now = _now()
    return {"created_at": now, "updated_at": now}


def _now() -> datetime:
    """SQLite keeps no zone: all times in the tables are UTC."""
    return datetime.now(UTC).replace(tzinfo=None)


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
