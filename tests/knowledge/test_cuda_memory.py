import pytest

from knowledge.matching import Matcher
from tests.knowledge.test_handbook import shipped

HEAD = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate"
OLD = "RuntimeError: CUDA out of memory. Tried to allocate"
OWN = "Including non-PyTorch memory, this process has"
PAGES = ("exhausted", "fragmentation", "other-process", "request-too-large")


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        (
            (
                f"{OLD} 1.74 GiB (GPU 0; 47.54 GiB total capacity; 31.64 GiB already allocated; "
                "1.03 GiB free; 31.66 GiB reserved in total by PyTorch)"
            ),
            "other-process",
        ),
        (
            (
                f"{HEAD} 2.00 GiB. GPU 3 has a total capacity of 79.15 GiB of which 1.31 GiB is free. "
                f"Process 41022 has 61.93 GiB memory in use. {OWN} 15.90 GiB memory in use. Of the "
                "allocated memory 14.71 GiB is allocated by PyTorch, and 611.60 MiB is reserved by "
                "PyTorch but unallocated."
            ),
            "other-process",
        ),
        (
            (
                f"{HEAD} 611.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 402.19 MiB is "
                f"free. {OWN} 78.75 GiB memory in use. Of the allocated memory 56.02 GiB is allocated "
                "by PyTorch, and 22.01 GiB is reserved by PyTorch but unallocated."
            ),
            "fragmentation",
        ),
        (
            (
                f"{HEAD} 594.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 2.19 MiB is free."
                f" {OWN} 79.14 GiB memory in use. Of the allocated memory 77.61 GiB is allocated by "
                "PyTorch, with 39.77 MiB allocated in private pools (e.g., CUDA Graphs), and 211.60 "
                "MiB is reserved by PyTorch but unallocated."
            ),
            "exhausted",
        ),
        (
            (
                f"{HEAD} 2.00 GiB. GPU 3 has a total capacity of 79.15 GiB of which 311.19 MiB is free."
                " Process 41877 has 78.83 GiB memory in use. Of the allocated memory 77.02 GiB is "
                "allocated by PyTorch, and 203.60 MiB is reserved by PyTorch but unallocated."
            ),
            "exhausted",
        ),
        (
            (
                f"{HEAD} 74.16 GiB. GPU 0 has a total capacity of 44.40 GiB of which 29.89 GiB is free."
                " Process 1733092 has 14.51 GiB memory in use. Of the allocated memory 13.44 GiB is "
                "allocated by PyTorch, and 582.11 MiB is reserved by PyTorch but unallocated."
            ),
            "request-too-large",
        ),
    ],
)
def test_the_numbers_of_a_message_have_one_meaning(message: str, meaning: str) -> None:
    """Too large, in pieces, used up or taken by somebody else: never two of them."""
    found = {match.page for match in Matcher(shipped()).match_text("app", "", message)}

    assert found & {f"cuda-oom-{page}" for page in PAGES} == {f"cuda-oom-{meaning}"}
    assert "cuda-out-of-memory" in found
