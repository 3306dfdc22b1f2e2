"""Who may decide."""

import pytest

from assistant.errors import NotAnAdminError
from assistant.people import Person, require_admin

ALICE = Person("alice", "os-user", "desk-1")


def test_an_admin_decides_in_that_role() -> None:
    """By the name that the operating system gives them."""
    assert require_admin(ALICE, ("bob", "alice")) == "admin"


@pytest.mark.parametrize("admins", [("Alice",), ("alice ",), ("bob",)])
def test_nobody_else_does(admins: tuple[str, ...]) -> None:
    """Names are compared as they are; the error says who may."""
    with pytest.raises(NotAnAdminError, match="alice is no admin") as caught:
        require_admin(ALICE, admins)
    assert admins[0] in caught.value.hint


def test_without_admins_nobody_can_decide() -> None:
    """It says what to set."""
    with pytest.raises(NotAnAdminError, match="nobody can approve") as caught:
        require_admin(ALICE, ())
    assert "admins = " in caught.value.hint
