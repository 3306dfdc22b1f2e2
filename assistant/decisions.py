"""Keeps decisions in the database: only ever added to, and never two with one number."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import insert, select
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from assistant.approval import Approval
from assistant.database import reading, tell_reason, writing
from assistant.errors import DecidedError, StoreError
from assistant.schema import APPROVALS

_COLUMNS = tuple(name for name in Approval.model_fields)
_TIMES = ("at", "expires_at")


class Decisions:
    """All decisions in one database. Safe to share between threads and processes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def history(self, digest: str) -> Sequence[Approval]:
        """Return the decisions on a digest in their order."""
        return self.every().get(digest, ())

    def every(self) -> Mapping[str, Sequence[Approval]]:
        """Return all decisions by digest, each in its order.

        Raises:
            StoreError: they cannot be read.
        """
        query = select(*(APPROVALS.c[name] for name in _COLUMNS)).order_by(APPROVALS.c.number)
        try:
            with reading(self._engine) as connection:
                rows = connection.execute(query).mappings().all()
        except SQLAlchemyError as error:
            raise StoreError("the database", tell_reason(error)) from error
        found: dict[str, list[Approval]] = {}
        for row in rows:
            approval = Approval.model_validate({key: _aware(row[key]) for key in _COLUMNS})
            found.setdefault(approval.digest, []).append(approval)
        return found

    def record(self, approval: Approval) -> None:
        """Add a decision.

        Raises:
            DecidedError: somebody else decided on this digest meanwhile.
            StoreError: it cannot be written.
        """
        values = approval.model_dump()
        values |= {name: _bare(values[name]) for name in _TIMES}
        try:
            with writing(self._engine) as connection:
                connection.execute(insert(APPROVALS).values(values))
        except IntegrityError as error:
            raise DecidedError(
                f"Somebody else decided on {approval.digest[:12]} meanwhile.",
                "`firstfault kb list --own` shows how it stands.",
            ) from error
        except SQLAlchemyError as error:
            raise StoreError("the database", tell_reason(error)) from error


def _bare(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC).replace(tzinfo=None) if moment else None


def _aware(value: object) -> object:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
