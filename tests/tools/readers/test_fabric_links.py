"""What the fabric's own tools print tells which host hangs on which switch."""

import pytest

from tests.tools.readers.conftest import Read

DISCOVERED = """\
#
# Topology file: generated on Mon Dec 18 12:34:08 2023
#
vendid=0x2c9
devid=0xcb20
sysimgguid=0xec0d9a0300ec8240
switchguid=0xec0d9a0300ec8240(ec0d9a0300ec8240)
Switch\t36 "S-ec0d9a0300ec8240"\t\t# "MF0;ib-leaf-07:MQM8700/U1" enhanced port 0 lid 48 lmc 0
[1]\t"H-506b4b03003fa9b6"[1](506b4b03003fa9b6) \t\t# "gpu-01 mlx5_0" lid 67 4xEDR
[2]\t"H-506b4b03003fa9aa"[1](506b4b03003fa9aa) \t\t# "gpu-02 HCA-1" lid 89 4xEDR
[3]\t"S-0000000000200000"[3]\t\t# "MF0;ib-spine-1:MQM8700/U1" lid 1 4xEDR

caguid=0x506b4b03003fa9b6
Ca\t1 "H-506b4b03003fa9b6"\t\t# "gpu-01 mlx5_0"
[1](506b4b03003fa9b6) \t"S-ec0d9a0300ec8240"[1]\t\t# lid 67 lmc 0 "MF0;ib-leaf-07:MQM8700/U1" lid 48
"""
LISTED = """\
CA: gpu-01 mlx5_0:
      0x0002c903000d7aad      4    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       2    3[  ] "Infiniscale-IV Mellanox Technologies" ( )
Switch: 0x0002c9020046c588 Infiniscale-IV Mellanox Technologies:
           2    3[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       4    1[  ] "gpu-01 mlx5_0" ( )
           2   34[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           2   36[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       3    1[  ] "gpu-02 mlx4_0" ( )
"""  # noqa: E501 - lines are as long as the tool prints them
IN_LINES = """\
0x0002c90200404ad8 "               ib-leaf-07"      4    3[  ] ==( 4X 25.78 Gbps Active/  LinkUp)==>  0x0002c903000e0b72     15    1[  ] "gpu-01 mlx5_0" ( )
0x0002c90200404ad8 "               ib-leaf-07"      4   18[  ] ==(                Down/ Polling)==>             [  ] "" ( )
"""  # noqa: E501 - lines are as long as the tool prints them
SLURM = """\
SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=gpu-[01-02]
SwitchName=spine Level=1 LinkSpeed=1 Nodes=gpu-[01-02] Switches=leaf1
"""
LLDP = """\
-------------------------------------------------------------------------------
LLDP neighbors:
-------------------------------------------------------------------------------
Interface:    ens1f0np0, via: LLDP, RID: 1, Time: 0 day, 00:12:15
  Chassis:
    ChassisID:    mac 00:1b:21:aa:bb:cc
    SysName:      leaf-07
  Port:
    PortID:       ifname Ethernet1/3
"""


@pytest.mark.parametrize(
    ("text", "name", "links"),
    [
        (DISCOVERED, "net.txt", [("gpu-01", "mlx5_0", "ib-leaf-07"), ("gpu-02", "", "ib-leaf-07")]),
        (LISTED, "links.txt", [("gpu-01", "mlx5_0", "0x0002c9020046c588"),
                               ("gpu-02", "mlx4_0", "0x0002c9020046c588")]),
        (IN_LINES, "links.txt", [("gpu-01", "mlx5_0", "ib-leaf-07")]),
        (SLURM, "topology.conf", [("gpu-01", "", "leaf1"), ("gpu-02", "", "leaf1")]),
        (LLDP, "host/gpu-01/lldp.txt", [("gpu-01", "ens1f0np0", "leaf-07")]),
    ],
)  # fmt: skip
def test_each_host_is_told_with_its_switch(
    read: Read, text: str, name: str, links: list[tuple[str, str, str]]
) -> None:
    """Spines, an adapter's own view and dead ports tell of no host's switch."""
    found = [one.values for one in read(text, name).readings if one.kind == "fabric_link"]
    assert [(one["host"], one["nic"], one["switch"]) for one in found] == links


@pytest.mark.parametrize(("offset", "zone"), [("", "unknown"), ("+00:00 ", "stated")])
def test_a_switchs_own_log_names_the_switch(read: Read, offset: str, zone: str) -> None:
    """The year stands first, and the switch behind the time."""
    said = "%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/3 is down (Link failure)"
    text = f"2026 Nov 29 05:12:03 {offset}leaf-07 {said}\n"
    (found,) = read(text, "leaf.log", literals=("IF_DOWN",), now="2026-11-30T00:00:00Z").records
    assert (found.host, found.channel, found.text) == ("leaf-07", "device", said)
    assert found.time is not None
    assert (found.time.utc.isoformat()[:19], found.time.zone) == ("2026-11-29T05:12:03", zone)


def test_leaves_of_too_many_nodes_are_left_out_and_said(read: Read) -> None:
    """A short list may name millions; those that fit are read."""
    many = ",".join(["0-65535"] * 100)
    text = f"SwitchName=leaf1 Nodes=n[{many}]\nSwitchName=leaf2 Nodes=g[1-2]\n"
    reads = read(text + "SwitchName=leaf3 Nodes=h[0-65535]\n", "topology.conf")
    assert [each.values["host"] for each in reads.readings] == ["g1", "g2"]
    assert [("leaf1" in gap.why, "leaf3" in gap.why) for gap in reads.gaps] == [
        (True, False),
        (False, True),
    ]
