"""Tables of the one database: incidents, and what people decided."""

from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()

INCIDENTS = Table(
    "incidents",
    METADATA,
    Column("key", Integer, primary_key=True),
    Column("day", String(8)),  # with `number` the id; empty until the window's start is known
    Column("number", Integer),
    Column("fingerprint", String(64), unique=True),  # of the input; empty for hand-made ones
    Column("title", Text, nullable=False, default=""),
    Column("status", String(8), nullable=False, default="open"),
    Column("assignee", String(200), nullable=False, default=""),
    Column("merged_into", ForeignKey("incidents.key")),
    Column("split_from", ForeignKey("incidents.key")),
    Column("created_at", DateTime, nullable=False),  # all times are UTC
    Column("updated_at", DateTime, nullable=False),
    UniqueConstraint("day", "number"),
)

INVESTIGATIONS = Table(
    "investigations",
    METADATA,
    Column("incident", ForeignKey("incidents.key"), primary_key=True),
    Column("step", String(16), primary_key=True),
    Column("saved_at", DateTime, nullable=False),
    Column("body", LargeBinary, nullable=False),  # JSON of the Investigation, zstd
)

NOTES = Table(
    "notes",
    METADATA,
    Column("key", Integer, primary_key=True),
    Column("incident", ForeignKey("incidents.key"), nullable=False, index=True),
    Column("at", DateTime, nullable=False),
    Column("author", String(200), nullable=False),
    Column("text", Text, nullable=False),
)

APPROVALS = Table(
    "approvals",
    METADATA,
    Column("key", Integer, primary_key=True),
    Column("subject", String(16), nullable=False),  # what the digest is of: a page
    Column("digest", String(64), nullable=False),
    Column("number", Integer, nullable=False),  # of this digest; two at once cannot have one number
    Column("decision", String(16), nullable=False),
    Column("who", String(200), nullable=False),
    Column("known_by", String(16), nullable=False),
    Column("role", String(16), nullable=False),
    Column("place", String(255), nullable=False),
    Column("at", DateTime, nullable=False),
    Column("expires_at", DateTime),
    Column("reason", Text, nullable=False, default=""),
    UniqueConstraint("digest", "number"),
)


def keep_decisions(connection: Connection) -> None:
    """Have SQLite itself refuse to change what was decided: it is only ever added to."""
    for change in ("UPDATE", "DELETE"):
        connection.exec_driver_sql(
            f"CREATE TRIGGER IF NOT EXISTS approvals_stay_{change.lower()} BEFORE {change} "
            "ON approvals BEGIN SELECT RAISE(ABORT, 'what was decided stays'); END"
        )
