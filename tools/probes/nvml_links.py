"""The links of a GPU as NVML sees them: PCIe and NVLink."""

from collections.abc import Iterator
from types import ModuleType
from typing import Protocol

Json = dict[str, object]
_MOST_LINKS = 18


class Asked(Protocol):
    """The device that answers."""

    nvml: ModuleType

    def ask(self, name: str, *arguments: object) -> object:
        """Call one function of NVML."""

    def number(self, name: str, *arguments: object, per: float = 1) -> float | int | None:
        """Ask for a number."""


def pcie(device: Asked) -> Json:
    """Read generation and width, now and at most, replays and traffic."""
    nvml = device.nvml
    return {
        "pcie_generation": device.number("GetCurrPcieLinkGeneration"),
        "pcie_generation_max": device.number("GetMaxPcieLinkGeneration"),
        "pcie_width": device.number("GetCurrPcieLinkWidth"),
        "pcie_width_max": device.number("GetMaxPcieLinkWidth"),
        "pcie_replays": device.number("GetPcieReplayCounter"),
        "pcie_tx_kib_s": device.number("GetPcieThroughput", nvml.NVML_PCIE_UTIL_TX_BYTES),
        "pcie_rx_kib_s": device.number("GetPcieThroughput", nvml.NVML_PCIE_UTIL_RX_BYTES),
    }


def nvlink(device: Asked) -> Json:
    """Read each NVLink's state and error counters; empty where the GPU has none."""
    links = list(_links(device))
    return {"nvlinks": links, "nvlinks_down": sum(not link["active"] for link in links)}


def _links(device: Asked) -> Iterator[Json]:
    nvml = device.nvml
    for link in range(_MOST_LINKS):
        state = device.number("GetNvLinkState", link)
        if state is None:
            return
        yield {
            "link": link,
            "active": bool(state),
            "crc_errors": device.number(
                "GetNvLinkErrorCounter", link, nvml.NVML_NVLINK_ERROR_DL_CRC_FLIT
            ),
            "replays": device.number(
                "GetNvLinkErrorCounter", link, nvml.NVML_NVLINK_ERROR_DL_REPLAY
            ),
            "recoveries": device.number(
                "GetNvLinkErrorCounter", link, nvml.NVML_NVLINK_ERROR_DL_RECOVERY
            ),
        }
