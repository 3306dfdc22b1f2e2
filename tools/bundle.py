"""Opens captured evidence: any mix of files, folders and archives, one or many bundles."""

import hashlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

from tools.capture import Capture
from tools.capture_reading import CaptureReading, outcome_items
from tools.copies import without_copies
from tools.errors import BrokenArchiveError, MissingPathError
from tools.evidence import Evidence, Gap, Item, Window
from tools.late_patterns import compile_late
from tools.manifest import BundleMeta, is_manifest, read_incident, read_manifest
from tools.masks import masked
from tools.rank_logs import rank_writers
from tools.reading_order import Turn, turn_of
from tools.request import Request
from tools.second_reader import READY, SecondReader, second_share
from tools.source import HEAD, EvidenceFile, Known
from tools.unpacking import Content, is_archive, unpack

_DATE = compile_late(rb"(?<!\d)20\d\d-[01]\d-[0-3]\d(?=[T ])")
HALF_A_YEAR = timedelta(days=180)
"""Logs of one incident lie closer together; a year's ambiguity needs no better."""
SKIPPED = {".git", "__pycache__"}
MISSING = "no such file or folder; check the spelling"
STEP = 4 << 20
LARGE = 1 << 20
"""A file of so many bytes is known by its place and exact size; its digest is checked meanwhile."""


@dataclass(frozen=True)
class Member:
    """One file of the evidence."""

    name: str
    """As the user sees it; members of archives behind `!`."""
    path: Path
    """Where the bytes lie."""
    head: bytes
    place: str = ""
    """Path inside its bundle."""
    capture: Capture = field(default_factory=Capture)


class Bundle:
    """Evidence on disk, ready to be read as often as wanted."""

    def __init__(self, members: Sequence[Member], meta: BundleMeta, gaps: Sequence[Gap]) -> None:
        """Hold what `open` found."""
        self.members = tuple(members)
        self.meta = meta
        self.captures: tuple[Capture, ...] = ()
        """Manifest lines without a file of their own."""
        self.manifest: tuple[Capture, ...] = ()
        self._gaps = tuple(gaps)
        self._digests: dict[Path, Future[str]] = {}
        self._known: dict[Path, str] = {}
        """Digests that the manifest tells of large files."""
        self._unmatched: tuple[Capture, ...] = ()
        self._remove: Callable[[], object] | None = None

    @classmethod
    def open(cls, paths: Sequence[Path]) -> Self:
        """Find all files under `paths`, unpack archives, match files with manifests.

        Raises:
            MissingPathError: none of the paths exists.
        """
        finder = _Finder()
        for path in paths:
            finder.add(path)
        if paths and not any(path.exists() for path in paths):
            raise MissingPathError(f"{paths[0]}: {MISSING}")
        bundle = cls(finder.members, _merged(finder.metas), finder.gaps)
        if finder.folder is not None:
            bundle._remove = weakref.finalize(
                bundle, shutil.rmtree, finder.folder, ignore_errors=True
            )
        bundle._prepare(finder.captures)
        return bundle

    def _prepare(self, captures: Sequence[Capture]) -> None:
        """Begin to compute what the manifest's lines are matched by, while others prepare too."""
        self.manifest = self._unmatched = tuple(captures)
        if captures:
            self._known = _tell_large(self.members, captures)
            pool = ThreadPoolExecutor(2)
            for path in (member.path for member in self.members):
                if path not in self._known:
                    self._digests[path] = pool.submit(digest_of, path)
            pool.shutdown(wait=False)

    def _match(self) -> None:
        """Give each file its manifest line: by content first, by path second."""
        if self._unmatched:
            digests = [
                self._known.get(member.path) or self._digests[member.path].result()
                for member in self.members
            ]
            self.members, self.captures = match_captures(self.members, digests, self._unmatched)
            self._unmatched = ()

    def read(self, request: Request) -> Generator[Evidence | Item]:
        """Yield each capture's items, then its evidence; afterwards what has no file.

        A second process may begin at once, so what is returned must be read or closed.
        """
        self._match()
        taken = self._taken()
        day = taken or self._last_day()
        latest = taken or (day + HALF_A_YEAR if day else None)
        request = _zoned(request, self.meta, latest)
        turns = {member: turn_of(member.head) for member in self.members}
        ordered = sorted(self.members, key=lambda member: (turns[member], member.name))
        members, copies = without_copies(ordered)
        known = Known(ranks=rank_writers(members), latest=day)
        readings = [
            CaptureReading(
                f"E{number}",
                member,
                request,
                _known_to(turns[member], known),
                # An only file is read by the second process, and this one has time.
                hashes=len(members) > 1 and member.path not in self._digests,
            )
            for number, member in enumerate(members, 1)
        ]
        share = second_share(members, [turns[member] for member in members])
        second = SecondReader(readings, share)
        second.start()
        return self._items(readings, second, known, copies)

    def _items(
        self,
        readings: Sequence[CaptureReading],
        second: SecondReader,
        known: Known,
        copies: Mapping[str, Sequence[str]],
    ) -> Generator[Evidence | Item]:
        yield from self._gaps
        with second, ThreadPoolExecutor(2) as pool:
            pool.submit(masked, READY)  # while the first file is opened
            for reading in readings:
                member = reading.member
                digest = None if reading.hashes else self._digest(pool, member.path)
                found = yield from second.read(reading)
                if reading.known is not known:
                    known.join(reading.known.own())
                sha256 = digest.result() if digest else found.sha256
                evidence = found.model_copy(update={"sha256": sha256 or digest_of(member.path)})
                if member.path in self._known and evidence.sha256 != self._known[member.path]:
                    yield _altered(member, evidence)
                yield _with_copies(evidence, copies.get(member.name))
        number = len(readings)
        for capture in dict.fromkeys(self.captures):
            number += 1
            yield from outcome_items(f"E{number}", capture)

    def _taken(self) -> datetime | None:
        """Tell when the evidence was taken, as far as a manifest says."""
        taken = [capture.ended or capture.started for capture in self.manifest]
        return max((moment for moment in taken if moment), default=None)

    def _last_day(self) -> datetime | None:
        """Find the latest day that a content names: what does not say its year lies near it."""
        dates = (date for member in self.members for date in _dates(member.head))
        return max(dates, default=None)

    def _digest(self, pool: ThreadPoolExecutor, path: Path) -> "Future[str]":
        return self._digests.get(path) or pool.submit(digest_of, path)

    def close(self) -> None:
        """Remove what was unpacked."""
        if self._remove is not None:
            self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _with_copies(evidence: Evidence, others: Sequence[str] | None) -> Evidence:
    """Say beside a capture that its content was given more than once."""
    if not others:
        return evidence
    times = f"{len(others) + 1} times, read once: also as {', '.join(others)}"
    said = "; ".join(part for part in (evidence.detail, f"given {times}") if part)
    return evidence.model_copy(update={"detail": said})


