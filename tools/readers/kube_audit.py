"""The API server's audit log: what was asked of it, by whom, and how it answered."""

import re

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late

PATTERN = compile_late(
    r'\{"kind":"Event","apiVersion":"audit\.k8s\.io/v\d\w*",.*"stageTimestamp":"(?P<stamp>[^"]{10,40})"',
    re.DOTALL,
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read when the answer was given; the object stays the text."""
    instant = setting.dating.iso(match["stamp"])
    return Line(match.string, instant, unit="kube-apiserver") if instant else None


DIALECT = Dialect("kube-audit", PATTERN, build, weight=0.96, channel="service", source="kubernetes")
