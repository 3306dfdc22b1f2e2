"""No approval brings in a step that destroys, or that is called a look and is none."""

import pytest

from assistant.own_steps import find_dangerous, find_unknown_looks
from tests.knowledge.own.test_page_file import addition, own
from tests.knowledge.pages import page

OTHER = {"en": "Something else", "zh": "其他"}


def step(risk: str, *command: str) -> dict[str, object]:
    """A remedy of a page."""
    return {"id": "s", "title": OTHER, "stage": "recover", "risk": risk, "command": list(command)}


@pytest.mark.each_counts
@pytest.mark.parametrize(
    ("risk", "command", "why"),
    [
        ("R0", ("rm", "-rf", "/data"), "'rm -rf /data' is no read-only command"),
        ("R1", ("systemctl", "restart", "kubelet"), "no read-only command"),
        ("R0", ("nvidia-smi", "--gpu-reset"), "no read-only command"),
        ("R0", ("sh", "-c", "uptime"), "no read-only command"),
        ("R4", (), "never offered"),
        ("R4", ("uptime",), "never offered"),
    ],
)
def test_what_is_no_look_is_no_r0(risk: str, command: tuple[str, ...], why: str) -> None:
    """By the grammar of what may be run; on a new page and on an addition."""
    for content in (own("mine", remedies=[step(risk, *command)]).content,
                    addition("ours", "xid", remedies=[step(risk, *command)]).content):  # fmt: skip
        assert why in "; ".join(find_dangerous(content, None))


@pytest.mark.parametrize(
    ("risk", "command"),
    [
        ("R0", ()),
        ("R0", ("nvidia-smi", "-q")),
        ("R0", ("kubectl", "describe", "pod", "{pod}")),
        ("R2", ("systemctl", "restart", "kubelet")),
    ],
)
def test_what_only_looks_or_says_its_risk_passes(risk: str, command: tuple[str, ...]) -> None:
    """Holes are filled as the page's reader would fill them."""
    assert not list(find_dangerous(own("mine", remedies=[step(risk, *command)]).content, None))


def test_what_the_shipped_page_says_itself_passes() -> None:
    """In the same words with the same risk; a harmless sister page lends it to nobody else."""
    shipped = page("xid", remedies=[step("R1", "ls", "-l", "/var/crash")])
    same = own("xid", remedies=[step("R1", "ls", "-l", "/var/crash")]).content

    assert not list(find_dangerous(same, shipped))
    assert list(find_dangerous(same, None))


def test_a_check_that_may_change_something_is_warned_of() -> None:
    """Whoever approves it reads the command."""
    look = {"id": "look", "command": ["rm", "-rf", "/"], "tells": OTHER}
    (said,) = find_unknown_looks(own("mine", checks=[look]).content, None)
    assert "'rm -rf /' is not known to be read-only" in said
