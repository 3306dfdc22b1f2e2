"""Knows what tools and people put before each line: a host, file, pod or rank, a quotation's mark.

A prefix is believed only where what stands behind it is a line of a log by itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from tools.capture import Capture
from tools.late_patterns import compile_late
from tools.quotations import is_kernels
from tools.source import Writer
from tools.writers import pod_writer, writer_of

MOST, HALF, SOME = 0.9, 0.5, 0.2
LINES = 60

_LOG_NAME = (
    rb"[\w./+@%~,=-]*?(?:\.(?:log|txt|out|err)(?:\.\d+)?(?:\.gz)?|(?:messages|syslog|dmesg|secure)"
    rb"(?:[.-]\d+)?(?:\.gz)?)"
)
_PATH = rb"(?:[\w.+@%~,=-]*/[\w./+@%~,=-]+|" + _LOG_NAME + rb")"
"""A path has a folder, or is called as logs are: names of loggers have dots too."""
NO_HOST = rb"(?i:rank|step|epoch|iter|task|thread|tid|pid|proc|process|cpu|stage)[-_]?\d+"
"""What programs number, and no host."""
_HOST = compile_late(
    rb"(?!" + NO_HOST + rb":)(?P<key>(?=[\w.-]*\d)(?:[A-Za-z][\w.-]{1,62}|\d+(?:\.\d+){3})):"
    rb"(?: (?P<text>[^\n]*)|\s*$)"
)
_FILE = compile_late(
    rb"(?:(?P<key>" + _PATH + rb"):(?:\d{1,9}:)?|(?P<key2>" + _LOG_NAME + rb")-(?:\d{1,9}-)?)"
    rb"(?P<text>[^\n]*)"
)
_POD = compile_late(rb"\[pod/(?P<key>[a-z0-9][a-z0-9.-]*/[a-z0-9][a-z0-9-]*)\] (?P<text>[^\n]*)")
_TASK = compile_late(rb" {0,5}(?P<key>\d{1,6}): (?P<text>[^\n]*)")
_SERVICE = compile_late(rb"(?P<key>[A-Za-z0-9][\w.-]{0,62}) +\| (?P<text>[^\n]*)")
_NUMBERED = compile_late(r".*[a-z0-9][-_]\d{1,4}")
"""How Compose calls the containers of a service."""
_QUOTE = compile_late(rb"(?:> ?)+(?P<text>[^\n]*)")
_CLOCK = rb"\d\d?:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?"
_CHAT = compile_late(
    rb"(?:\[\d\d?:\d\d(?: ?[AaPp][Mm])?\] (?!(?i:info|warn|warning|error|debug|trace|fatal)\b)"
    rb"@?[^\W\d][\w.' -]{0,31}:"
    rb"|\[?" + _CLOCK + rb"\]? <[@+ ]?[^\W\d][\w.|-]{0,31}>"
    rb"|\[\d\d?[./]\d\d?[./]\d{2,4},? " + _CLOCK + rb"\] [^\W\d][^:\n]{0,31}:) (?P<text>[^\n]*)"
)
_KINDS_OF_LOG = compile_late(
    r"(?:messages|syslog|kern|kernel|dmesg|secure|daemon|journal|console|system)"
    r"(?:[.-][\w.-]*)?"
)
_NAMED_LIKE_HOST = compile_late(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9][\w.-]{1,62}")


@dataclass(frozen=True)
class Prefix:
    """One way to mark lines."""

    name: str
    pattern: re.Pattern[bytes]
    """`text` is what is left of a line; `key` or `key2`, where there is one, tells whose it is."""
    share: float
    """So many of the lines must bear it."""
    writer: Callable[[str, Mapping[str, str]], Writer | None] = lambda _key, _nodes: None
    """Tells by the key, and by where each NAMESPACE/POD runs."""
    pasted: bool = False
    """A person put it there."""
    chosen: bool = False
    beside: str = ""
    """Whose the lines are that do not bear it."""

    def taken_off(self, line: bytes) -> tuple[str, bytes] | None:
        """Return whose a line is and what is left of it; None where it does not bear the prefix."""
        match = self.pattern.match(line)
        if match is None:
            return None
        parts = match.groupdict()
        key = parts.get("key") or parts.get("key2") or b""
        return key.decode("utf-8", "replace"), parts["text"] or b""


def _of_pod(key: str, nodes: Mapping[str, str]) -> Writer:
    """Name a pod; its namespace is kubectl's own where no list of pods tells another."""
    pod, _, container = key.partition("/")
    found = [place.partition("/")[0] for place in nodes if place.partition("/")[2] == pod]
    return pod_writer(found[0] if len(found) == 1 else "default", pod, container)


