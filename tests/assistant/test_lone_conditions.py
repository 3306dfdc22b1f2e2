"""A grave condition that stands alone is the lead, whether anybody suffers from it or not."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)


def _port(name: str, state: str, physical: str) -> str:
    return f"""\
CA '{name}'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.39.1002
\tHardware version: 0
\tNode GUID: 0x946dae0300a1b2c4
\tSystem image GUID: 0x946dae0300a1b2c4
\tPort 1:
\t\tState: {state}
\t\tPhysical state: {physical}
\t\tRate: 400
\t\tBase lid: 65535
\t\tLMC: 0
\t\tSM lid: 0
\t\tCapability mask: 0xa651e848
\t\tPort GUID: 0x946dae0300a1b2c4
\t\tLink layer: InfiniBand
"""


UP, DOWN = _port("mlx5_0", "Active", "LinkUp"), _port("mlx5_1", "Down", "Polling")
FALLS = (
    "2025-10-11T02:10:09.520000+00:00 gpu-01 kernel: NVRM: Xid (PCI:0000:9d:00): 79,"
    " pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
)


def _diagnose(folder: Path, **files: str) -> Diagnosis:
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    found = investigate([folder], Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


@pytest.mark.parametrize("ports", [DOWN, UP + DOWN], ids=["alone", "beside one that is up"])
def test_a_port_that_is_down_is_the_lead_with_what_to_look_at(tmp_path: Path, ports: str) -> None:
    """One look at one host shows no victim: it is open, and not nothing."""
    found = _diagnose(tmp_path, ibstat=ports)
    assert found.verdict == "inconclusive"
    (root,) = found.root_causes
    assert (root.page, root.confidence) == ("ib-link-down", "INCONCLUSIVE")
    assert root.entity.id.endswith("/mlx5_1")
    assert found.next_checks


def test_ports_that_are_up_are_no_lead(tmp_path: Path) -> None:
    """There is nothing to look into."""
    assert not _diagnose(tmp_path, ibstat=UP).hypotheses


def test_what_hurts_nobody_is_no_hypothesis_beside_what_does(tmp_path: Path) -> None:
    """A port that was never cabled reads down for ever."""
    found = _diagnose(tmp_path, ibstat=DOWN, kernel=FALLS)
    assert [one.page for one in found.hypotheses] == ["xid-79-fell-off-bus"]
