"""Tells who wrote a content: by its capture, by its place in a bundle, by what it talks about."""

import re
from collections.abc import Mapping

from tools.capture import Capture
from tools.evidence import Channel  # noqa: TC001  # one import style for a type alias
from tools.late_patterns import compile_late
from tools.source import Writer

PLATFORM_NAMESPACES = compile_late(
    r"(kube-.*|.*-system|.*-operator.*|nvidia.*|monitoring|calico-system|tigera.*|cilium.*|rook-ceph|"
    r"network-operator|node-feature-discovery|istio-system|cert-manager|openshift-.*)"
)
"""Namespaces whose pods are parts of the platform: their containers count as services."""
DAEMONS = compile_late(
    r"(systemd.*|\(.*\)|init|kubelet|containerd.*|dockerd|docker|crio|cri-o|sshd.*|chronyd|ntpd|"
    r"rsyslogd|cron|CRON|crond|anacron|dbus.*|NetworkManager|networkd.*|slurm.*|munged|nvidia-.*|"
    r"nv-.*|dcgm.*|fabricmanager|rpc\..*|rpcbind|nfs.*|multipathd|iscsid|smartd|mcelog|rasdaemon|"
    r"ipmievd|opensm|audit.*|polkitd|udev.*|sudo|su|login|logind|snapd|agetty|irqbalance|acpid|"
    r"etcd|kube-.*|k3s.*|rke2.*|node_exporter|node-problem-detector|prometheus.*|keepalived|"
    r"haproxy|unattended-upgrade.*|apt.*|dnf|yum|puppet.*|salt.*|telegraf|collectd|pacemaker.*|"
    r"corosync|lvm.*|mdadm|thermald|tuned|gdm.*|avahi.*|lldpd|nodehealth|health.*|kernel)"
)
"""Programs that a host runs for itself."""

_PLACE = compile_late(r"(?:^|[/!])(journal|k8s|nvml|host|app|storage|network|alerts)/(.*)$")
_SLURM_OUTPUT = compile_late(r"(?:^|[/!])slurm-(\d+)(?:_\d+)?\.(?:out|err|log)(?:\.\w+)?$")
"""How Slurm names a batch job's output unless told otherwise."""
_POD = compile_late(r"logs/([^/]+)/([^/]+)/([^/]+?)(\.previous)?\.log(?:\.\w+)?$")
_GATHERED = compile_late(
    r"namespaces/([^/]+)/pods/([^/]+)/([^/]+)/[^/]+/logs/(current|previous)[\w.-]*\.log(?:\.\w+)?$"
)
"""Where `oc adm must-gather` and `oc adm inspect` put a container's log."""
_SOSREPORT = compile_late(
    r"(?:^|[/!])sosreport-(?P<host>[\w.-]+?)(?:-\d{5,12})?-\d{4}-\d\d-\d\d-[a-z]{7}/"
)
"""How sos names a report: the host, a case's number if it was given one, the day."""
_LOGS_COMMAND = compile_late(r"\bkubectl\b.*\blogs\b")
_SHOWN_FILE = compile_late(r"\b(?:cat|tail|head|zcat)\b.* (?:\S*/)?([^/\s]+?)\.(?:log|out)[\w.]*$")
_DOCKER_LOGS = compile_late(r"\b(?:docker|podman|crictl|nerdctl) logs\b")
_FLAG = compile_late(r"(?:^|\s)(?:-n|--namespace)[= ](\S+)")
_CONTAINER = compile_late(r"(?:^|\s)(?:-c|--container)[= ](\S+)")
_POD_DIR = compile_late(
    r"(?:pods|containers)/([a-z0-9.-]+)_([a-z0-9.-]+)_([a-z0-9-]+)(?:/([^/]+))?"
)


def pod_writer(namespace: str, pod: str, container: str = "", node: str = "") -> Writer:
    """Describe a container's log."""
    platform = PLATFORM_NAMESPACES.fullmatch(namespace) is not None
    fields = {"namespace": namespace, "pod": pod, "container": container, "node": node}
    return Writer(
        channel="service" if platform else "app",
        host=node,
        unit=container,
        clock=f"host:{node}" if node else f"pod:{namespace}/{pod}",
        fields={key: value for key, value in fields.items() if value},
    )


