"""What is mounted: `mount`, `/proc/mounts`, `/proc/self/mountinfo`, `nfsstat -m`, `findmnt`."""

from collections.abc import Iterator, Mapping

from tools.command_text import CommandReader, Printed, Typed
from tools.gpu_values import Value
from tools.late_patterns import compile_late
from tools.numerals import whole

_SPOKEN = compile_late(
    r"^(?P<source>\S+) on (?P<target>/\S*) type (?P<fstype>\S+) \((?P<options>[^)]*)\)"
)
_PROC = compile_late(
    r"^(?P<source>\S+) (?P<target>/\S*) (?P<fstype>[\w.-]+) (?P<options>r[ow]\S*) \d \d$"
)
_INFO = compile_late(
    r"^\d+ \d+ \d+:\d+ \S+ (?P<target>/\S*) (?P<own>\S+).* - (?P<fstype>\S+) (?P<source>\S+) "
    r"(?P<options>\S+)"
)
_NFSSTAT = compile_late(r"^(?P<target>/\S*) from (?P<source>\S+:/\S*)$")
_FLAGS = compile_late(r"^\s+Flags:\s*(?P<options>\S+)")
LOOK = 12
"""A list of mounts has one among so many lines."""
_PATTERNS = (_SPOKEN, _PROC, _INFO)
_NUMBERS = {"timeo": "timeo_ds", "retrans": "retrans", "rsize": "rsize", "wsize": "wsize",
            "nconnect": "nconnect", "acregmin": "acregmin_s", "acregmax": "acregmax_s"}  # fmt: skip


def recognise(head: bytes) -> float:
    """Tell how many of the first lines are mounts."""
    text = head[:16384].decode("utf-8", "replace").replace("\r\n", "\n")
    lines = [line for line in text.split("\n") if line.strip()]
    lines = lines[:-1] if len(lines) > 1 and not head.endswith(b"\n") else lines
    if len(lines) > LOOK and not any(
        pattern.match(line) for line in lines[:LOOK] for pattern in (*_PATTERNS, _NFSSTAT)
    ):
        return 0.0
    if not lines:
        return 0.0
    if any(_NFSSTAT.match(line) for line in lines) and b"Flags:" in head:
        return 0.95
    found = sum(1 for line in lines if any(pattern.match(line) for pattern in _PATTERNS))
    return 0.95 * found / len(lines) if found / len(lines) > 0.6 else 0.0  # noqa: PLR2004  # most of its lines


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each mount, its options typed."""
    pending: dict[str, str] | None = None
    for number, line in enumerate(printed.text.splitlines(), 1):
        match = next((found for pattern in _PATTERNS if (found := pattern.match(line))), None)
        if match is not None:
            yield Typed("mount", mount_values(match.groupdict()), number)
        elif match := _NFSSTAT.match(line):
            pending = match.groupdict()
        elif pending and (match := _FLAGS.match(line)):
            parts = pending | {"fstype": "nfs", "options": match["options"]}
            yield Typed("mount", mount_values(parts), number)
            pending = None


def mount_values(parts: Mapping[str, str | None]) -> dict[str, Value]:
    """Type the options that decide how a client waits."""
    options = ",".join(part for part in (parts.get("own"), parts.get("options")) if part)
    target, source = parts["target"] or "", parts["source"] or ""
    values: dict[str, Value] = {
        "target": target.replace("\\040", " "), "path": target, "source": source,
        "fstype": parts["fstype"], "options": options,
    }  # fmt: skip
    flags = dict(part.partition("=")[::2] for part in options.split(","))
    for option, name in _NUMBERS.items():
        if (number := whole(flags.get(option))) is not None:
            values[name] = number
    for option in ("addr", "vers", "proto", "clientaddr"):
        if flags.get(option):
            values[option] = flags[option]
    if (parts["fstype"] or "").startswith("nfs"):
        values["hard"] = "soft" not in flags and "softerr" not in flags
        values["server"] = source.rpartition(":/")[0].strip("[]")
    values["read_only"] = "ro" in flags
    return values


READER = CommandReader("mounts", recognise, parse)
