"""Edits a written bundle and keeps its manifest true: hashes, paths and targets."""

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from evals.model import Body

MANIFEST = "manifest.jsonl"
WORD = re.compile(r"GPU-[0-9a-f-]{36}|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9]")
WORD_BYTES = re.compile(WORD.pattern.encode())


def read_lines(folder: Path) -> list[Body]:
    """Read the manifest."""
    text = (folder / MANIFEST).read_text()
    return [json.loads(line) for line in text.splitlines()]


def store(folder: Path, entries: list[Body]) -> None:
    """Write the manifest."""
    text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    (folder / MANIFEST).write_text(text)


def substitute(text: str, names: Mapping[str, str]) -> str:
    """Replace whole words; a name that is part of a longer word stays."""
    return WORD.sub(lambda match: names.get(match[0], match[0]), text)


def replace_words(folder: Path, names: Mapping[str, str]) -> None:
    """Replace words in every file, in its path and in the manifest."""
    raw = {old.encode(): new.encode() for old, new in names.items()}

    def edit(body: bytes) -> bytes:
        return WORD_BYTES.sub(lambda match: raw.get(match[0], match[0]), body)

    entries = [json.loads(substitute(json.dumps(entry), names)) for entry in read_lines(folder)]
    old_paths = [str(entry["path"]) for entry in read_lines(folder)]
    for old, entry in zip(old_paths, entries, strict=True):
        body = edit((folder / old).read_bytes())
        (folder / old).unlink()
        _put(folder, entry, body)
    incident = folder / "incident.yaml"
    if incident.exists():
        incident.write_bytes(edit(incident.read_bytes()))
    store(folder, entries)


def _put(folder: Path, entry: Body, body: bytes) -> None:
    place = folder / str(entry["path"])
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(body)
    entry["sha256"] = hashlib.sha256(body).hexdigest()
    entry["size"] = len(body)


def swap(folder: Path, old: str, new: str, body: bytes, *, command: str) -> None:
    """Put another file in the place of one."""
    entries = read_lines(folder)
    for entry in entries:
        if entry["path"] == old:
            (folder / old).unlink()
            entry |= {"path": new, "command": command}
            _put(folder, entry, body)
    store(folder, entries)


def drop(folder: Path, source: str) -> None:
    """Take away all captures of a source, and every trace of them."""
    kept = []
    for entry in read_lines(folder):
        if belongs(source)(entry):
            (folder / str(entry["path"])).unlink()
        else:
            kept.append(entry)
    store(folder, kept)


def belongs(source: str) -> Callable[[Body], bool]:
    """Return the test for a source's captures; pod logs are the application's own words."""

    def test(entry: Body) -> bool:
        pod_log = "/logs/" in str(entry["path"])
        if source == "app":
            return entry["source"] == "app" or pod_log
        return entry["source"] == source and not pod_log

    return test


def scatter(folder: Path, rng: random.Random) -> None:
    """Rename all files but the manifest to names without meaning, in one folder.

    The manifest keeps the paths of the capture, as it does when somebody unpacks and renames
    attachments by hand.
    """
    for entry in read_lines(folder):
        path = folder / str(entry["path"])
        path.rename(folder / f"{rng.getrandbits(64):016x}.txt")
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            path.rmdir()
