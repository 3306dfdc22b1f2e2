"""Who acts, how that is known, and what they may decide."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from assistant.errors import NotAnAdminError

KnownBy = Literal["os-user"]
"""How an identity is known: the operating system told whose process this is."""
Role = Literal["admin"]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose identity was not merely claimed."""

    name: str
    known_by: KnownBy
    place: str
    """The host on which they act."""


def require_admin(person: Person, admins: Collection[str]) -> Role:
    """Return the role in which a person decides.

    Raises:
        NotAnAdminError: they are none, or there are none.
    """
    if person.name not in admins:
        raise NotAnAdminError(person.name, tuple(admins))
    return "admin"