def _of_file(path: str, _: Mapping[str, str]) -> Writer | None:
    """Tell the writer by a file's place, or its host where a folder of a host's logs bears it."""
    told = writer_of(Capture(), path)
    if told != Writer():
        return told
    place = PurePath(path)
    host = place.parent.name
    if _KINDS_OF_LOG.fullmatch(place.name) and _NAMED_LIKE_HOST.fullmatch(host):
        return Writer(host=host)
    return None


POD = Prefix("pod", _POD, MOST, _of_pod)
HOST = Prefix("host", _HOST, MOST, lambda host, _: Writer(host=host))
TASK = Prefix("task", _TASK, MOST, lambda rank, _: Writer("app", fields={"rank": rank}))
"""`srun --label`."""
SERVICE = Prefix("service", _SERVICE, MOST, lambda name, _: Writer("app", unit=name))
"""`docker compose logs`."""
FILE = Prefix("file", _FILE, MOST, _of_file, chosen=True)
QUOTE = Prefix("quotation", _QUOTE, HALF, pasted=True, beside="letter")
CHAT = Prefix("chat", _CHAT, SOME, pasted=True)
KINDS = (POD, HOST, TASK, SERVICE, FILE, QUOTE, CHAT)

_BETWEEN = compile_late(rb"\s*$|--$|Binary file \S+ matches|(?:pdsh|clush)[@:]")
"""Lines of the tools themselves."""


class Knowing(Protocol):
    """Knows by itself what stands behind a prefix."""

    def is_line(self, text: str) -> bool:
        """Tell whether a line is one of a log."""

    def is_document(self, data: bytes) -> bool:
        """Tell whether a text is a document."""


def prefix_of(lines: Sequence[bytes], knowing: Knowing) -> Prefix | None:
    """Find the prefix that lines share."""
    said = [line for line in lines if not _BETWEEN.match(line)][:LINES]
    for kind in KINDS:
        if not kind.pasted and not any(kind.taken_off(line) for line in said[:3]):
            continue
        left = [taken for line in said if (taken := kind.taken_off(line))]
        if left and len(left) >= kind.share * len(said) and _is_log(kind, left, knowing):
            return kind
    return None


def _is_log(kind: Prefix, left: Sequence[tuple[str, bytes]], knowing: Knowing) -> bool:
    if kind in {POD, CHAT} or (kind in {TASK, SERVICE} and _is_launchers(kind, left)):
        return True
    if kind is SERVICE or (kind is TASK and len({key for key, _ in left}) > 1):
        return False
    texts = [line.decode("utf-8", "replace") for _, line in left if line.strip()]
    known = sum(1 for text in texts if is_kernels(text) or is_stamped(text, knowing))
    if known > (0 if kind.pasted else HALF * len(texts)):
        return True
    first = b"\n".join(line for key, line in left if key == left[0][0])
    return kind is HOST and knowing.is_document(first + b"\n")


def is_labelled(head: bytes) -> bool:
    """Tell whether several tasks of `srun --label` take turns."""
    lines = [line for _, line in numbered(head) if line.strip()]
    left = [taken for line in lines if (taken := TASK.taken_off(line))]
    return len(left) >= TASK.share * len(lines) > 0 and _is_launchers(TASK, left)


def _is_launchers(kind: Prefix, left: Sequence[tuple[str, bytes]]) -> bool:
    """Tell several tasks that take turns from numbered lines, and containers from a table.

    A table of hosts and what their kernels said is a person's.
    """
    keys = [key for key, _ in left]
    if kind is SERVICE and any(is_kernels(line.decode("utf-8", "replace")) for _, line in left):
        return False
    if kind is TASK:
        return 1 < len(set(keys)) < len(keys) and int(min(keys, key=int)) < len(set(keys))
    return all(map(_NUMBERED.fullmatch, keys))


def is_stamped(text: str, knowing: Knowing) -> bool:
    """Tell whether a line is a log's own; the lines of a search on many hosts have two prefixes."""
    inner = FILE.taken_off(text.encode())
    inside = inner[1].decode("utf-8", "replace") if inner else ""
    return knowing.is_line(text) or (bool(inside) and knowing.is_line(inside))


def numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text with their numbers."""
    for number, line in enumerate(data.split(b"\n"), 1):
        yield number, line.removesuffix(b"\r")
