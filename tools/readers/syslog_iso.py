"""Syslog with ISO stamps: rsyslog's default, RFC 5424, `journalctl -o short-iso[-precise]`."""

import re

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.syslog_tags import HOST, kernel_line, tagged_line

_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_STAMP = (
    rf"\d{{4}}-\d\d-\d\dT{_CLOCK}"
    # Many programs' own logs have a space there; then only a tag of syslog's own form tells.
    rf"|\d{{4}}-\d\d-\d\d {_CLOCK}"
    r"(?= [A-Za-z0-9][\w.-]* (?:kernel|[\w./-]{1,64}\[\d{1,10}\]): )"
)
PATTERN = compile_late(
    rf"(?:<\d{{1,3}}>(?P<version>1 )?)?(?P<stamp>{_STAMP}) (?P<host>{HOST}) "
    # Only where the version is given do fields of a header stand behind the host.
    r"(?P<rest>(?:(?(version)\S+ \S+ \S+ |(?!))"
    r"|[^\s\[\]:=]+(?: [^\s\[\]:=]+)?(?:\[[^\]\s]{1,24}\])?: ).*)",
    re.DOTALL,
)
_FIELDS = compile_late(
    r"(\S+) (\S+) (\S+) (?:-|(?:\[(?:[^\]\\]|\\.)*\])+) ?(?:\ufeff)?(.*)", re.DOTALL
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read stamp, host and tag, or the header fields of RFC 5424."""
    host, rest = match["host"], match["rest"]
    instant = setting.dating.iso(match["stamp"], host)
    if instant is None:
        return None
    if match["version"] and (fields := _FIELDS.match(rest)):
        program, pid, _, text = fields.groups()
        if program == "kernel":
            return kernel_line(text, instant, host)
        line = tagged_line(f"{program}: {text}", instant, host)
        return line if pid == "-" else line._replace(fields={"pid": pid})
    return tagged_line(rest, instant, host)


DIALECT = Dialect("syslog-iso", PATTERN, build, weight=0.95, channel="service", source="journal")
