"""`docker events`: what the daemon did with containers, images and networks."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    import re

PATTERN = compile_late(
    r"(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d)) "
    r"(?P<text>(?P<kind>container|image|volume|network|daemon|plugin|builder|service|node|secret"
    r"|config) (?P<what>[a-z_]+(?:: [^(]*?)?) (?P<id>\S+)(?: \((?P<attributes>.*)\))?\s*$)"
)
_NAME = compile_late(r"(?:^|, )name=([^,)]+)")
_POD = compile_late(r"io\.kubernetes\.(pod\.name|pod\.namespace|container\.name)=([^,)]+)")
_FIELDS = {"pod.name": "pod", "pod.namespace": "namespace", "container.name": "container"}


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read stamp, container and, where the kubelet named it, its pod."""
    instant = setting.dating.iso(match["stamp"])
    if instant is None:
        return None
    attributes = match["attributes"] or ""
    fields = {_FIELDS[name]: value for name, value in _POD.findall(attributes)}
    if match["kind"] == "container":
        fields["container_id"] = match["id"]
        if named := _NAME.search(attributes):
            fields["name"] = named.group(1)
    return Line(match["text"], instant, unit="dockerd", fields=fields or None)


DIALECT = Dialect(
    "docker-events", PATTERN, build, weight=0.97, channel="service", source="containers"
)
"""Above the container logs' and syslog's: both would take an event's kind for their own word."""
