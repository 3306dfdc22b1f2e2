"""One spelling for each thing: identities normalised by kind.

Pages write an identity as the line does; here it becomes the form that `tools.entity.Entity`
promises. An empty result means that the text names nothing of that kind.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from tools.late_patterns import compile_late

_BDF = compile_late(
    r"(?:(?P<domain>[0-9a-fA-F]{4,8}):)?(?P<bus>[0-9a-fA-F]{2}):(?P<slot>[0-9a-fA-F]{2})"
    r"(?:\.(?P<function>[0-7]))?"
)
_GPU_UUID = compile_late(r"GPU-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UUID = compile_late(r"[0-9a-fA-F]{8}(?:[-_][0-9a-fA-F]{4}){3}[-_][0-9a-fA-F]{12}")
_HEX = compile_late(r"[0-9a-f]{12,64}")
_GUID = compile_late(r"0x[0-9a-fA-F]{16}")
_IPV4 = compile_late(r"\d{1,3}(?:\.\d{1,3}){3}")
_IPV4_PORT = compile_late(r"(?P<address>\d{1,3}(?:\.\d{1,3}){3})(?:[:<]\d+>?|\[\d+\])?")
_SCRAPE_PORT = compile_late(r":\d{2,5}:(?=/)")
"""Metrics name a host as ``HOST:PORT``, also in front of a path."""
_WRAPPING = "\"'`<>,;() \t\r\n"

_WITH_PATH = frozenset({"mount", "filesystem"})
"""Kinds that end in a path, which may be the root."""


UNNAMED = "unnamed-"
"""A host that no line names is called after the capture that shows it."""


@lru_cache(maxsize=1 << 16)
def normalise(kind: str, text: str) -> str:
    """Bring an identity as written in evidence to the one spelling of its kind."""
    trimmed = text.strip(_WRAPPING)
    if not trimmed or (trimmed.endswith("/") and kind not in _WITH_PATH):
        return ""
    return _BY_KIND.get(kind, _plain)(trimmed)


def is_address(text: str) -> bool:
    """Tell whether `text` is an IPv4 or IPv6 address."""
    return bool(_IPV4.fullmatch(text)) or (text.count(":") >= 2 and bool(_V6.fullmatch(text)))  # noqa: PLR2004 - an IPv6 address has two colons at least


def is_uid(text: str) -> bool:
    """Tell whether `text` is a bare UUID, as pods carry in paths and cgroups."""
    return bool(_UUID.fullmatch(text))


_V6 = compile_late(r"[0-9a-fA-F:.]+")


def _plain(text: str) -> str:
    return text


def _host(text: str) -> str:
    found = _IPV4_PORT.fullmatch(text)
    if found:
        return found["address"]
    name, _, port = text.partition(":")
    return (name if port.isdigit() else text).rstrip(".").lower()


def _server(text: str) -> str:
    """An address or name without scheme, export path, port or LNet suffix."""
    bare = text.split("://", 1)[-1].split("@", 1)[0]
    if bare.startswith("["):
        return bare[1:].split("]", 1)[0].lower()
    head, colon, tail = bare.partition(":")
    if colon and (tail.startswith("/") or tail.isdigit()):
        bare = head
    return _host(bare)


def _bdf(text: str, *, function: bool) -> str:
    found = _BDF.search(text)
    if not found:
        return ""
    domain = (found["domain"] or "0000")[-4:].lower()
    address = f"{domain}:{found['bus'].lower()}:{found['slot'].lower()}"
    return f"{address}.{found['function'] or '0'}" if function else address


def _on_host(text: str, *, function: bool) -> str:
    """Normalise ``HOST/ADDRESS``: an address means something only within its host."""
    host, slash, address = text.rpartition("/")
    bdf = _bdf(address, function=function)
    return f"{_host(host)}/{bdf}" if slash and host and bdf else ""


def _gpu(text: str) -> str:
    found = _GPU_UUID.search(text)
    if found:
        return "GPU-" + found.group()[4:].lower()
    if text.startswith("MIG-"):
        return text
    return _on_host(text, function=False) or (text if _has_both_sides(text) else "")


def _pcie_port(text: str) -> str:
    return _on_host(text, function=True)


def _nvswitch(text: str) -> str:
    """A switch chip by its address on its host, or a number; in a rack by its fabric-wide GUID."""
    if _GUID.fullmatch(text):
        return text.lower()
    return _on_host(text, function=False) or (text if _has_both_sides(text) else "")


def _pod(text: str) -> str:
    found = _UUID.search(text)
    if found and "/" not in text:
        return found.group().lower().replace("_", "-")
    return text if _has_both_sides(text) else ""


def _container(text: str) -> str:
    found = _HEX.search(text.rsplit("/", 1)[-1])
    return found.group()[:12] if found else ""


def _mount(text: str) -> str:
    host, colon, path = _SCRAPE_PORT.sub(":", text, count=1).partition(":")
    if not colon or not host or not path:
        return ""
    return f"{_host(host)}:{path.rstrip('/') or '/'}"


def _nic(text: str) -> str:
    """A card by its device's name, else by its address on its host: drivers log before naming."""
    if known := _on_host(text, function=True):
        return known
    host, slash, device = text.partition("/")
    device = re.split(r"[:/]", device, maxsplit=1)[0]
    return f"{_host(host)}/{device}" if slash and host and device else ""


def _disk(text: str) -> str:
    host, slash, device = text.partition("/")
    return f"{_host(host)}/{device.removeprefix('/dev/')}" if slash and host and device else ""


def _job(text: str) -> str:
    return f"slurm:{text}" if text.isdigit() else text


def _rank(text: str) -> str:
    job, slash, rank = text.rpartition("/")
    return f"{_job(job)}/{rank}" if slash and job and rank else ""


def _process(text: str) -> str:
    """A pid on its host; a host that nobody named yet is known by the pod that speaks of it."""
    place, slash, pid = text.rpartition("/")
    if not (slash and place and pid.isdigit()):
        return ""
    return f"{place if '/' in place else _host(place)}/{pid}"


def _has_both_sides(text: str) -> bool:
    left, slash, right = text.partition("/")
    return bool(slash and left and right)


_BY_KIND: dict[str, Callable[[str], str]] = {
    "node": _host,
    "gpu": _gpu,
    "nvswitch": _nvswitch,
    "pcie_port": _pcie_port,
    "pod": _pod,
    "container": _container,
    "mount": _mount,
    "filesystem": _mount,
    "storage_server": _server,
    "nic": _nic,
    "disk": _disk,
    "job": _job,
    "rank": _rank,
    "process": _process,
}
