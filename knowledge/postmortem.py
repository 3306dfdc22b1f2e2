"""The typed front matter of a postmortem: one incident of the past, written up and approved.

A postmortem is a file ``knowledge/postmortems/<date>-<slug>.md``: YAML front matter of exactly this
shape, then prose for people. It names conditions by the ids of handbook pages, so that a later
incident can be held against it step by step. It weighs nothing in a diagnosis.
"""

from collections.abc import Sequence
from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from knowledge.bilingual import Bilingual, Part, Phrases
from knowledge.page import Delay, Origin

Aim = Literal["prevent", "contain", "detect", "recover", "process"]


class Approved(Part):
    """Who took responsibility for what the postmortem says."""

    by: str = Field(min_length=1)
    when: date


class Spread(Part):
    """One condition brought about another."""

    cause: str
    effect: str
    delay: Delay | None = None
    """From onset to onset as it was observed; None: nobody measured it."""
    unlinked: Bilingual | None = None
    """Why the handbook has no such link; None: it has one."""


class Misled(Part):
    """What people believed first, and what was wrong with it."""

    text: Bilingual
    page: str = ""
    """The condition that was suspected, where it is a page."""


class Decided(Part):
    """The observation that ended the guessing, and the look that makes it again."""

    text: Bilingual
    page: str
    """Of whose conditions it is the sign."""
    check: str
    """Id of a check of that page."""


class Lesson(Part):
    """What was, or should be, done so that it does not come again as it came."""

    aim: Aim
    text: Bilingual


class Postmortem(Part):
    """One incident of the past. The prose below the front matter is `body`."""

    id: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}-[a-z0-9][a-z0-9-]*$")
    date: date
    title: Bilingual
    summary: Bilingual
    phrases: Phrases = Phrases()
    approved: Approved
    root: str
    chain: tuple[Spread, ...] = Field(min_length=1)
    """In order of time; what set the root off may stand before it."""
    misled: tuple[Misled, ...] = Field(min_length=1)
    decided: Decided
    lessons: tuple[Lesson, ...] = Field(min_length=1)
    sources: tuple[Origin, ...] = Field(min_length=1)
    body: str = ""

    @model_validator(mode="after")
    def _dated(self) -> "Postmortem":
        if not self.id.startswith(f"{self.date}-"):
            raise ValueError(f"the file's name does not begin with its date {self.date}")
        return self

    @property
    def edges(self) -> Sequence[tuple[str, str]]:
        """Cause and effect of every step, by page."""
        return [(step.cause, step.effect) for step in self.chain]

    @property
    def pages(self) -> tuple[str, ...]:
        """Every condition of it, in the chain's order."""
        return tuple(dict.fromkeys(end for edge in self.edges for end in edge))
