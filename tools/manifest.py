"""Reads a bundle's manifest and incident file."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, TypeAdapter, ValidationError

from tools.capture import Capture
from tools.evidence import Window

MANIFEST_MARKS = (b'"outcome"', b'"command"')
INCIDENT_KEYS = frozenset(
    {"title", "text", "window", "zones", "cluster", "reported_at", "language", "entity"}
)
_INCIDENT_WORDS = tuple(f"{key}:".encode() for key in INCIDENT_KEYS)
"""A look for these costs next to nothing, and hardly any file has two."""
SMALL = 16 << 20


class BundleMeta(BaseModel):
    """What a bundle says about itself."""

    model_config = ConfigDict(frozen=True)

    title: str = ""
    text: str = ""
    window: Window = Window()
    zones: dict[str, str] = {}
    """Default zone per host; the key `default` stands for all others."""
    cluster: str = ""
    reported_at: AwareDatetime | None = None


_LIST = TypeAdapter(list[Capture])


def is_manifest(name: str, head: bytes) -> bool:
    """Tell a manifest by its entries; its name is only a hint."""
    start = head.lstrip()[:4096]
    likely = name.rsplit("/", 1)[-1] in {"manifest.jsonl", "manifest.json"}
    opening = start.startswith((b'{"', b"[", b"{ "))
    marked = all(mark in start for mark in MANIFEST_MARKS)
    return opening and (likely or (marked and b'"apiVersion"' not in start))


def read_manifest(data: bytes) -> tuple[list[Capture], int]:
    """Read a list or one object per line: (captures, lines that were damaged)."""
    text = data.lstrip()
    if text.startswith(b"["):
        try:
            return _LIST.validate_json(text), 0
        except ValidationError:
            return [], 1
    captures: list[Capture] = []
    damaged = 0
    for line in text.splitlines():
        if not line.strip():
            continue
        try:
            captures.append(Capture.model_validate_json(line))
        except ValidationError:
            damaged += 1
    return captures, damaged


def read_incident(path: Path, name: str, head: bytes) -> BundleMeta | None:
    """Read `incident.yaml`, or a YAML file of the same shape; None if it is none."""
    named = name.rsplit("/", 1)[-1] in {"incident.yaml", "incident.yml"}
    if not named and not _looks_like_incident(head):
        return None
    import yaml  # noqa: PLC0415  # needed by this one small file only

    try:
        content: object = yaml.load(path.read_bytes()[:SMALL], Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, UnicodeError):
        return None
    if not isinstance(content, Mapping) or not INCIDENT_KEYS & content.keys():
        return None
    return _meta(content)


def _looks_like_incident(head: bytes) -> bool:
    start = head[:4096]
    if sum(key in start for key in _INCIDENT_WORDS) < 2:  # noqa: PLR2004  # as below
        return False
    keys = {line.split(b":")[0].decode("latin-1") for line in start.splitlines() if b":" in line}
    return len(keys & INCIDENT_KEYS) >= 2 and b"apiVersion" not in start  # noqa: PLR2004  # one key alone may be chance


def _meta(content: Mapping[object, object]) -> BundleMeta:
    window = content.get("window")
    zones = content.get("zones")
    return BundleMeta(
        title=_string(content.get("title")),
        text=_string(content.get("text")),
        window=_window(window if isinstance(window, Mapping) else {}),
        zones={str(host): str(zone) for host, zone in zones.items()}
        if isinstance(zones, Mapping)
        else ({"default": zones} if isinstance(zones, str) else {}),
        cluster=_string(content.get("cluster")),
        reported_at=_moment(content.get("reported_at")),
    )


def _string(value: object) -> str:
    return "" if value is None else str(value)


def _window(window: Mapping[object, object]) -> Window:
    return Window(since=_moment(window.get("since")), until=_moment(window.get("until")))


def _moment(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
