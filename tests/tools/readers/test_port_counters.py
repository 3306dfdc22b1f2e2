"""Counters of the fabric's ports, from its tools and from the kernel, have the same names."""

from tests.tools.readers import operator_samples as samples
from tests.tools.readers.conftest import Read


def test_perfquery_tells_the_counters_of_each_port(read: Read) -> None:
    """By address and port; an older version's names are the same counters."""
    one, other = (reading.values for reading in read(samples.PERFQUERY).readings)

    assert (one["lid"], one["port"], one["link_downed"], one["symbol_error"]) == ("7", "1", 3, 12)
    assert (one["port_xmit_wait"], one["vl15_dropped"]) == (2, 0)
    assert (other["lid"], other["port_xmit_data"]) == ("1719", 26006570014026)
    (old,) = read(samples.PERFQUERY_OLD, "old").readings
    assert (old.values["link_downed"], old.values["link_error_recovery"]) == (2, 1)


def test_the_kernels_files_are_read_in_either_form(read: Read) -> None:
    """`grep .` writes the value behind the name, `head` below it."""
    one, other = (reading.values for reading in read(samples.COUNTERS).readings)

    assert (one["nic"], one["link_downed"], one["local_ack_timeout_err"]) == ("mlx5_0", 3, 55)
    assert one["vl15_dropped"] == 0
    assert (other["nic"], other["link_downed"]) == ("mlx5_1", 0)
    (head,) = read(samples.COUNTERS_FILES, "head").readings
    assert (head.values["link_downed"], head.values["link_error_recovery"]) == (3, 1)


def test_ibdiagnet_tells_what_it_complains_of_and_which_port_counts(read: Read) -> None:
    """A port's address is written as the other tools write it."""
    readings = read(samples.IBDIAGNET).readings
    counters = [one.values for one in readings if one.kind == "ib_counters"]
    findings = [(one.values["severity"], one.line) for one in readings if one.kind == "ib_finding"]

    assert [(one["lid"], one["port"]) for one in counters] == [("8", "27"), ("8", "31")]
    assert counters[0]["port_rcv_switch_relay_errors"] == 65535
    assert counters[1]["port_xmit_discard"] == 65535
    assert findings == [("error", 3), ("error", 10), ("warning", 11)]
