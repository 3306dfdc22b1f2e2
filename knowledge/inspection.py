"""The typed shape of an inspection: one question put to healthy and sick systems alike.

An inspection is a file ``knowledge/inspections/<id>.yaml`` of exactly this shape. It names what is
read, never how: the same readings serve a live look and a bundle.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import yaml
from pydantic import Field, ValidationError

from knowledge.bilingual import Bilingual, Part
from knowledge.errors import InspectionInvalidError
from knowledge.page import Condition, Origin, Plane

Level = Literal["ok", "warning", "critical", "unknown"]
Phase = Literal["before", "during", "after"]
"""Of an incident: the regular round, the first minutes of one, and before work is let back in."""


class Action(Part):
    """A read-only command that shows what is judged, and where it is run."""

    command: str = Field(min_length=1)
    """As the capture is recorded; placeholders ``{mount}`` and ``{script}`` stand for each."""
    where: Literal["node", "control", "metrics", "storage"]


class Rule(Part):
    """The level of a thing for which all conditions hold; the first rule that fits decides."""

    level: Literal["warning", "critical", "ok"]
    when: tuple[Condition, ...] = Field(min_length=1)
    text: Bilingual
    """What to say; ``{field}``, ``{field:bytes}`` and ``{field:duration}`` stand for values."""


class Look(Part):
    """What is read, which of it counts, and how it is judged."""

    subject: str = "{host}"
    """Template of the name of what is judged; captures that agree in it are one thing."""
    only: tuple[Condition, ...] = ()
    """All must hold of a thing that counts."""
    skip: tuple[Condition, ...] = ()
    """Where one holds the thing does not count."""
    needs: tuple[str, ...] = ()
    """Values without which nothing can be said of a thing."""
    untold: Bilingual | None = None
    """What to say where one of them is not known; None: name it."""
    rules: tuple[Rule, ...] = ()
    good: Bilingual
    """What to say of a thing that no rule fits."""
    none: Bilingual | None = None
    """What to say where the source was read and nothing in it counts; None: that is unknown."""
    probes: tuple[str, ...] = ()
    """The probes that look live."""
    actions: tuple[Action, ...] = Field(min_length=1)


class ReadingLook(Look):
    """Judges typed readings."""

    source: Literal["reading"]
    kind: str
    of: tuple[Condition, ...] = ()
    """Which readings of the kind are the source: df of inodes says nothing of bytes."""
    among: Literal["hosts", "gpu_hosts"] = "hosts"
    """Of which hosts the reading is expected; one of them without it is unknown."""
    peers: tuple[str, ...] = ()
    """Values whose most common one is at hand as ``peer.NAME``."""
    peers_by: tuple[str, ...] = ()
    """Values in which peers agree."""
    beside: tuple[str, ...] = ()
    """Kinds of readings of the same host, at hand as ``beside.KIND.NAME``."""
    gaps: dict[str, tuple[str, str]] = Field(default_factory=dict)
    """Further value → two values: how much the first is above the second."""
    read_by: str = ""
    """RE2 on a command whose answer counts as seen even if it holds no such reading."""


class ObjectLook(Look):
    """Judges Kubernetes objects, or the items of a list inside each."""

    source: Literal["object"]
    kind: str
    each: str = ""


class SeriesLook(Look):
    """Judges the samples of a query by their `last`, `least`, `most` and `middle` value."""

    source: Literal["series"]
    query: str
    expr: str


class LineLook(Look):
    """Judges the youngest line of each subject by its groups and its `age_s`."""

    source: Literal["line"]
    literals: tuple[str, ...] = Field(min_length=1)
    regex: str
    channels: tuple[str, ...] = ("app",)


class ConditionLook(Look):
    """Judges lines by the pages that they show, the last line of each subject with its `count`."""

    source: Literal["condition"]
    channel: str
    code: str
    """What the codes of the pages begin with: Xid."""


class HangLook(Look):
    """Judges how looks ended: one that did not come back shows what it waited for."""

    source: Literal["hang"]


class TrendLook(Look):
    """Judges how samples changed over weeks."""

    source: Literal["trend"]
    metrics: tuple[str, ...] = Field(min_length=1)
    """Names under which stored samples are known, the preferred one first."""
    query: str
    expr: str
    form: Literal["counter", "level"]
    least: float
    """Below this nothing is said: events in the recent week, or the rise over the whole time."""


AnyLook = Annotated[
    ReadingLook | ObjectLook | SeriesLook | LineLook | ConditionLook | HangLook | TrendLook,
    Field(discriminator="source"),
]


class Inspection(Part):
    """One question with its answer's levels."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: Bilingual
    why: Bilingual
    mend: Bilingual
    """What to do where it is not well."""
    plane: Plane
    phases: tuple[Phase, ...] = Field(min_length=1)
    looks: tuple[AnyLook, ...] = Field(min_length=1)
    """Alternatives: each tells the same from another source, so one that was read is enough."""
    sources: tuple[Origin, ...] = Field(min_length=1)
    pages: tuple[str, ...] = ()
    """Handbook pages that say more."""

    @property
    def over_weeks(self) -> bool:
        """Tell whether it judges a trend."""
        return any(isinstance(look, TrendLook) for look in self.looks)


def read_inspection(text: str, name: str) -> Inspection:
    """Read one file; its id is its name.

    Raises:
        InspectionInvalidError: the message names the file and every field that does not fit.
    """
    try:
        content = yaml.load(text, Loader=yaml.CSafeLoader)
        return Inspection.model_validate({**content, "id": name})
    except (yaml.YAMLError, TypeError) as error:
        raise InspectionInvalidError(name, " ".join(str(error).split())) from error
    except ValidationError as error:
        problems = error.errors(include_url=False)
        why = "; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in problems)
        raise InspectionInvalidError(name, why) from error


@cache
def load_inspections() -> tuple[Inspection, ...]:
    """Load all shipped inspections in the order of their names."""
    return tuple(_read_all())


def queries_of(inspections: Sequence[Inspection]) -> dict[str, str]:
    """Name and expression of every query that they judge."""
    looks = (look for each in inspections for look in each.looks)
    return {look.query: look.expr for look in looks if isinstance(look, SeriesLook | TrendLook)}


def _read_all() -> Iterator[Inspection]:
    folder = files("knowledge").joinpath("inspections")
    found = sorted((file for file in folder.iterdir()), key=lambda file: file.name)
    for file in found:
        if file.name.endswith(".yaml"):
            yield read_inspection(file.read_text("utf-8"), file.name.removesuffix(".yaml"))
