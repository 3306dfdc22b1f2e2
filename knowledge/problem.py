"""One thing that is wrong with a page."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What is wrong, where, and by which rule; errors make `kb lint` fail, warnings do not."""

    page: str
    rule: str
    text: str
    level: Level = "error"
