"""`nvidia-bug-report.log`: what NVIDIA's script collects of a host, one output after the other.

Sections are parted by a rule; their first line is a command, or `*** PATH` and its listing.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from tools.capture import Capture
from tools.evidence import UNKNOWN_ZONE_S, Item
from tools.late_patterns import compile_late
from tools.request import Request
from tools.sections import Section, read_section
from tools.source import Source
from tools.stamps import MONTHS, Dating

RULE = b"____________________________________________"
_MARK = compile_late(rb"Start of NVIDIA bug report log file")
_UNAME = compile_late(rb"^uname: Linux (\S+) ", re.MULTILINE)
_DATE = compile_late(
    rb"^Date: \w{3} (?P<month>\w{3}) +(?P<day>\d+) (?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)"
    rb"(?: (?P<half>[AP]M))? (?P<zone>\S+) (?P<year>\d{4})",
    re.MULTILINE,
)
_SECTION = compile_late(
    rb"^(?:" + RULE + rb"\r?\n|  (?P<log>/var/log/\S+|journalctl -b -\d):\r?\n)", re.MULTILINE
)
"""A rule; or, where the script has looked for the driver's messages, the name of a log."""
_FILE = compile_late(rb"\s*\*\*\* (?P<path>/\S+)[^\n]*\n(?:\*\*\* ls: [^\n]*\n)?")
_COMMAND = compile_late(rb"\s*(?P<words>(?:/\S*/)?[a-z][\w.-]*(?: [^\n]*)?)\n(?:[ \t\r]*\n|(?=\S))")
_OFFSET = compile_late(r"[+-]\d\d(?:\d\d)?")
_HEAD = 4096


class BugReportReader:
    """Yields what the readers of its sections yield."""

    name = "nvidia-bug-report"
    source = "host"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for the script's first words."""
        start = head[:_HEAD].lstrip(b"\xef\xbb\xbf \r\n")
        return 0.99 if start.startswith(RULE[:20]) and _MARK.search(start) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read section after section."""
        data = source.whole()
        host = _UNAME.search(data[:_HEAD])
        target = source.capture.target or (host.group(1).decode("utf-8", "replace") if host else "")
        capture = source.capture.model_copy(update={"source": "host", "target": target})
        taken = report_time(data[:_HEAD], source, request)
        for section in sections_of(data, capture, taken):
            yield from read_section(section, source, request)


def sections_of(data: bytes, capture: Capture, taken: datetime | None) -> Iterator[Section]:
    """Cut at the rules; what names an output stands apart from the output itself."""
    borders = [0, *(match.start() for match in _SECTION.finditer(data)), len(data)]
    lines = 0
    for begin, end in pairwise(borders):
        if begin == end:
            continue
        title, start = title_of(data, begin, end)
        named = capture.model_copy(update={"command": title}) if title else capture
        yield Section(data[begin:start], begin, lines, is_heading=bool(title))
        if start < end:
            before = lines + data.count(b"\n", begin, start)
            yield Section(data[start:end], start, before, title, named, taken)
        lines += data.count(b"\n", begin, end)


def title_of(data: bytes, begin: int, end: int) -> tuple[str, int]:
    """Return what a section shows, as a command, and where its output begins."""
    rule = _SECTION.match(data, begin, end)
    place = rule.end() if rule else begin
    if rule and rule["log"]:
        return f"grep NVRM {rule['log'].decode('utf-8', 'replace')}", place
    if file := _FILE.match(data, place, end):
        return f"cat {file['path'].decode('utf-8', 'replace')}", file.end()
    if _MARK.search(data, place, min(end, place + 200)):
        return "", place
    if command := _COMMAND.match(data, place, end):
        return command["words"].decode("utf-8", "replace").strip().rstrip(":"), command.end()
    return "", place


def report_time(head: bytes, source: Source, request: Request) -> datetime | None:
    """Tell when the script ran: the latest moment that its stamp can mean."""
    match = _DATE.search(head)
    if match is None:
        return None
    words = {name: (part or b"").decode() for name, part in match.groupdict().items()}
    month = MONTHS.get(words["month"].lower())
    if month is None:
        return None
    hour = int(words["h"]) % 12 + 12 * (words["half"] == "PM") if words["half"] else int(words["h"])
    numbers = (int(words["year"]), month, int(words["day"]), hour, int(words["m"]), int(words["s"]))
    known = words["zone"] in {"UTC", "GMT"} or _OFFSET.fullmatch(words["zone"])
    dating = Dating(request, source.reference(request.now))
    zone = words["zone"] if known else ""
    found = dating.wall(numbers, -1, host="", zone=zone)
    if found is None:
        return None
    late = UNKNOWN_ZONE_S if found.zone == "unknown" else 0.0
    return found.utc + timedelta(seconds=late)


READER = BugReportReader()
