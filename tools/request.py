"""What a probe or a reader is asked for.

A `Request` is built from the catalog by `assistant.gather`; nothing in `tools` knows a page.
"""

from pydantic import AwareDatetime, BaseModel, ConfigDict

from tools.evidence import Window


class Query(BaseModel):
    """A named PromQL query. `range_s` None asks for one instant, the window's end."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    expr: str
    step_s: float | None = None


class Request(BaseModel):
    """The scope of one look: which lines, objects, series and hosts, over which time.

    A line becomes a Record if it contains one of `literals` (exact bytes, UTF-8), lies within
    `neighbours` lines of one that does on the same writer, or anchors time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    literals: tuple[str, ...] = ()
    kernel_literals: tuple[str, ...] = ()
    """The subset that only kernel lines can carry, for filters pushed down to the journal."""
    hum: dict[str, float] = {}
    """Those literals whose lines say only that they were there, each with the pause in seconds that
    must show: of a steady stream by one writer, some lines are read and stand for the others."""
    errors: bool = False
    """Read also what its own writer calls an error, whatever it says."""
    neighbours: int = 0
    queries: tuple[Query, ...] = ()
    window: Window = Window()
    nodes: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    """NAMESPACE/NAME."""
    job: str = ""
    zone: str = ""
    """IANA zone or ±HH:MM for stamps without one; empty: leave them unknown."""
    host_zones: dict[str, str] = {}
    """Per host, over `zone`."""
    now: AwareDatetime | None = None
    """What stands for the present; None: the wall clock."""
