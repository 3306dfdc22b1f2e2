"""A GPU that does nothing while a program holds its memory."""

from collections.abc import Callable

import pytest

from assistant.idle_gpus import IdleGpus
from tests.assistant.items import reading

CARDS = ("GPU-1", "GPU-2", "GPU-3")


def _found(use: Callable[[str, int], float], held: float = 71234, looks: int = 20) -> set[object]:
    """Look at three cards of a host every two minutes."""
    gpus = IdleGpus()
    for n in range(looks):
        for uuid in CARDS:
            now = use(uuid, n)
            gpus.learn(
                reading(
                    "gpu", "n1", 120 * n, uuid=uuid, utilization_percent=now, memory_used_mib=held
                )
            )
    return {each.values["uuid"] for each in gpus.found()}


def test_cards_that_fell_to_nothing_are_named() -> None:
    """One of them, whose neighbours go on, or all of them at once."""
    assert _found(lambda uuid, n: 0 if uuid == "GPU-2" and n > 12 else 97) == {"GPU-2"}
    assert _found(lambda _, n: 0 if n > 12 else 97) == set(CARDS)


def test_a_card_that_never_worked_beside_busy_ones_of_its_job_is_named() -> None:
    """It holds as much memory as they do."""
    assert _found(lambda uuid, _: 0 if uuid == "GPU-3" else 97) == {"GPU-3"}


@pytest.mark.parametrize(
    ("use", "held"),
    [
        pytest.param(lambda _, __: 0, 71234, id="a server without requests"),
        pytest.param(lambda _, n: 0 if n > 12 else 97, 4, id="a job that ended"),
        pytest.param(lambda _, n: 0 if n % 3 == 0 else 97, 71234, id="a moment's pause"),
        pytest.param(lambda _, n: 97 if n > 12 else 0, 71234, id="a job that began"),
    ],
)
def test_other_idle_cards_are_well(use: Callable[[str, int], float], held: float) -> None:
    """Idleness alone is no fault."""
    assert not _found(use, held)
