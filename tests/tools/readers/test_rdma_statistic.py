"""`rdma statistic show` is told like the kernel's own files."""

from tests.tools.readers.conftest import Read

STATISTIC = """\
link mlx5_0/1 rx_write_requests 12 rx_read_requests 0 out_of_sequence 7 local_ack_timeout_err 55
link mlx5_1/1 rx_write_requests 0 rx_read_requests 0 out_of_sequence 0 local_ack_timeout_err 0
"""
LINKS = """\
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1np0
link mlx5_1/1 state DOWN physical_state DISABLED netdev ens2np0
"""


def test_each_ports_counters_are_read(read: Read) -> None:
    first, second = read(STATISTIC).readings

    assert (first.kind, first.line, second.line) == ("ib_counters", 1, 2)
    assert (first.values["nic"], first.values["port"]) == ("mlx5_0", "1")
    assert (first.values["out_of_sequence"], first.values["local_ack_timeout_err"]) == (7, 55)


def test_the_links_themselves_stay_links(read: Read) -> None:
    assert {each.kind for each in read(LINKS).readings} == {"nic"}
