"""Container logs: the CRI files of the kubelet, and the stamps of `kubectl logs --timestamps`."""

import re

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late

PATTERN = compile_late(
    r"(?:\[(?:pod/)?(?P<pod>[a-z0-9.-]+)/(?P<container>[a-z0-9-]+)\] )?"
    r"(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,9}(?:Z|[+-]\d\d:\d\d)) "
    r"(?:(?P<stream>stdout|stderr) (?P<tag>[FP]) )?(?P<text>.*)",
    re.DOTALL,
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the prefix; the program's own stamp, if any, stays in the text."""
    instant = setting.dating.iso(match["stamp"])
    if instant is None:
        return None
    fields = {}
    if pod := match["pod"]:
        fields = {"pod": pod, "container": match["container"]}
    return Line(match["text"], instant, "", match["container"] or "", None, fields or None)


DIALECT = Dialect("container-log", PATTERN, build, weight=0.92, channel="app", source="kubernetes")
