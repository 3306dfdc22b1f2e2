"""What `nvidia-smi nvlink --status` tells of a card's links."""

from tests.tools.readers.conftest import Read

STATUS = """\
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa0000-0000-0000-0000-000000000000)
\t Link 0: 26.562 GB/s
\t Link 1: 26.562 GB/s
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa0000-0000-0000-0000-000000000001)
\t Link 0: 26.562 GB/s
\t Link 1: <inactive>
"""


def test_the_links_that_are_down_are_counted_card_by_card(read: Read) -> None:
    """Each card is named by its own UUID; how many it has stands beside."""
    found = read(f"root@gpu-02:~# nvidia-smi nvlink --status\n{STATUS}root@gpu-02:~# \n").readings
    cards = [(one.kind, one.values["index"], one.values["nvlinks_down"]) for one in found]

    assert cards == [("gpu", 0, 0), ("gpu", 1, 1)]
    assert {one.values["nvlinks_count"] for one in found} == {2}
