"""What one journal entry says, whichever format carried it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from tools.evidence import Channel, Instant, Record
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.numerals import whole
from tools.writers import PLATFORM_NAMESPACES

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIELDS = (
    "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "SYSLOG_PID", "CONTAINER_NAME", "CONTAINER_ID",
    "CONTAINER_ID_FULL", "_TRANSPORT", "_HOSTNAME", "_SYSTEMD_UNIT", "_SYSTEMD_USER_UNIT",
    "_SYSTEMD_CGROUP", "_PID", "_COMM", "_EXE", "_BOOT_ID", "_KERNEL_DEVICE", "K8S_POD_NAME",
    "K8S_NAMESPACE_NAME", "UNIT", "JOB_RESULT",
)  # fmt: skip
"""The fields that a record is made of."""

_CARRIED = {
    "_PID": "pid",
    "SYSLOG_PID": "pid",
    "PRIORITY": "priority",
    "_BOOT_ID": "boot",
    "CONTAINER_ID_FULL": "container_id",
    "K8S_POD_NAME": "pod",
    "K8S_NAMESPACE_NAME": "namespace",
    "CONTAINER_NAME": "container",
    "_KERNEL_DEVICE": "device",
}
_K8S_CONTAINER = compile_late(r"k8s_([^_]+)_([^_]+)_([^_]+)_")
_WORKLOAD_UNIT = compile_late(
    r"(docker|libpod|cri-containerd|crio)-[0-9a-f]{12,}|session-\d+\.scope|run-.*"
)
_SUDO = compile_late(r"/(?:usr/)?(?:local/)?bin/sudo(?:-rs)?")
_SESSION = compile_late(r"/user\.slice/user-\d+\.slice/(?:session-\w+\.scope|user@\d+\.service)/?")
_USER_SLICE = compile_late(r"/user\.slice/|/user@\d+\.service/|slurmstepd|/job_\d+|kubepods")


def entry_record(evidence: str, entry: Mapping[str, str]) -> Record | None:
    """Make a record; None for an entry without message."""
    text = entry.get("MESSAGE")
    if text is None:
        return None
    host = entry.get("_HOSTNAME", "")
    fields = {new: entry[old] for old, new in _CARRIED.items() if old in entry}
    unit = unit_of(entry)
    if match := _K8S_CONTAINER.match(entry.get("CONTAINER_NAME", "")):
        container, pod, namespace = match.groups()
        fields |= {"container": container, "pod": pod, "namespace": namespace}
        unit = container
    return Record(
        evidence,
        channel_of(entry, fields),
        masked(text),
        0,
        entry_time(entry),
        f"host:{host}" if host else f"file:{evidence}",
        host,
        unit,
        fields,
    )


def entry_time(entry: Mapping[str, str]) -> Instant | None:
    """Read the wall time, microseconds since 1970."""
    stamp = entry.get("__REALTIME_TIMESTAMP", "")
    if (micro := whole(stamp, most=17)) is None:
        return None
    return Instant(EPOCH + timedelta(microseconds=micro), 0.0, "stated", stamp)


def unit_of(entry: Mapping[str, str]) -> str:
    """Name the writer: the kernel, its container, its unit, else its tag."""
    if entry.get("_TRANSPORT") == "kernel":
        return "kernel"
    name = (
        entry.get("CONTAINER_NAME")
        or entry.get("SYSLOG_IDENTIFIER")
        or entry.get("_SYSTEMD_UNIT")
        or entry.get("_COMM", "")
    )
    return name.rsplit("/", 1)[-1].removesuffix(".service")


def channel_of(entry: Mapping[str, str], fields: Mapping[str, str]) -> Channel:
    """Tell the transport: kernel, a workload's output, or the host's own programs."""
    if entry.get("_TRANSPORT") == "kernel":
        return "kernel"
    if "CONTAINER_NAME" in entry or "K8S_POD_NAME" in entry:
        platform = PLATFORM_NAMESPACES.fullmatch(fields.get("namespace", ""))
        return "service" if platform else "app"
    if _is_sudo(entry):
        return "service"
    if "_SYSTEMD_USER_UNIT" in entry or _WORKLOAD_UNIT.match(entry.get("_SYSTEMD_UNIT", "")):
        return "app"
    return "app" if _USER_SLICE.search(entry.get("_SYSTEMD_CGROUP", "")) else "service"


def _is_sudo(entry: Mapping[str, str]) -> bool:
    """Tell whether sudo itself wrote it in somebody's session, by what the journal saw of it.

    The tag is the writer's own word, the executable is not. What runs in a container has an
    executable of its own by that name.
    """
    return (
        entry.get("SYSLOG_IDENTIFIER") == "sudo"
        and _SUDO.fullmatch(entry.get("_EXE", "")) is not None
        and _SESSION.search(entry.get("_SYSTEMD_CGROUP", "")) is not None
    )