def _known_to(turn: Turn, known: Known) -> Known:
    """Let captures that may be read side by side know what the objects told, and no more."""
    return known.apart() if turn in {Turn.OTHERS, Turn.JOURNALS} else known


def _dates(head: bytes) -> Iterator[datetime]:
    for match in _DATE.finditer(head):
        try:
            yield datetime.fromisoformat(match.group().decode()).replace(tzinfo=UTC)
        except ValueError:
            continue


def _zoned(request: Request, meta: BundleMeta, latest: datetime | None) -> Request:
    zones = {host: zone for host, zone in meta.zones.items() if host != "default"}
    return request.model_copy(
        update={
            "host_zones": {**zones, **request.host_zones},
            "zone": request.zone or meta.zones.get("default", ""),
            "now": min((t for t in (request.now, meta.window.until or latest) if t), default=None),
        }
    )


def _merged(metas: Sequence[BundleMeta]) -> BundleMeta:
    """Join what several bundles say; the first that says something wins."""
    if len(metas) < 2:  # noqa: PLR2004  # nothing to join
        return metas[0] if metas else BundleMeta()
    since = [meta.window.since for meta in metas if meta.window.since]
    until = [meta.window.until for meta in metas if meta.window.until]
    return BundleMeta(
        title=next((meta.title for meta in metas if meta.title), ""),
        text="\n".join(meta.text for meta in metas if meta.text),
        window=Window(since=min(since, default=None), until=max(until, default=None)),
        zones={host: zone for meta in reversed(metas) for host, zone in meta.zones.items()},
        cluster=next((meta.cluster for meta in metas if meta.cluster), ""),
        reported_at=next((meta.reported_at for meta in metas if meta.reported_at), None),
    )


def _tell_large(members: Sequence[Member], captures: Sequence[Capture]) -> dict[Path, str]:
    """Return the digests that the manifest tells of large files: same place, same size."""
    told = {(c.path, c.size): c.sha256 for c in captures if c.path and (c.size or 0) >= LARGE}
    found = {member.path: told.get((member.place, _size(member.path)), "") for member in members}
    return {path: digest for path, digest in found.items() if digest}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _altered(member: EvidenceFile, evidence: Evidence) -> Gap:
    return Gap(
        source=evidence.source,
        target=member.name,
        why="its bytes are not those that were captured (the manifest tells another SHA-256)",
        evidence=evidence.id,
    )


