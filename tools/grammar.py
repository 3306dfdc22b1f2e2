# ruff: noqa: E501  (a pattern broken in two is harder to check)
"""The programs that may be run and the forms they may be run in. Nothing here changes anything."""

import sys
from collections.abc import Mapping

from tools.cluster_grammar import CLUSTER_PROGRAMS
from tools.shapes import EPOCH, NAME, NUMBER, PATH, SECONDS, STAMP, TEXT, Shape, Slot, slot

_CORE = (
    "nodes|pods|events|namespaces|persistentvolumes|persistentvolumeclaims|services|endpoints"
    "|resourcequotas|replicationcontrollers"
)
_GROUPS = (
    r"apps/v1/(?:deployments|replicasets|daemonsets|statefulsets|controllerrevisions)"
    r"|batch/v1/(?:jobs|cronjobs)|coordination\.k8s\.io/v1/leases|events\.k8s\.io/v1/events"
    r"|storage\.k8s\.io/v1/(?:storageclasses|volumeattachments|csinodes)"
    r"|metrics\.k8s\.io/v1beta1/(?:nodes|pods)|policy/v1/poddisruptionbudgets"
    r"|scheduling\.k8s\.io/v1/priorityclasses"
    r"|kubeflow\.org/v[12](?:beta1)?/(?:pytorchjobs|mpijobs|tfjobs)"
    r"|kueue\.x-k8s\.io/v1(?:beta[12])?/(?:workloads|clusterqueues|localqueues)"
    r"|jobset\.x-k8s\.io/v1alpha2/jobsets"
    r"|admissionregistration\.k8s\.io/v1/(?:validating|mutating)webhookconfigurations"
    r"|autoscaling/v2/horizontalpodautoscalers|scheduling\.volcano\.sh/v1beta1/podgroups"
    r"|gateway\.networking\.k8s\.io/v1/(?:gateways|gatewayclasses|httproutes)"
    r"|operators\.coreos\.com/v1alpha1"
    r"/(?:subscriptions|installplans|catalogsources|clusterserviceversions)"
    r"|olm\.operatorframework\.io/v1/(?:clusterextensions|clustercatalogs)"
)
_PARAMETER = (
    r"(?:limit=\d{1,5}|resourceVersion=0|resourceVersionMatch=NotOlderThan|continue=[\w%.~\-]+"
    r"|(?:field|label)Selector=[\w%.~\-=,!/]+)"
)
RAW = slot(
    rf"(?:/version|/livez|/readyz|/api/v1/(?:{_CORE})|/api/v1/namespaces/{NAME.pattern}"
    rf"(?:/(?:pods|events|persistentvolumeclaims|services|endpoints))?|/api/v1/nodes/{NAME.pattern}"
    rf"|/apis/(?:{_GROUPS})|/apis/coordination\.k8s\.io/v1/namespaces/kube-node-lease/leases)"
    rf"(?:\?{_PARAMETER}(?:&{_PARAMETER})*)?"
)
"""Raw API paths: lists of known resources. Secrets, subresources and proxies are not among them."""

_KUBECTL: Mapping[str, Slot | None] = {
    "--context": slot(r"[^\x00\n\s\-][^\x00\n\s]*"), "--kubeconfig": PATH, "--request-timeout": SECONDS,
    "--cache-dir": PATH, "-n": NAME, "--namespace": NAME,
}  # fmt: skip
_KIND = slot(
    r"(?:nodes?|pods?|jobs?|deployments?|daemonsets?|statefulsets?|replicasets?"
    r"|persistentvolumes?|pvs?|persistentvolumeclaims?|pvcs?|leases?|events?|namespaces?)"
)
_LOG_FLAGS: Mapping[str, Slot | None] = {
    "--timestamps": None, "--previous": None, "-c": NAME, "--container": NAME, "--tail": NUMBER,
    "--since-time": STAMP, "--limit-bytes": NUMBER,
}  # fmt: skip
_RULE_FLAGS: Mapping[str, Slot | None] = {"--list": None, "-q": None, "-A": None}

KUBECTL = (
    Shape(("get",), {**_KUBECTL, "--raw": RAW}, required=frozenset({"--raw"})),
    Shape(("get",), {**_KUBECTL, "-o": slot("json|yaml|wide|name"), "-A": None}, (_KIND,), rest=NAME),
    Shape(("describe",), {**_KUBECTL, "--show-events": slot("true|false")}, (_KIND, NAME)),
    Shape(("logs",), {**_KUBECTL, **_LOG_FLAGS}, (NAME,)),
    Shape(("top",), _KUBECTL, (slot("nodes?|pods?"),), rest=NAME),
    Shape(("rollout", "history"), _KUBECTL, (slot(rf"(?:deployment|daemonset|statefulset)/{NAME.pattern}"),)),
    Shape(("config", "current-context"), _KUBECTL),
    Shape(("version",), {**_KUBECTL, "--client": None, "-o": slot("json")}),
    Shape(("auth", "can-i"), {**_KUBECTL, **_RULE_FLAGS}, (slot("get|list|watch"), slot(r"[\w./\-]+")), optional=True),
)  # fmt: skip

