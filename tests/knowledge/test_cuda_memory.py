import pytest

from knowledge.matching import Matcher
from tests.assistant.handbook import shipped

OOM = "CUDA out of memory. Tried to allocate"
PAGES = frozenset(
    f"cuda-oom-{meaning}"
    for meaning in ("exhausted", "fragmentation", "other-process", "request-too-large")
)


def told(request: str, free: str, held: str, allocated: str, unallocated: str) -> str:
    """Write the message of newer versions for a card of 79.15 GiB."""
    return (
        f"torch.OutOfMemoryError: {OOM} {request}. GPU 0 has a total capacity of 79.15 GiB of "
        f"which {free} is free. {held} memory in use. Of the allocated memory {allocated} is "
        f"allocated by PyTorch, and {unallocated} is reserved by PyTorch but unallocated."
    )


def told_before(request: str, allocated: str, free: str, reserved: str) -> str:
    """Write the message of older versions for a card of 47.54 GiB."""
    return (
        f"RuntimeError: {OOM} {request} (GPU 0; 47.54 GiB total capacity; {allocated} already "
        f"allocated; {free} free; {reserved} reserved in total by PyTorch)"
    )


def own(size: str) -> str:
    """Write the clause of the failing process."""
    return f"Including non-PyTorch memory, this process has {size}"


OTHER_NAMED = f"Process 41022 has 61.93 GiB memory in use. {own('15.90 GiB')}"


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        (told_before("1.74 GiB", "31.64 GiB", "1.03 GiB", "31.66 GiB"), "other-process"),
        (told_before("2.86 GiB", "33.41 GiB", "1.12 GiB", "45.66 GiB"), "fragmentation"),
        (told_before("2.00 GiB", "44.91 GiB", "1.02 GiB", "45.27 GiB"), "exhausted"),
        (told_before("48.00 GiB", "4.31 GiB", "40.02 GiB", "4.44 GiB"), "request-too-large"),
        (told("2.00 GiB", "1.31 GiB", OTHER_NAMED, "14.71 GiB", "611.60 MiB"), "other-process"),
        (
            told("611.00 MiB", "402.19 MiB", own("78.75 GiB"), "56.02 GiB", "22.01 GiB"),
            "fragmentation",
        ),
        (told("594.00 MiB", "2.19 MiB", own("79.14 GiB"), "77.61 GiB", "211.60 MiB"), "exhausted"),
        (
            told("2.00 GiB", "311.19 MiB", "Process 7 has 78.83 GiB", "77.02 GiB", "203.60 MiB"),
            "exhausted",
        ),
        (
            told("94.16 GiB", "64.64 GiB", "Process 7 has 14.51 GiB", "13.44 GiB", "582.11 MiB"),
            "request-too-large",
        ),
    ],
)
def test_the_numbers_of_a_message_have_one_meaning(message: str, meaning: str) -> None:
    """Too large, in pieces, used up or taken by somebody else: never two of them."""
    found = {match.page for match in Matcher(shipped()).match_text("app", "", message)}

    assert found & PAGES == {f"cuda-oom-{meaning}"}
    assert "cuda-out-of-memory" in found
