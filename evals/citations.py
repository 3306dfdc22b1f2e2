"""Checks that a citation stands where it points: in that file, on that line, in those words."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tools.evidence import Citation, Evidence

NEAR = 40
"""Physical lines after the one cited that may hold it: a logical line has several."""
SPACE = re.compile(rb"\s+")
PARTS = re.compile(r": |; |(?<=\w) (?=\S+$)|/")
SAMPLE = re.compile(r"(?P<name>[\w:.-]*)\{(?P<labels>.*)\} (?P<value>[-+.\deE]+|NaN|[+-]Inf)")
LABEL = re.compile(r'([\w.]+)="([^"]*)"')
PAIR = re.compile(r"(?:^|(?<=, ))(?!host=)\w+=([^,]*)")
OBJECT = re.compile(r"(?P<kind>\w+) (?:(?P<namespace>[^\s/:]+)/)?(?P<name>[^\s/]+): (?P<pairs>.+)")
FIELD = re.compile(r"(?:^|, )([A-Za-z][^\s=,]*)=(.*?)(?=, [A-Za-z][^\s=,]*=|$)", re.DOTALL)
KEYS = re.compile(r"[^.\[\]\"]+")
LEAST = 12
"""Words shorter than this say nothing; the whole must then stand there."""


@lru_cache(maxsize=512)
def _lines(path: Path) -> tuple[bytes, ...]:
    return tuple(path.read_bytes().split(b"\n"))


@lru_cache(maxsize=64)
def _flat(path: Path) -> bytes:
    return SPACE.sub(b" ", path.read_bytes())


def stands(citation: Citation, evidence: Evidence, root: Path) -> bool:
    """Tell whether the cited words stand in their file, on their line where one is named.

    A command that hung printed nothing: its words are the manifest's. An alert or an object is
    cited by its parts, each of which must stand in the file.
    """
    if evidence.outcome == "hung":
        return bool(evidence.command) and evidence.command in citation.text
    path = root / evidence.path
    return path.is_file() and _in_file(citation, path)


def _in_file(citation: Citation, path: Path) -> bool:
    whole = _first_words(citation.text)
    if not whole:
        return citation.line <= len(_lines(path))
    if citation.line and _holds(_near(path, citation.line), whole):
        return True
    if match := SAMPLE.fullmatch(citation.text.strip()):
        return _has_sample(path, match)
    if (match := OBJECT.fullmatch(citation.text)) and FIELD.match(match["pairs"]):
        return _has_object(path, citation.line, match)
    return _holds(_flat(path), whole) or _has_parts(_flat(path), citation.text, whole)


def _has_object(path: Path, line: int, cited: re.Match[str]) -> bool:
    """Look for an object's name and each cited value, the last of them on the line named."""
    text = _flat(path)
    named = all(_holds(text, cited[part]) for part in ("namespace", "name") if cited[part])
    pairs = FIELD.findall(cited["pairs"])
    standing = all(_has_value(text.lower(), value) for _, value in pairs)
    if not line or path.suffix != ".json":
        return named and standing
    key = KEYS.findall(pairs[-1][0])[-1]
    own = _lines(path)[line - 1] if line <= len(_lines(path)) else b""
    here = _has_value(own.lower(), pairs[-1][1])
    return named and standing and here and (key.isdecimal() or key.encode() in own)


def _has_parts(text: bytes, cited: str, whole: str) -> bool:
    if PAIR.match(whole):
        return all(_has_value(text.lower(), value) for value in PAIR.findall(cited))
    return all(_holds(text, part) for part in PARTS.split(whole))


def _has_sample(path: Path, cited: re.Match[str]) -> bool:
    """Look for a series with the cited labels that takes the cited value.

    Of loose samples the value was computed (a rate, an increase): there the series must stand.
    """
    labels = dict(LABEL.findall(cited["labels"]))
    try:
        results = json.loads(path.read_bytes())["data"]["result"]
    except (ValueError, KeyError, TypeError):
        pairs = [f'{name}="{value}"'.encode() for name, value in labels.items()]
        lines: Sequence[bytes] = _lines(path)
        for pair in pairs:
            lines = [line for line in lines if pair in line]
        return bool(lines)
    return any(
        labels.items() <= result["metric"].items()
        and any(_close(value, cited["value"]) for _, value in _values(result))
        for result in results
    )


def _values(result: dict[str, list[list[str]]]) -> list[list[str]]:
    return result.get("values") or [result["value"]]  # type: ignore[list-item]  # one pair


def _close(one: str, other: str) -> bool:
    return math.isclose(float(one), float(other), rel_tol=1e-3, abs_tol=1e-6)


def _has_value(text: bytes, value: str) -> bool:
    """Look for a reading's value, whatever its case.

    Yes and no are written in many ways, and `lost=False` is what an answer at all means.
    """
    return value in {"True", "False", "None"} or _holds(text, value.lower())


def _near(path: Path, line: int) -> bytes:
    return SPACE.sub(b" ", b"\n".join(_lines(path)[line - 1 : line - 1 + NEAR]))


def _first_words(text: str) -> str:
    long = (line for line in text.splitlines() if len(line.strip()) >= LEAST)
    return next(long, text).strip()


def _holds(text: bytes, words: str) -> bool:
    """Look for words as they may stand in a file: plain, or inside JSON."""
    forms = (words, json.dumps(words)[1:-1], json.dumps(words, ensure_ascii=False)[1:-1])
    return any(SPACE.sub(b" ", form.encode()) in text for form in forms)


def measure_valid(
    citations: Iterable[Citation], evidence: Mapping[str, Evidence], root: Path
) -> tuple[float, list[Citation]]:
    """Return the share of citations that stand, and those that do not.

    Paths in `evidence` are absolute or below `root`.
    """
    every = list(citations)
    if not every:
        return 0.0, []
    broken = [
        c for c in every if c.evidence not in evidence or not stands(c, evidence[c.evidence], root)
    ]
    return 1 - len(broken) / len(every), broken