def digest_of(path: Path) -> str:
    """Compute the SHA-256 of a file as it lies there; empty where it cannot be read."""
    try:
        with path.open("rb", buffering=0) as stream:
            digest = hashlib.sha256()
            # Large steps: at each, this thread stops the one that reads.
            while part := stream.read(STEP):
                digest.update(part)
            return digest.hexdigest()
    except OSError:
        return ""


def match_captures(
    members: Sequence[Member], digests: Sequence[str], captures: Sequence[Capture]
) -> tuple[tuple[Member, ...], tuple[Capture, ...]]:
    """Pair files with manifest lines; equal contents are told apart by path where it helps."""
    by_digest: dict[str, list[Capture]] = {}
    by_path: dict[str, Capture] = {}
    for capture in captures:
        if capture.sha256:
            by_digest.setdefault(capture.sha256, []).append(capture)
        if capture.path:
            by_path[capture.path] = capture
    used: set[int] = set()
    paired: list[Member] = []
    for member, digest in zip(members, digests, strict=True):
        found = _best(by_digest.get(digest, []), member.place, used)
        if found is None and (named := by_path.get(member.place)) and id(named) not in used:
            found = named
        if found is not None:
            used.add(id(found))
            member = replace(member, capture=found)  # noqa: PLW2901  # the same member, with what was said of it
        paired.append(member)
    return tuple(paired), tuple(capture for capture in captures if id(capture) not in used)


def _best(candidates: Sequence[Capture], place: str, used: set[int]) -> Capture | None:
    free = [capture for capture in candidates if id(capture) not in used]
    return next((capture for capture in free if capture.path == place), free[0] if free else None)


class _Finder:
    """Collects files, manifests and incident files."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self.captures: list[Capture] = []
        self.metas: list[BundleMeta] = []
        self.gaps: list[Gap] = []
        self.folder: Path | None = None

    def add(self, path: Path) -> None:
        if path.is_dir():
            for file in (path, *sorted(path.rglob("*"))):
                if file.is_dir() and not os.access(file, os.R_OK | os.X_OK):
                    why = "a folder that this user may not read"
                    self.gaps.append(Gap(source="file", target=str(file), why=why))
                elif file.is_file() and not SKIPPED & set(file.parts):
                    self._add_file(file, str(file), str(file.relative_to(path)))
        elif path.is_file():
            self._add_file(path, str(path), path.name)
        else:
            why = "neither a file nor a folder" if path.exists() else MISSING
            self.gaps.append(Gap(source="file", target=str(path), why=why))

    def _add_file(self, path: Path, name: str, place: str) -> None:
        try:
            with Content(path) as content:
                head = content.read(HEAD)
            if is_archive(head):
                self._add_archive(path, name)
                return
        except OSError as error:
            self.gaps.append(Gap(source="file", target=name, why=f"cannot be read: {error}"))
            return
        self._classify(Member(name, path, head, place))

    def _add_archive(self, path: Path, name: str) -> None:
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="firstfault-"))
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        names: list[tuple[str, Path]] = []
        try:
            for inner, copy in unpack(path, folder):
                names.append((inner, copy))
        except BrokenArchiveError as error:
            self.gaps.append(Gap(source="file", target=name, why=str(error)))
        root = _common_root([inner for inner, _ in names])
        for inner, copy in names:
            self._add_file(copy, f"{name}!{inner}", inner.removeprefix(root))

    def _classify(self, member: Member) -> None:
        if is_manifest(member.place, member.head):
            captures, damaged = read_manifest(member.path.read_bytes())
            if captures:
                self.captures += captures
                if damaged:
                    why = f"{damaged} damaged lines in the manifest; their captures read unlabelled"
                    self.gaps.append(Gap(source="file", target=member.name, why=why))
                return
        meta = read_incident(member.path, member.place, member.head)
        if meta is not None:
            self.metas.append(meta)
            return
        self.members.append(member)


def _common_root(names: Sequence[str]) -> str:
    """Find the one folder that an archive wraps everything in."""
    roots = {name.partition("/")[0] for name in names}
    wrapped = len(roots) == 1 and all("/" in name for name in names)
    root = next(iter(roots), "")
    return f"{root}/" if wrapped and root not in {"journal", "k8s", "host", "app"} else ""
