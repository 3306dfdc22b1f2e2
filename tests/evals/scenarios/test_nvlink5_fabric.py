"""The lost switch chip is physically right."""

import re
from collections import Counter
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from evals.model import Recording, read_epoch
from evals.scenarios.nvlink5_fabric import rack, spec
from evals.writers import bundle
from tests.assistant.handbook import shipped
from tests.seeds import draw

FATAL = re.compile(r"Xid \(PCI:(\S+)\): 149, NETIR_LINK_DOWN Fatal XC0 i0 Link (\d\d) ")
DOWN = re.compile(r"Switch (0x\w+) MF0;\S+ port (\d+) \(\S+\) changed state from ACTIVE to DOWN")


@pytest.fixture(params=draw(4), scope="module")
def recording(request: pytest.FixtureRequest) -> Recording:
    return spec.record(request.param, 0.01)


def test_gpus_of_every_tray_lose_a_link_within_one_second(recording: Recording) -> None:
    """Most of the 72 print the fatal line, on all eighteen trays; no other host does."""
    found = _fatal(recording)
    fault = read_epoch(recording.facts["first_anomaly"])
    assert len({host for host, *_ in found}) == rack.TRAYS
    assert all(0 <= at - fault < 2 for *_, at in found)
    assert 0.75 * rack.PORTS < len({(host, bdf) for host, bdf, *_ in found}) <= rack.PORTS


def test_one_slot_loses_the_same_link_in_every_tray(recording: Recording) -> None:
    """What they name is the way to one chip."""
    links: dict[str, set[str]] = {}
    for _, bdf, link, _ in _fatal(recording):
        links.setdefault(bdf, set()).add(link)
    assert set(links) == set(rack.GPU_ADDRESSES)
    assert all(len(own) == 1 for own in links.values())


def test_the_subnet_manager_sees_one_chip_lose_all_its_ports(recording: Recording) -> None:
    """A tray that was rebooted before took four ports down on every chip alike."""
    (log,) = (file.text for file in recording.files if file.path.endswith("nvlsm.log"))
    ports = Counter(match[1] for match in DOWN.finditer(log))
    assert len(ports) == rack.CHIPS
    usual = len(rack.GPU_ADDRESSES)
    assert ports.pop(recording.facts["switch"]) == rack.PORTS + usual
    assert set(ports.values()) == {usual}


def test_the_other_rack_trains_on(recording: Recording) -> None:
    """Its job makes steps to the end."""
    last = max(
        at
        for log in recording.pod_logs
        for at, text in log.lines
        if log.pod.startswith("vl-pretrain") and "iteration" in text
    )
    assert last > recording.until - 60


def test_one_lost_link_is_not_the_fabrics_fault(tmp_path: Path) -> None:
    """The twin: one GPU prints 149, all others only 145; then it is that GPU's own link."""
    recording = spec.record(draw(1)[0], 0.005)
    host, bdf, *_ = _fatal(recording)[0]
    for name, entries in recording.journal.items():
        recording.journal[name] = [
            entry
            for entry in entries
            if not (match := FATAL.search(entry.text)) or (name, match[1]) == (host, bdf)
        ]
    recording.files.clear()
    recording.metrics.clear()
    bundle.write(recording, tmp_path / "b")
    found = investigate([tmp_path / "b"], Incident(), shipped()).diagnosis
    assert found is not None
    root = found.root_causes[0]
    gpu = next(g.uuid for g in recording.hosts[host].gpus if g.bdf == bdf)
    assert (root.page, root.entity.id) == ("xid-nvlink5-fault", gpu)


def _fatal(recording: Recording) -> list[tuple[str, str, str, float]]:
    return [
        (host, match[1], match[2], entry.at)
        for host, entries in recording.journal.items()
        for entry in entries
        if (match := FATAL.search(entry.text))
    ]
