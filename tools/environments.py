# ruff: noqa: E501  (a pattern broken in two is harder to check)
"""Finds environment variables wherever they are carried, and hides all but those that decide cases.

Carriers: arrays and maps in JSON (Kubernetes, docker, crictl; also inside an annotation's quoted
JSON), `env:` in YAML, `Environment:` of `kubectl describe`, `Environment=` of systemd units.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate

from tools.late_patterns import compile_late
from tools.secret_shapes import MASK, Taken

ALLOWED: tuple[str, ...] = (
    "NCCL_*", "TORCH_*", "TORCHELASTIC_*", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
    "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_LAUNCH_BLOCKING", "CUDA_VERSION", "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_REQUIRE_CUDA", "NVIDIA_IMEX_CHANNELS", "NVIDIA_DISABLE_REQUIRE",
    "RANK", "LOCAL_RANK", "GROUP_RANK", "NODE_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR",
    "MASTER_PORT", "PET_*", "RDZV_*", "JOB_COMPLETION_INDEX", "OMPI_COMM_WORLD_*", "PMI_RANK", "PMI_SIZE",
    "PMIX_RANK", "SLURM_*", "NODE_NAME", "POD_NAME", "POD_NAMESPACE", "POD_UID", "POD_IP", "HOST_IP",
    "HOSTNAME", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTHONUNBUFFERED", "OMP_NUM_THREADS",
    "UCX_*", "FI_PROVIDER", "FI_EFA_*", "GLOO_SOCKET_IFNAME", "MPI_*", "XLA_FLAGS", "LD_LIBRARY_PATH",
    "GPU_DEVICE_ORDINAL", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "TZ",
)  # fmt: skip
"""Names (with `*`) whose values decide cases. Values are masked like all other text besides."""

ENVIRONMENT_TRIGGERS = (
    r"""(?:["'](?:env|envs|Env|environment|Environment)\\{0,3}["'][ \t\r\n]{0,8}:[ \t\r\n]{0,8}[\[{]"""
    r"|^[ \t\-]{0,80}(?:env|environment|Environment):[ \t\r]{0,8}$"
    r"|\bEnvironment=)"
)

_REACH = 4 << 20
_LINE = compile_late(rb"(?m)^(?P<indent>[ \t]*)(?P<dash>- +)?(?P<rest>[^\r\n]*)$")
_PAIR = compile_late(
    rb"^(?P<quote>[\"']?)(?P<name>[A-Za-z_][\w.\-]*)(?P=quote)(?P<sep>[=:])[ \t]*(?P<value>.*)$",
    re.DOTALL,
)
_UNIT_PAIR = compile_late(
    rb"(?P<name>[A-Za-z_]\w*)=(?P<value>(?:[^\s\"'\\]|\\.)*)|[\"'](?P<quoted>[A-Za-z_]\w*)=(?P<text>[^\"'\n]*)[\"']"
)
_STRUCTURE = frozenset(
    {b"valueFrom", b"secretKeyRef", b"configMapKeyRef", b"fieldRef", b"resourceFieldRef", b"key",
     b"optional", b"fieldPath", b"apiVersion", b"resource", b"divisor", b"containerName",
     b"fileKeyRef", b"path", b"volumeName"}
)  # fmt: skip


class EnvironmentFinder:
    """Takes the values of all variables but the allowed ones."""

    def __init__(self, allowed: Sequence[str]) -> None:
        self._allowed = re.compile("|".join(translate(name) for name in allowed) or r"(?!)")
        self._seen: dict[bytes, bool] = {}

    def find(self, data: bytes, ends: list[int]) -> Iterator[Taken]:
        """Take what is carried after each trigger that ends at one of `ends`."""
        done = -1
        for end in sorted(set(ends)):
            if end <= done:
                continue
            last = data[end - 1 : end]
            if last in b"[{" and last:
                opened = _quote_level(data, end)
                done = _closing(data, end, opened)
                yield from self._json(data, end, done, opened)
            elif data[end - 12 : end] == b"Environment=":
                yield from self._unit(data, end)
            else:
                done = _block_end(data, end)
                described = b"Environment:" in data[max(0, end - 20) : end]
                yield from (self._described if described else self._yaml)(data, end, done)

    def may_show(self, name: bytes) -> bool:
        """Tell whether the value under `name` is one that decides cases."""
        shown = self._seen.get(name)
        if shown is None:
            shown = self._allowed.match(name.decode("latin-1")) is not None
            if len(self._seen) < 10_000:  # noqa: PLR2004  # an input of random names must not fill the memory
                self._seen[name] = shown
        return shown

    def _json(self, data: bytes, start: int, stop: int, level: int) -> Iterator[Taken]:
        entries = _entries(level)
        for match in entries.finditer(data, start, stop):
            if match["value"] is not None:
                name, value = match["name"], match.span("value")
            elif match["late"] is not None:
                name, value = match["late"], match.span("early")
            elif match["pair"] is not None:
                pair = match["pair"]
                name, _, rest = pair.partition(b"=")
                value = (match.start("pair") + len(name) + 1, match.end("pair"))
                if b"=" not in pair or not rest:
                    continue
            else:
                name, value = match["mapkey"], match.span("mapvalue")
                if name in _STRUCTURE or name in {b"name", b"kind"}:
                    continue
            if value[0] < value[1] and not self.may_show(name):
                yield (*value, MASK)

    def _unit(self, data: bytes, start: int) -> Iterator[Taken]:
        newline = data.find(b"\n", start)
        for match in _UNIT_PAIR.finditer(data, start, len(data) if newline < 0 else newline):
            name = match["name"] or match["quoted"]
            group = "value" if match["name"] else "text"
            if match[group] and not self.may_show(name):
                yield (*match.span(group), MASK)

    def _described(self, data: bytes, start: int, stop: int) -> Iterator[Taken]:
        """Take from `NAME:  value` lines; deeper lines continue the value above them."""
        depth, shown = -1, True
        for line in _LINE.finditer(data, start + 1, stop):
            indent, rest = len(line["indent"].expandtabs()), line["rest"]
            if not rest:
                continue
            pair = _PAIR.match(rest)
            if depth < 0 or indent <= depth:
                depth = indent
                shown = pair is None or self.may_show(pair["name"])
                if pair and not shown and not pair["value"].lstrip().startswith(b"<set to"):
                    offset = line.start("rest") + pair.start("value")
                    yield from _span(data, offset, line.end("rest"))
            elif not shown:
                yield from _span(data, line.start("rest"), line.end("rest"))

    def _yaml(self, data: bytes, start: int, stop: int) -> Iterator[Taken]:
        """Take from `- name: X` / `value: Y`, `X: Y` and `- X=Y`; deeper lines continue a value."""
        name, hidden_at = b"", -1
        for line in _LINE.finditer(data, start + 1, stop):
            indent = len(line["indent"]) + len(line["dash"] or b"")
            if 0 <= hidden_at < indent and line["rest"]:
                yield from _span(data, line.start("rest"), line.end("rest"))
                continue
            hidden_at = -1
            pair = _PAIR.match(line["rest"].strip(b"\"'") if line["dash"] else line["rest"])
            if pair is None:
                continue
            if pair["name"] == b"name" and pair["sep"] == b":":
                name = pair["value"].strip(b" \"'\r")
                continue
            owner = name if pair["name"] == b"value" else pair["name"]
            if pair["name"] in _STRUCTURE or self.may_show(owner):
                continue
            if pair["value"].strip():
                hidden_at = indent
            quote = len(line["rest"]) - len(line["rest"].lstrip(b"\"'")) if line["dash"] else 0
            offset = line.start("rest") + quote + pair.start("value")
            yield from _span(data, offset, line.end("rest"))


def _span(data: bytes, start: int, end: int) -> Iterator[Taken]:
    value = data[start:end].rstrip(b" \t\r")
    if value[:1] in {b"|", b">"} and len(value) <= 2:  # noqa: PLR2004  # YAML: the value is the block below
        return
    if value and value not in {MASK, b'""', b"''"}:
        yield start, start + len(value), MASK


def _quote_level(data: bytes, end: int) -> int:
    """Count the backslashes before the quotes around the key: how deep in quoted JSON we are."""
    quote = data.rfind(b'"', max(0, end - 40), end)
    level = 0
    while quote > level and data[quote - 1 - level : quote - level] == b"\\":
        level += 1
    return level


def _closing(data: bytes, start: int, level: int) -> int:
    """Find where the array or map that opened just before `start` ends."""
    quote = b"\\" * level + b'"'
    depth, position, limit = 1, start, min(len(data), start + _REACH)
    token = re.compile(_string(quote, level) + rb"|[\[\]{}]")
    while depth and (match := token.search(data, position, limit)):
        position = match.end()
        if match[0] in {b"[", b"{"}:
            depth += 1
        elif match[0] in {b"]", b"}"}:
            depth -= 1
    return position if not depth else limit


def _content(level: int) -> bytes:
    if level == 0:
        return rb'(?:[^"\\]|\\.)*'
    if level == 1:
        return rb'(?:[^"\\]|\\\\\\["\\]|\\\\[^\\"]|\\[^"\\])*'
    return rb'(?:[^"\\]|\\+[^"\\])*'


def _string(quote: bytes, level: int) -> bytes:
    return re.escape(quote) + _content(level) + re.escape(quote)


def _entries(level: int) -> re.Pattern[bytes]:
    """Match one variable in any of its JSON spellings, at a level of quoting."""
    q, text = re.escape(b"\\" * level + b'"'), _content(level)
    gap = rb"(?:\s|\\n)*"
    key = q + rb"(?:name|key)" + q + gap + b":" + gap
    value = q + rb"value" + q + gap + b":" + gap
    return re.compile(
        key + q + rb"(?P<name>" + text + b")" + q + gap + b"," + gap + value + q + rb"(?P<value>" + text + b")" + q
        + b"|" + value + q + rb"(?P<early>" + text + b")" + q + gap + b"," + gap + key + q + rb"(?P<late>" + text + b")" + q
        + b"|" + q + rb"(?P<mapkey>[\w.\-]+)" + q + gap + b":" + gap + q + rb"(?P<mapvalue>" + text + b")" + q
        + b"|" + q + rb"(?P<pair>" + text + b")" + q
    )  # fmt: skip


def _block_end(data: bytes, end: int) -> int:
    """Find the end of the lines indented below the one that ends at `end`."""
    start = data.rfind(b"\n", 0, end) + 1
    head = _LINE.match(data, start)
    own = len(head["indent"]) + len(head["dash"] or b"") if head else 0
    position = data.find(b"\n", end)
    while 0 <= position < len(data) - 1:
        line = _LINE.match(data, position + 1)
        if line is None or (line["rest"].strip() and not _inside(line, own)):
            return position
        position = data.find(b"\n", position + 1)
    return len(data)


def _inside(line: re.Match[bytes], own: int) -> bool:
    indent = len(line["indent"])
    return indent > own or (indent == own and bool(line["dash"]))
