"""The subnet manager's own log: its microseconds are no host name."""

from tests.tools.readers.conftest import Read

LOG = """\
Jul 19 18:30:02 104421 [85BA8640] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches
Jul 19 18:34:55 896261 [85BA8640] 0x02 -> osm_spst_rcv_process: Switch 0xb0cf0e0300e31440 MF0;gb-nvl-087-switch03:N5110_LD/U1 port 61 (sw7p1s1) changed state from ACTIVE to DOWN
Jul 19 18:34:55 901118 [85BA8640] 0x01 -> osm_report_notice: failover Reporting Generic Notice type:3 num:65 (GID out of service)
"""  # noqa: E501 - log lines are as long as they are


def test_the_stamp_has_its_microseconds(read: Read) -> None:
    """Time, writer and text; neither host nor year is in the line."""
    record = read(LOG, "nvlsm.log", now="2025-07-20T00:00:00Z").records[0]
    assert record.time is not None
    assert record.time.utc.isoformat() == "2025-07-19T18:34:55.901118+00:00"
    assert (record.time.zone, record.channel, record.host) == ("unknown", "service", "")
    assert record.text.startswith("osm_report_notice: failover")


def test_in_the_networks_folder_it_is_a_device(read: Read) -> None:
    """The place says that a switch wrote it."""
    record = read(LOG, "network/switch03/nvlsm.log", now="2025-07-20T00:00:00Z").records[0]
    assert (record.channel, record.unit) == ("device", "opensm")
