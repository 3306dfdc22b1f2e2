"""One finding of the doctor: what works, what does not, and how to mend it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.settings import Settings
from tools.context import ProbeContext

State = Literal["ok", "warn", "fail", "absent"]
"""ok: works · warn: with a reserve · fail: must be mended · absent: not there, maybe rightly."""


class Check(BaseModel):
    """What was examined and found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    state: State
    detail: str = ""
    mend: str = ""
    """What to do; empty where nothing needs doing."""


@dataclass(frozen=True)
class Patient:
    """What is examined: the settings, and the place they are to work in."""

    context: ProbeContext
    settings: Settings
    data_dir: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    """The environment, as the process was started."""
    resolver: Path = Path("/etc/resolv.conf")
    mounts: Path = Path("/proc/self/mounts")