def placed(writer: Writer, nodes: Mapping[str, str]) -> Writer:
    """Add the node on which a container's log was written, where objects told it."""
    pod = f"{writer.fields.get('namespace')}/{writer.fields.get('pod')}"
    node = nodes.get(pod, "")
    if not node or writer.host:
        return writer
    return Writer(writer.channel, node, writer.unit, f"host:{node}", writer.fields | {"node": node})


def writer_of(capture: Capture, name: str) -> Writer:
    """Tell the writer from the capture first, then from the place of the file."""
    told = _by_capture(capture)
    if told.channel is not None:
        return told
    for place in (capture.path, name):
        if found := _by_place(place):
            return found
    return told


def _by_place(path: str) -> Writer | None:
    if writer := _of_pod(path):
        return writer
    if match := _SOSREPORT.search(path):
        return Writer(None, host=match["host"])
    if match := _SLURM_OUTPUT.search(path):
        return Writer("app", fields={"job": f"slurm:{match.group(1)}"})
    if match := _PLACE.search(path):
        return _by_folder(match.group(1), match.group(2))
    return None


def _of_pod(path: str) -> Writer | None:
    if match := _POD.search(path):
        namespace, pod, container, previous = match.groups()
        writer = pod_writer(namespace, pod, container)
        return _previous(writer) if previous else writer
    if match := _GATHERED.search(path):
        namespace, pod, container, which = match.groups()
        writer = pod_writer(namespace, pod, container)
        return _previous(writer) if which == "previous" else writer
    if match := _POD_DIR.search(path):
        namespace, pod, _, container = match.groups()
        return pod_writer(namespace, pod, container or "")
    return None


def _previous(writer: Writer) -> Writer:
    return Writer(
        writer.channel, writer.host, writer.unit, writer.clock, writer.fields | {"previous": "true"}
    )


def _by_folder(folder: str, rest: str) -> Writer | None:
    first, _, deeper = rest.partition("/")
    stem = first if deeper else re.sub(r"\.(journal|export|json|log|txt|gz|zst)", "", first)
    channels: dict[str, Channel] = {"storage": "device", "network": "device", "app": "app"}
    if folder in channels:
        return Writer(channels[folder], host="", unit=stem if folder != "app" else "")
    if folder in {"journal", "nvml", "host"}:
        return Writer(None, host=stem)
    return None


def _by_capture(capture: Capture) -> Writer:
    if capture.source in {"storage", "network", "bmc"}:
        return Writer("device", unit=capture.target)
    if capture.source == "app":
        return Writer("app", fields={"job": capture.target} if capture.target else {})
    if _LOGS_COMMAND.search(capture.command):
        namespace, _, pod = capture.target.rpartition("/")
        if flag := _FLAG.search(capture.command):
            namespace = flag.group(1)
        container = _CONTAINER.search(capture.command)
        return pod_writer(namespace or "default", pod, container.group(1) if container else "")
    if capture.source in {"journal", "host", "nvml", "containers", "slurm", "dcgm"}:
        return _host_writer(capture)
    return Writer()


def _host_writer(capture: Capture) -> Writer:
    """Tell a log file that was printed from the output of a command."""
    if _DOCKER_LOGS.search(capture.command):
        return Writer("app", fields={"container_id": capture.command.split()[-1]})
    if match := _SHOWN_FILE.search(capture.command):
        return Writer("service", host=capture.target, unit=match.group(1))
    return Writer(None, host=capture.target)


def is_daemon(tag: str) -> bool:
    """Tell whether a syslog tag or unit belongs to the host's own programs."""
    return DAEMONS.fullmatch(tag) is not None


_WRAPPERS = {"sudo", "env", "timeout", "nice", "ionice", "ssh", "nsenter", "chroot", "sh"}


def program_of(command: str) -> str:
    """Find the program in a command line, behind wrappers that only start it."""
    words = [word for word in command.split() if not word.startswith("-")]
    while words:
        word = words.pop(0).rsplit("/", 1)[-1]
        if word in _WRAPPERS or "=" in word:
            skips = 1 if word in {"timeout", "ssh"} else 0
            words = words[skips:]
            continue
        return word
    return ""
