"""What `nvidia-smi -L` lists."""

from tests.tools.readers.conftest import Read

LIST = """\
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31)
  MIG 1g.10gb     Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-0a3b5c7d-1122-3344-5566-77889900aabb)
"""


def test_each_card_and_their_number_are_read(read: Read) -> None:
    """A slice of a card is none of its own."""
    found = read(f"root@gpu-02:~# nvidia-smi -L\n{LIST}root@gpu-02:~# \n").readings
    cards = [one.values for one in found if one.kind == "gpu"]
    (host,) = (one.values for one in found if one.kind == "gpu_host")

    assert [(one["index"], one["host"]) for one in cards] == [(0, "gpu-02"), (1, "gpu-02")]
    assert (host["gpu_count"], host["host"]) == (2, "gpu-02")


def test_a_container_may_have_been_given_only_some(read: Read) -> None:
    """What it lists says nothing of the host's number."""
    found = read(f"root@gpu-02:~# docker exec t nvidia-smi -L\n{LIST}root@gpu-02:~# \n").readings
    assert {one.kind for one in found} == {"gpu"}
