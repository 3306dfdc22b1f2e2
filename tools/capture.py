"""One capture: what a probe ran, on what, and how it ended; a line of `manifest.jsonl`."""

from pydantic import AwareDatetime, BaseModel, ConfigDict

from tools.evidence import Outcome


class Capture(BaseModel):
    """What was asked of whom, where its bytes lie, and the outcome."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    path: str = ""
    """Inside the bundle; empty where nothing was written."""
    source: str = ""
    """The probe's name: journal, kubernetes, prometheus, nvml, host, containers, alert, file."""
    command: str = ""
    target: str = ""
    """Host, NAMESPACE/POD or object."""
    cluster: str = ""
    started: AwareDatetime | None = None
    ended: AwareDatetime | None = None
    outcome: Outcome = "ok"
    detail: str = ""
    sha256: str = ""
    """Of the stored (masked) bytes."""
    size: int | None = None
    """Of the stored bytes; older manifests do not say."""
    truncated: bool = False
    live: bool = False
