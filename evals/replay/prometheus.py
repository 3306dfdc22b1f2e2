"""A real Prometheus over recorded samples."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.errors import ReplayError
from evals.replay.ports import find_port, run_program

CONFIG = "global:\n  scrape_interval: 1h\n"
"""Nothing is scraped: the samples of today would age the recorded ones out."""


def is_available() -> bool:
    """Tell whether Prometheus and promtool are installed."""
    return bool(shutil.which("prometheus") and shutil.which("promtool"))


def create_blocks(openmetrics: Path, data: Path) -> None:
    """Turn OpenMetrics text into TSDB blocks.

    Raises:
        ReplayError: promtool refused the text.
    """
    argv = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q"]
    done = subprocess.run(
        [*argv, "--max-block-duration=24h", str(openmetrics), str(data)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ReplayError(f"promtool refused {openmetrics}: {done.stderr.strip()}")


@contextmanager
def serve(data: Path, scratch: Path) -> Iterator[str]:
    """Serve the blocks under `data` and yield the URL; `scratch` takes configuration and log."""
    config = scratch / "prometheus.yml"
    config.write_text(CONFIG)
    address = f"127.0.0.1:{find_port()}"
    argv = (
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        "--storage.tsdb.retention.time=10y",
        f"--web.listen-address={address}",
        "--log.level=warn",
    )
    with run_program(argv, f"http://{address}/-/ready", scratch / "prometheus.log"):
        yield f"http://{address}"
