"""The kernel's files of a port's state are told like what ibstat prints."""

from tests.tools.readers.conftest import Read

STATES = """\
/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_0/ports/1/phys_state:5: LinkUp
/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)
/sys/class/infiniband/mlx5_1/ports/1/state:1: DOWN
/sys/class/infiniband/mlx5_1/ports/1/phys_state:3: Disabled
/sys/class/infiniband/mlx5_1/ports/1/rate:??? Gb/sec
"""


def test_each_port_is_read_once_with_state_and_rate(read: Read) -> None:
    found = read(STATES).readings

    assert [(each.values["nic"], each.line) for each in found] == [("mlx5_0", 1), ("mlx5_1", 4)]
    assert [each.values["state"] for each in found] == ["ACTIVE", "DOWN"]
    assert [each.values["rate_gbps"] for each in found] == [400.0, None]


def test_rdma_link_may_print_all_that_it_knows(read: Read) -> None:
    """With `-d` the subnet stands between a port and its state."""
    text = (
        "link mlx5_3/1 subnet_prefix fe80:0000:0000:0000 lid 65535 sm_lid 0 lmc 0 "
        "state DOWN physical_state POLLING\n"
        "link mlx5_5/1 state ACTIVE physical_state LINK_UP netdev ibp171s0\n"
    )
    seen = [reading.values for reading in read(text, "rdma-link.txt").readings]
    assert [(each["nic"], each["port"], each["state"]) for each in seen] == [
        ("mlx5_3", "1", "DOWN"), ("mlx5_5", "1", "ACTIVE"),
    ]  # fmt: skip
