"""`nvidia-smi -q`: the driver's full report, an indented tree of `key : value`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tools.command_text import command_lines
from tools.evidence import Gap, Instant, Item, Reading, Record
from tools.gpu_values import LOST, Value, canonical
from tools.late_patterns import compile_late
from tools.request import Request
from tools.source import Source
from tools.stamps import MONTHS, Dating
from tools.writers import writer_of

_GPU = compile_late(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s*$")
_PAIR = compile_late(r"( *)([^:]+?) *: ?(.*)$")
_STAMP = compile_late(r"\w{3} (\w{3}) +(\d+) (\d\d):(\d\d):(\d\d) (\d{4})")
_NUMBER = compile_late(r"-?[0-9]{1,18}(?![0-9])(?:\.[0-9]{1,18})?")
_ABSENT = {"n/a", "[n/a]", "not supported", "[not supported]", "unknown", "none found"}

PATHS: Mapping[str, str] = {
    "product name": "name",
    "serial number": "serial",
    "gpu uuid": "uuid",
    "minor number": "minor",
    "persistence mode": "persistence",
    "mig mode/current": "mig_mode",
    "pci/bus id": "bdf",
    "pci/gpu link info/pcie generation/max": "pcie_generation_max",
    "pci/gpu link info/pcie generation/current": "pcie_generation",
    "pci/gpu link info/link width/max": "pcie_width_max",
    "pci/gpu link info/link width/current": "pcie_width",
    "pci/replays since reset": "pcie_replays",
    "performance state": "pstate",
    "fb memory usage/total": "memory_total_mib",
    "fb memory usage/used": "memory_used_mib",
    "utilization/gpu": "utilization_percent",
    "ecc mode/current": "ecc_mode",
    "remapped rows/correctable error": "remapped_correctable",
    "remapped rows/uncorrectable error": "remapped_uncorrectable",
    "remapped rows/pending": "remap_pending",
    "remapped rows/remapping failure occurred": "remap_failure",
    "remapped rows/bank remap availability histogram/max": "remap_banks_max",
    "remapped rows/bank remap availability histogram/high": "remap_banks_high",
    "remapped rows/bank remap availability histogram/partial": "remap_banks_partial",
    "remapped rows/bank remap availability histogram/low": "remap_banks_low",
    "remapped rows/bank remap availability histogram/none": "remap_banks_none",
    "ecc errors/aggregate/sram threshold exceeded": "sram_threshold_exceeded",
    "ecc errors/channel repair pending": "channel_repair_pending",
    "ecc errors/tpc repair pending": "tpc_repair_pending",
    "ecc errors/unrepairable memory": "memory_unrepairable",
    "temperature/gpu current temp": "temperature_c",
    "temperature/gpu slowdown temp": "temperature_slowdown_c",
    "temperature/memory current temp": "temperature_memory_c",
    "temperature/gpu t.limit temp": "temperature_margin_c",
    "gpu power readings/power draw": "power_w",
    "gpu power readings/average power draw": "power_w",
    "power readings/power draw": "power_w",
    "gpu power readings/current power limit": "power_limit_w",
    "gpu recovery action": "recovery_action",
    "fabric/state": "fabric_state",
    "fabric/status": "fabric_status",
    "clocks/sm": "sm_clock_mhz",
}
_ECC = compile_late(r"ecc errors/(volatile|aggregate)/(.*)")
_NAMELESS = compile_late(
    r"ecc errors/aggregate/sram threshold exceeded|"
    r"remapped rows/bank remap availability histogram/"
)
"""Lines that do not say of which GPU they speak: where the report does, a reading tells it all."""
_REASON = compile_late(r"clocks (?:event|throttle) reasons/(.*)")
_SPOKEN = {"yes": True, "no": False}


class NvidiaSmiReader:
    """Yields a reading per GPU, and records for lines that a literal asks for."""

    name = "nvidia-smi"
    source = "nvml"

    def score(self, head: bytes, hint: str) -> float:
        """Look for the report's title."""
        return 0.98 if b"NVSMI LOG" in head[:4096] else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read the report."""
        text = source.whole().decode("utf-8", "replace")
        top, gpus = parse_report(text)
        quotes = [pair for tree in gpus for pair in tree.quotes.items()]
        told = {number for path, (number, _) in quotes if _NAMELESS.match(path)}
        for item in command_lines(source, request, "nvidia-smi"):
            yield _without(told, item) if isinstance(item, Record) else item
        host = writer_of(source.capture, source.name).host or source.capture.target
        yield from report_items(top, gpus, source, request, host)


def _without(told: set[int], record: Record) -> Record:
    """Blank the lines of a record that a reading tells with their GPU, each at its place."""
    lines = enumerate(record.text.split("\n"), record.line)
    return replace(record, text="\n".join("" if n in told else line for n, line in lines))


@dataclass
class Tree:
    """The report's head, or one GPU: its values by path, and each line as it stands there."""

    texts: dict[str, str] = field(default_factory=dict)
    quotes: dict[str, tuple[int, str]] = field(default_factory=dict)

    def text(self, path: str) -> str:
        """Return a value; empty where there is none."""
        return self.texts.get(path, "")

    def put(self, path: str, text: str, quote: tuple[int, str]) -> None:
        """Keep the first value of a path."""
        if path not in self.texts:
            self.texts[path], self.quotes[path] = text, quote