JOURNALCTL = Shape(
    flags={
        "-o": slot("export|json|short-iso-precise|cat"), "-q": None, "--no-pager": None, "-D": PATH,
        "--directory": PATH, "--since": EPOCH, "--until": EPOCH, "--grep": TEXT, "-n": NUMBER, "-r": None,
        "--case-sensitive": slot("true|false"), "--list-boots": None, "-F": slot(r"_?[A-Z][A-Z0-9_]*"),
        "-p": slot(r"[0-7]|emerg|alert|crit|err|warning|notice|info|debug"), "-u": NAME, "-t": NAME,
        "-b": slot(r"all|-?\d{1,4}|[0-9a-f]{32}"), "--header": None, "--disk-usage": None, "-m": None, "-a": None,
    },
    rest=slot(r"(?:_{0,2}[A-Z][A-Z0-9_]*=[^\x00\n]*|\+)"),
)  # fmt: skip

_ID = slot(r"[0-9a-f]{12,64}")
DOCKER = (
    Shape(("ps",), {"--all": None, "--no-trunc": None, "--format": slot(r"\{\{json \.\}\}|json")}),
    Shape(("inspect",), rest=_ID),
    Shape(
        ("logs",),
        {"--timestamps": None, "--since": STAMP, "--until": STAMP, "--tail": NUMBER},
        (_ID,),
    ),
    Shape(
        ("events",),
        {
            "--since": slot(r"\d+"),
            "--until": slot(r"\d+"),
            "--format": slot(r"\{\{json \.\}\}|json"),
        },
        required=frozenset({"--until"}),
    ),
    Shape(("version",), {"--format": slot(r"\{\{json \.\}\}|json")}),
)
_CRICTL: Mapping[str, Slot | None] = {"-o": slot("json"), "--timeout": SECONDS}
CRICTL = (
    Shape(("ps",), {**_CRICTL, "-a": None}),
    Shape(("pods",), _CRICTL),
    Shape(("inspect",), _CRICTL, rest=_ID),
    Shape(("logs",), {"--timestamps": None, "--tail": NUMBER, "--since": STAMP}, (_ID,)),
)

_NVIDIA_SMI = (
    Shape(flags={"-q": None, "-x": None}, required=frozenset({"-q"})),
    Shape(("topo", "-m")),
    Shape(("nvlink",), {"-s": None, "-e": None}),
)
_SSH_FLAGS: Mapping[str, Slot | None] = {
    "-o": slot(r"(?:BatchMode=yes|ConnectTimeout=\d{1,3}|StrictHostKeyChecking=(?:yes|accept-new)"
               r"|ServerAliveInterval=\d{1,3}|ServerAliveCountMax=\d|ControlMaster=no|ForwardAgent=no"
               r"|ForwardX11=no|ClearAllForwardings=yes|PermitLocalCommand=no|UserKnownHostsFile=/[\w./\-]+)"),
    "-i": PATH, "-l": NAME, "-p": NUMBER, "-T": None, "-F": PATH,
}  # fmt: skip


def _collect_over_ssh() -> Shape:
    """Hold `ssh HOST firstfault collect --out - …`: the one command that a forced-command key runs."""
    return Shape(
        flags={**_SSH_FLAGS, "--out": slot("-"), "--since": EPOCH, "--until": EPOCH,
               "--deadline": NUMBER, "--node": NAME},
        positionals=(NAME, slot("firstfault"), slot("collect")),
        required=frozenset({"--out"}),
    )  # fmt: skip


PROGRAMS: Mapping[str, tuple[Shape, ...]] = {
    **CLUSTER_PROGRAMS,
    "kubectl": KUBECTL,
    "journalctl": (JOURNALCTL,),
    "docker": DOCKER,
    "crictl": CRICTL,
    "nvidia-smi": _NVIDIA_SMI,
    "ssh": (_collect_over_ssh(),),
    sys.executable: (
        Shape(
            ("-m", "tools.probes.nvml_reader"),
            {"--watch-s": slot(r"\d{1,3}(?:\.\d+)?"), "--proc": PATH},
        ),
    ),
    "df": (Shape(flags={"-h": None, "-i": None, "-P": None, "-l": None, "-T": None}, rest=PATH),),
    "stat": (Shape(flags={"-f": None}, positionals=(PATH,), required=frozenset({"-f"})),),
    "dmesg": (Shape(flags={"--time-format": slot("iso"), "--kernel": None, "-T": None, "-x": None}),),
    "nfsstat": (Shape(flags={"-m": None, "-c": None}),),
    "chronyc": (Shape(("-n", "tracking")), Shape(("-n", "sources"))),
    "timedatectl": (Shape(("show",)),),
    "lspci": (Shape(flags={"-vv": None, "-D": None, "-d": slot("10de:"), "-s": slot(r"[0-9a-f:.]+")}),),
    "uname": (Shape(flags={"-a": None, "-r": None}),),
    "ip": (Shape(("-s", "link", "show")), Shape(("-o", "addr", "show")), Shape(("-j", "addr", "show"))),
    "ethtool": (Shape(flags={"-S": None}, positionals=(NAME,)),),
    "systemctl": (Shape(("show",), {"--property": slot(r"[A-Za-z,]+")}, (NAME,)), Shape(("--failed",), {"--no-pager": None})),
    "dpkg-query": (Shape(("-W",), rest=slot(r"[\w*.+\-]+")),),
    "rpm": (Shape(("-qa", "--last")),),
}  # fmt: skip
