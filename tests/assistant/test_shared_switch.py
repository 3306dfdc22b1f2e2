"""Links of several hosts that die in the same seconds point to what the hosts share."""

from pathlib import Path

import pytest

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped
from tests.tools.readers.test_fabric_links import DISCOVERED, SLURM

HOSTS = ("gpu-01", "gpu-02", "gpu-03")
INVENTORY = """{"nodes": {"gpu-01": {"switch": "leaf1"}, "gpu-02": {"switch": "leaf1"},
 "gpu-03": {"switch": "leaf1"}}}"""
FABRIC = DISCOVERED.replace("gpu-02 HCA-1", "gpu-02 mlx5_0").replace(
    '[3]\t"S-0000000000200000"[3]\t\t# "MF0;ib-spine-1:MQM8700/U1" lid 1 4xEDR',
    '[4]\t"H-506b4b03003fa9ab"[1](506b4b03003fa9ab) \t\t# "gpu-03 mlx5_0" lid 68 4xEDR',
)
RAILS = """{"nodes": {"gpu-01": {"switches": ["r0", "r1"]}, "gpu-02": {"switches": ["r0", "r1"]},
 "gpu-03": {"switches": ["r0", "r1"]}}}"""
SWEEP = (
    "Nov 29 05:12:03 924124 [3DA006C0] 0x02 -> drop_mgr_remove_port: Removed port with"
    " GUID:0x0000000000200001 LID range [3, 3] of node:MF0;ib-leaf-07:MQM8700/U1\n"
    "Nov 29 05:12:03 933162 [3DA006C0] 0x02 -> drop_mgr_remove_port: Removed port with"
    " GUID:0x0000000000100004 LID range [5, 5] of node:gpu-01 mlx5_0\n"
)
PORTS = "".join(
    f"2026-11-29T05:12:0{n}+00:00 leaf-07 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface"
    f" Ethernet{n}/1, changed state to down\n"
    for n in range(3)
)
DOWN = "mlx5_core 0000:18:00.0 mlx5_0: Port: 1 Link DOWN"
PEER = (
    "{host}:4410:4533 [0] NCCL WARN NET/IB : Got completion from peer 10.4.2.7<52311> with error"
    " 12, opcode 0, len 0, vendor err 129"
)


def _diagnose(folder: Path, *, hosts: tuple[str, ...] = HOSTS, **others: str) -> Diagnosis:
    for number, host in enumerate(hosts):
        lines = (
            f"05:11:00+00:00 {host} systemd[1]: Started Session 3 of user ops.",
            f"05:12:0{number}+00:00 {host} kernel: {DOWN}",
            f"05:12:2{number}+00:00 {host} train[5210]: {PEER.format(host=host)}",
            f"05:13:10+00:00 {host} kernel: nfs: server 10.0.0.9 not responding, still trying",
            f"05:40:10+00:00 {host} systemd[1]: Started Session 4 of user ops.",
        )
        text = "".join(f"2026-11-29T{line}\n" for line in lines)
        (folder / f"{host}.log").write_text(text)
    for name, text in others.items():
        (folder / name.replace("__", ".")).write_text(text)
    found = investigate([folder], Incident(), shipped())
    assert found.diagnosis is not None
    return found.diagnosis


@pytest.mark.parametrize(
    ("others", "switch"),
    [
        ({"topology__json": INVENTORY}, "leaf1"),
        ({"topology__conf": SLURM.replace("[01-02]", "[01-03]")}, "leaf1"),
        ({"net__txt": FABRIC}, "ib-leaf-07"),
        ({"opensm__log": SWEEP}, "ib-leaf-07"),
        ({"leaf-07__log": PORTS}, "leaf-07"),
    ],
)
def test_the_switch_leads_where_evidence_names_it(
    tmp_path: Path, others: dict[str, str], switch: str
) -> None:
    """One switch, likely at most where it is inferred, and not three adapters side by side."""
    found = _diagnose(tmp_path, **others)
    assert [(one.page, one.entity.id) for one in found.root_causes] == [
        ("fabric-switch-down", switch)
    ]
    assert found.confidence == "LIKELY" or "opensm__log" in others
    assert found.root_causes[0].why.confidence == "INCONCLUSIVE"


@pytest.mark.parametrize(
    ("hosts", "others"),
    [
        (HOSTS, {}),
        (HOSTS[:2], {}),
        (HOSTS, {"topology__json": RAILS}),
        (HOSTS, {"leaf-07__log": PORTS[: len(PORTS) // 3]}),
    ],
)
def test_what_nobody_names_is_a_lead_and_no_verdict(
    tmp_path: Path, hosts: tuple[str, ...], others: dict[str, str]
) -> None:
    """Without a map, or with adapters that hang on a switch each, the check decides."""
    found = _diagnose(tmp_path, hosts=hosts, **others)
    assert [one.page for one in found.root_causes] == ["fabric-switch-down"]
    assert (found.verdict, found.confidence) == ("inconclusive", "INCONCLUSIVE")
    assert found.next_checks[0].command.startswith("iblinkinfo")


def test_a_switch_with_links_that_live_is_no_verdict(tmp_path: Path) -> None:
    """Where most hosts behind it were watched and lost nothing, it is not the switch for sure."""
    names = [*HOSTS, *(f"gpu-1{n}" for n in range(5))]
    for name in names[3:]:
        lines = ("05:11:00", "05:12:05", "05:40:00")
        text = "".join(f"2026-11-29T{c}+00:00 {name} kernel: audit: ok\n" for c in lines)
        (tmp_path / f"{name}.log").write_text(text)
    inventory = ", ".join(f'"{name}": {{"switch": "leaf1"}}' for name in names)
    found = _diagnose(tmp_path, topology__json=f'{{"nodes": {{{inventory}}}}}')
    assert found.verdict == "inconclusive"


@pytest.mark.parametrize(("back", "shared"), [("05:12:03", False), ("05:12:41", True)])
def test_two_links_that_come_back_each_in_its_time_share_nothing_unnamed(
    tmp_path: Path, back: str, *, shared: bool
) -> None:
    """A port that flaps now and then may do so beside any other; what is shared comes back once."""
    for number, (host, up) in enumerate((("gpu-01", "05:12:40"), ("gpu-02", back))):
        lines = (
            f"05:11:00+00:00 {host} systemd[1]: Started Session 3 of user ops.",
            f"05:12:0{number}+00:00 {host} kernel: {DOWN}",
            f"{up}+00:00 {host} kernel: {DOWN.replace('DOWN', 'ACTIVE')}",
            f"05:40:10+00:00 {host} systemd[1]: Started Session 4 of user ops.",
        )
        (tmp_path / f"{host}.log").write_text("".join(f"2026-11-29T{line}\n" for line in lines))
    found = investigate([tmp_path], Incident(), shipped()).diagnosis
    assert found is not None
    pages = {one.page for one in found.hypotheses}
    assert ("fabric-switch-down" in pages) is shared
