"""`nvidia-smi -q -x`: the same report as XML, read into the same values.

Tags are scanned, not parsed: a report cut in the middle still tells of the GPUs before the cut.
"""

from collections.abc import Iterator, Mapping

from tools.command_text import command_lines, host_of
from tools.evidence import Item
from tools.late_patterns import compile_late
from tools.readers.nvidia_smi import Tree, report_items
from tools.request import Request
from tools.source import Source

_TAG = compile_late(r"<(?P<end>/?)(?P<name>\w++)(?P<rest>[^<>]*+)>(?P<text>[^<]*+)")
_ID = compile_late(r'\bid="([^"]*)"')
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
_REASON = compile_late(r"clocks_(?:event|throttle)_reasons/clocks_(?:event|throttle)_reason_(\w+)")
_DEEPEST = 32
PATHS: Mapping[str, str] = {
    "serial": "serial number",
    "uuid": "gpu uuid",
    "mig_mode/current_mig": "mig mode/current",
    "pci/pci_bus_id": "pci/bus id",
    "pci/pci_gpu_link_info/pcie_gen/max_link_gen": "pci/gpu link info/pcie generation/max",
    "pci/pci_gpu_link_info/pcie_gen/current_link_gen": "pci/gpu link info/pcie generation/current",
    "pci/pci_gpu_link_info/link_widths/max_link_width": "pci/gpu link info/link width/max",
    "pci/pci_gpu_link_info/link_widths/current_link_width": "pci/gpu link info/link width/current",
    "pci/replay_counter": "pci/replays since reset",
    "utilization/gpu_util": "utilization/gpu",
    "ecc_mode/current_ecc": "ecc mode/current",
    "remapped_rows/remapped_row_corr": "remapped rows/correctable error",
    "remapped_rows/remapped_row_unc": "remapped rows/uncorrectable error",
    "remapped_rows/remapped_row_pending": "remapped rows/pending",
    "remapped_rows/remapped_row_failure": "remapped rows/remapping failure occurred",
    **{
        f"remapped_rows/row_remapper_histogram/row_remapper_histogram_{level}": (
            f"remapped rows/bank remap availability histogram/{level}"
        )
        for level in ("max", "high", "partial", "low", "none")
    },
    "temperature/gpu_temp": "temperature/gpu current temp",
    "temperature/memory_temp": "temperature/memory current temp",
    "temperature/gpu_temp_tlimit": "temperature/gpu t.limit temp",
    "power_readings/power_limit": "gpu power readings/current power limit",
    "gpu_power_readings/power_limit": "gpu power readings/current power limit",
    "clocks/sm_clock": "clocks/sm",
}
"""What the plain report words otherwise; all else reads the same but for its underscores."""
REASONS: Mapping[str, str] = {
    "gpu_idle": "idle",
    "display_clocks_setting": "display clock setting",
}
"""The plain report's names, which the handbook knows."""


class NvidiaSmiXmlReader:
    """Yields a reading per GPU, and records for lines that a literal asks for."""

    name = "nvidia-smi-xml"
    source = "nvml"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for the root element."""
        return 0.97 if b"<nvidia_smi_log>" in head[:4096] else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read the report."""
        yield from command_lines(source, request, "nvidia-smi")
        top, gpus = parse_xml(source.whole().decode("utf-8", "replace"))
        yield from report_items(top, gpus, source, request, host_of(source))


def parse_xml(text: str) -> tuple[Tree, list[Tree]]:
    """Split the document into the report's head and one part per GPU."""
    top, gpus = Tree(), list[Tree]()
    opened: list[str] = []
    number, counted = 1, 0
    for match in _TAG.finditer(text):
        number += text.count("\n", counted, match.start())
        counted = match.start()
        name = match["name"]
        if match["end"]:
            _close(opened, name)
        elif name == "gpu":
            gpus.append(Tree())
            bus = _ID.search(match["rest"])
            gpus[-1].put("pci/bus id", bus.group(1) if bus else "", (number, match.group().strip()))
            opened = []
        elif name != "nvidia_smi_log" and len(opened) < _DEEPEST:
            opened.append(name)
            if value := " ".join(match["text"].split()):
                quote = number, f"<{name}>{value}</{name}>"
                _put(gpus[-1] if gpus else top, "/".join(opened), _plain(value), quote)
    return top, gpus


def _close(opened: list[str], name: str) -> None:
    """Close an element; one whose end was lost closes with the one around it."""
    if name in opened:
        del opened[len(opened) - 1 - opened[::-1].index(name) :]


def _put(tree: Tree, path: str, value: str, quote: tuple[int, str]) -> None:
    if reason := _REASON.fullmatch(path):
        name = REASONS.get(reason.group(1), reason.group(1).replace("_", " "))
        tree.put(f"clocks event reasons/{name}", value, quote)
    elif path.startswith("ecc_errors/"):
        tree.put(path.replace("_", " "), value, quote)
    else:
        tree.put(PATHS.get(path, path.replace("_", " ")), value, quote)


def _plain(text: str) -> str:
    for entity, sign in _ENTITIES.items():
        text = text.replace(entity, sign)
    return text


READER = NvidiaSmiXmlReader()
