"""A generated fleet's weeks as samples that a real Prometheus can serve."""

from collections.abc import Iterator

from evals.background import pair_samples
from evals.model import Metric
from evals.trend_fleet import DAY_S, PER_DAY, Fleet

_NAMES = {
    "trend-ecc-correctable": "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL",
    "trend-row-remaps": "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "trend-pcie-replays": "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    "trend-link-errors": "node_infiniband_symbol_error_total",
    "trend-nvlink-errors": "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
    "trend-gpu-temperature": "DCGM_FI_DEV_GPU_TEMP",
}
_BUSY = 95.0


def list_metrics(fleet: Fleet, end: float) -> Iterator[Metric]:
    """Yield every series with samples that end at `end`, epoch seconds."""
    steps = fleet.days * PER_DAY
    for signal, series in fleet.values.items():
        for (host, device), values in series.items():
            known = [(step, value) for step, value in enumerate(values) if value is not None]
            times = [end - (steps - 1 - step) * DAY_S / PER_DAY for step, _ in known]
            samples = [round(value, 1) for _, value in known]
            labels = {"Hostname": host, "UUID": device}
            if signal == "trend-link-errors":
                labels = {"instance": f"{host}:9100", "device": f"mlx5_{device[-1]}", "port": "1"}
            yield pair_samples(_NAMES[signal], labels, times, samples)
            if signal == "trend-row-remaps":
                name = "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"
                yield pair_samples(name, labels, times, [0.0] * len(times))
            if signal == "trend-gpu-temperature":
                yield pair_samples("DCGM_FI_DEV_GPU_UTIL", labels, times, [_BUSY] * len(times))
