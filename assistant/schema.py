"""Tables of the incident store."""

from sqlalchemy import (
    Column,
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
