"""When a complaint is answered: what it names was itself seen at work, all through the time asked.

A person may be wrong, and may mean something that nobody looked at. So every name in the text has
to be one that is known and seen; whatever else it names leaves it open.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from assistant.event import Event
from knowledge.page import Page, TextSignature
from tools.evidence import Evidence
from tools.late_patterns import compile_late

_MARGIN = 8
"""Bytes at a text's ends that say nothing: line ends, a mark of the encoding."""

_TIMES = compile_late(
    r"\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d)?(?:Z|\b)"
    r"|\b\d+ ?(?:hours?|hrs?|h|minutes?|mins?|min|days?)\b|\d+ ?(?:小时|分钟|天)"
    r"|\b(?:ticket|case|request|incident|issue)s? ?(?:#?\d+|(?-i:(?!(?:CPU|DGX|GPU|HGX|HOST|NODE"
    r"|POD|RANK|SERVER)-)[A-Z]{2,}-\d+))(?![\w./:-]*\w)|\bUTC\b",
    re.IGNORECASE,
)
"""Numbers that name no thing: when, for how long, and the complaint's own."""
_WORDS = compile_late(r"[A-Za-z0-9]+(?:[-_./:][A-Za-z0-9]+)*")
_NAMED_BY = compile_late(
    r"\b(?:jobs?|runs?|trainings?|pods?|nodes?|hosts?|servers?|machines?|ranks?)\s+"
    r"(?P<name>[A-Za-z0-9][\w./:-]*)",
    re.IGNORECASE,
)
_OWNED = compile_late(
    r"\b(?P<before>[A-Za-z][\w'’]*)(?=\s+(?:jobs?|runs?|trainings?)\b)"
    r"|\b(?:jobs?|runs?|trainings?)\s+(?:of|for|by|from)\s+(?:(?:the|our|my|user|team)\s+)*"
    r"(?P<after>[A-Za-z][\w'’]*)"
    r"|(?P<zh>[^\s\W]{1,8})的(?:训练|作业|任务)",
    re.IGNORECASE,
)
"""What stands beside a work may say which one, or whose."""
_EVERYDAY = frozenset({
    "a", "all", "an", "and", "any", "are", "as", "at", "batch", "because", "big", "both", "but",
    "by", "cannot", "current", "customer", "customers", "did", "distributed", "do", "does", "each",
    "every", "failed", "failing", "few", "first", "for", "from", "gpu", "had", "has", "have",
    "help", "her", "his", "how", "hung", "i", "if", "in", "is", "its", "job", "jobs", "large",
    "last", "latest", "long", "many", "my", "new", "no", "not", "of", "old", "on", "one", "or",
    "other", "our", "parallel", "please", "run", "running", "runs", "same", "second", "several",
    "since", "slow", "slurm", "small", "some", "stuck", "team", "teams", "that", "the", "their",
    "these", "this", "those", "to", "today", "training", "trainings", "two", "user", "users",
    "was", "we", "were", "when", "where", "which", "while", "whole", "why", "with", "yesterday",
    "your",
})  # fmt: skip
"""Words beside a work that tell it from no other."""
_EVERYBODY = ("我们", "我", "咱们", "你们", "他们", "用户", "客户", "团队", "这边")
_NO_NAMES = frozenset({
    "and", "are", "at", "been", "for", "from", "got", "gets", "has", "have", "hang", "hanging",
    "hangs", "in", "is", "job", "jobs", "keeps", "makes", "no", "not", "of", "on", "seem",
    "seems", "shows", "since", "still", "stuck", "that", "was", "were", "which", "with",
})  # fmt: skip


def is_complaint(event: Event, pages: Mapping[str, Page]) -> bool:
    """Tell whether a person said it, not a program of itself, and work that goes on answers it.

    What lasts while work goes on (it is slow) stays open: no step of today tells yesterday's pace.
    """
    page = pages[event.page]
    told = any(isinstance(one, TextSignature) and one.fallback for one in page.signatures)
    return not (told or page.persists)


def find_names(text: str) -> set[str]:
    """Return what a complaint may name: words with a digit or a joint, or that follow a kind."""
    told = _TIMES.sub(" ", text)
    names = {word for word in _WORDS.findall(told) if _is_name(word)}
    names |= {match["name"].rstrip(".:") for match in _NAMED_BY.finditer(told)}
    names |= _owners(told)
    if not told.isascii():  # in a text of another script a Latin word is a name
        names |= set(_WORDS.findall(told))
    return {name for name in names if name.lower() not in _NO_NAMES}


def _owners(text: str) -> set[str]:
    """Return the words beside a run, a job or a training that may tell it from others."""
    rows = [match.groupdict() for match in _OWNED.finditer(text)]
    words = {re.sub(r"['’]s?$", "", row["before"] or row["after"] or "a") for row in rows}
    people = {row["zh"] for row in rows if row["zh"] and not row["zh"].endswith(_EVERYBODY)}
    return people | {word for word in words if word.lower() not in _EVERYDAY}


def _is_name(word: str) -> bool:
    return any(letter.isdigit() for letter in word) or any(joint in word for joint in "-_./:")


def is_answered(
    complaint: Event,
    work: Mapping[str, Collection[Event]],
    steady: Collection[str],
    *,
    whole: bool,
) -> bool:
    """Tell whether what a complaint names was seen at work; where it names nothing, everything.

    `work` holds the progress of each job, `steady` those that went on through the whole time;
    `whole` says that the sentence is all of its text, so that no other line can name a thing. A
    host's name says where the job is, and stands for no job: several may run there.
    """
    names = find_names(complaint.text)
    if not names:
        return whole and bool(work) and set(work) <= set(steady)
    meant = {job for job, events in work.items() if names & _called(events, {"job", "pod"})}
    events = [event for job in meant for event in work[job]]
    known = _called(events, {"job", "pod", "node"})
    return bool(meant) and meant <= set(steady) and names <= known


def is_whole(complaint: Event, evidence: Iterable[Evidence]) -> bool:
    """Tell whether the text that it stands in says nothing else."""
    cited = {quoted.evidence for quoted in complaint.citations}
    length = len(complaint.text.encode()) + _MARGIN
    return all(0 < (one.size or 0) <= length for one in evidence if one.id in cited)


def _called(events: Collection[Event], kinds: Collection[str]) -> set[str]:
    """Return the names of things of some kinds, whole and without what they lie in."""
    whole = {a.id for event in events for a in event.anchors if a.kind in kinds}
    return whole | {name.rpartition("/")[2].rpartition(":")[2] for name in whole}