def report_items(
    top: "Tree", gpus: list["Tree"], source: Source, request: Request, host: str
) -> Iterator[Reading | Gap]:
    """Type what a report says: a reading per GPU, and one of the host."""
    observed = _observed(top.text("timestamp"), source, request, host)
    driver = top.text("driver version")
    for tree in gpus:
        values = canonical(gpu_values(tree.texts), host=host, driver=driver)
        line = tree.quotes["pci/bus id"][0]
        yield Reading(source.evidence, "gpu", host, values, observed, line, quotes_of(tree))
    summary: dict[str, Value] = {"host": host, "driver": driver, "gpu_count": len(gpus)}
    if attached := _NUMBER.match(top.text("attached gpus")):
        summary["attached"] = int(float(attached.group()))
        if (hidden := int(float(attached.group())) - len(gpus)) > 0:
            why = f"{hidden} of the GPUs that are attached are not in the report"
            yield Gap(source="nvml", target=host or source.name, why=why, evidence=source.evidence)
    yield Reading(source.evidence, "gpu_host", host, summary, observed)


def parse_report(text: str) -> tuple[Tree, list[Tree]]:
    """Split the tree into the report's head and one part per GPU."""
    top, gpus = Tree(), list[Tree]()
    open_keys: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        quote = number, " ".join(line.split())
        if match := _GPU.match(line):
            gpus.append(Tree())
            gpus[-1].put("pci/bus id", match.group(1), quote)
            open_keys = []
            continue
        indent = len(line) - len(line.lstrip())
        open_keys = [pair for pair in open_keys if pair[0] < indent]
        pair = _PAIR.match(line)
        if pair is None:
            if line.strip():
                open_keys.append((indent, line.strip().lower()))
            continue
        path = "/".join([*(key for _, key in open_keys), pair.group(2).strip().lower()])
        (gpus[-1] if gpus else top).put(path, pair.group(3).strip(), quote)
    return top, gpus


def quotes_of(tree: Tree) -> dict[str, tuple[int, str]]:
    """Say for each value by which line of the report it is shown."""
    found: dict[str, tuple[int, str]] = {}
    for path, text in tree.texts.items():
        quote = tree.quotes[path]
        if path in PATHS and text.lower() not in _ABSENT:
            found.setdefault(PATHS[path], quote)
        elif match := _ECC.match(path):
            if (number := _NUMBER.match(text)) and float(number.group()):
                found.setdefault(_ecc_key(match.group(1), match.group(2)), quote)
        elif _REASON.match(path) and text == "Active":
            found.setdefault("active_clock_reasons", quote)
        if LOST.search(text):
            found.setdefault("lost", quote)
    if "power_w" in found:
        found["power_share"] = found["power_w"]
    return found


def gpu_values(tree: Mapping[str, str]) -> dict[str, Value]:
    """Pick and type what matters for health."""
    values: dict[str, Value] = {}
    reasons = []
    for path, text in tree.items():
        if path in PATHS:
            values[PATHS[path]] = typed(text, PATHS[path])
        elif match := _ECC.match(path):
            _add_ecc(values, match.group(1), match.group(2), text)
        elif (match := _REASON.match(path)) and text == "Active":
            reasons.append(match.group(1))
    if reasons:
        values["active_clock_reasons"] = ", ".join(reasons)
    values["lost"] = any(LOST.search(text) for text in tree.values())
    return values


def _add_ecc(values: dict[str, Value], span: str, name: str, text: str) -> None:
    """Sum the counters of all memories; a total that is printed beside its parts is left out."""
    number = _NUMBER.match(text)
    if number is None or name.endswith("/total") or "threshold" in name:
        return
    key = _ecc_key(span, name)
    before = values.get(key)
    values[key] = (before if isinstance(before, int) else 0) + int(float(number.group()))


def _ecc_key(span: str, name: str) -> str:
    worse = "uncorrectable" in name or "double bit" in name
    return f"ecc_{span}_{'uncorrectable' if worse else 'correctable'}"


def typed(text: str, name: str) -> Value:
    """Read a value as it is printed: none, a flag, a number, or the words that it stands for."""
    if text.lower() in _ABSENT:
        return None
    if text.lower() in _SPOKEN:
        return _SPOKEN[text.lower()]
    if name in {"name", "serial", "uuid", "bdf", "driver", "recovery_action", "pstate"}:
        return text
    if match := _NUMBER.match(text):
        number = float(match.group())
        return int(number) if number.is_integer() else number
    return text


def _observed(text: str, source: Source, request: Request, host: str) -> Instant | None:
    moment = source.capture.ended or source.capture.started
    if moment:
        return Instant(moment)
    return printed_at(text, Dating(request, source.reference(request.now)), host)


def printed_at(text: str, dating: Dating, host: str) -> Instant | None:
    """Read the host's time as `nvidia-smi` prints it, above its table and in its report."""
    match = _STAMP.match(text)
    if match is None or (month := MONTHS.get(match.group(1).lower())) is None:
        return None
    day, hour, minute, second, year = (int(part) for part in match.groups()[1:])
    numbers = (year, month, day, hour, minute, second)
    return dating.wall(numbers, -1, host=host, original=match.group())


READER = NvidiaSmiReader()
