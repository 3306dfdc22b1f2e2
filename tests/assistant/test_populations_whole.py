"""One condition on many hosts is told whole: none of them is left over beside the rest."""

from pathlib import Path

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

CALM = "2026-06-17T02:00:00+00:00 {host} systemd[1]: Started Session 1 of User u.\n"
LATER = "2026-06-17T03:20:00+00:00 {host} systemd[1]: Started Session 9 of User u.\n"
STALLS = "kernel: nfs: server 10.0.0.10 not responding, still trying"
BLOCKED = "kernel: INFO: task python3:22331 blocked for more than 120 seconds."
ANSWERS = "kernel: nfs: server 10.0.0.10 OK"
PORT = "kernel: pcieport 0000:17:01.0: AER: Uncorrected (Fatal) error received: 0000:1b:00.0"
FELL = (
    "kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>,"
    " GPU has fallen off the bus."
)


def _diagnose(folder: Path, hosts: dict[str, dict[str, str]]) -> Diagnosis:
    for host, said in hosts.items():
        lines = sorted(f"2026-06-17T{clock}+00:00 {host} {text}\n" for clock, text in said.items())
        whole = CALM.format(host=host) + "".join(lines) + LATER.format(host=host)
        (folder / f"{host}.log").write_text(whole)
    found = investigate([folder], Incident(), shipped()).diagnosis
    assert found is not None
    return found


def _clients(**more: str) -> dict[str, dict[str, str]]:
    """Six clients lose the server within seconds of each other."""
    return {
        f"gpu-{n:02d}": {f"02:30:0{n}": STALLS, f"02:32:0{n}": BLOCKED, **more} for n in range(1, 7)
    }


def test_a_client_that_noticed_late_belongs_to_the_others(tmp_path: Path) -> None:
    """It asked nothing of the server for half an hour, and the server was away all the time."""
    late = {"gpu-07": {"02:58:07": STALLS, "03:00:07": BLOCKED}}
    found = _diagnose(tmp_path, _clients() | late)
    assert [root.page for root in found.root_causes] == ["storage-server-unavailable"]
    assert not found.unexplained
    assert len(found.root_causes[0].explains) == 14


def test_a_client_that_noticed_late_belongs_to_a_crowd(tmp_path: Path) -> None:
    """Dozens are told as one event; who came after it is one of them all the same."""
    crowd = {f"gpu-{n:03d}": {f"02:30:{n:02d}": STALLS} for n in range(1, 51)}
    found = _diagnose(tmp_path, crowd | {"gpu-099": {"02:58:07": STALLS, "03:00:07": BLOCKED}})
    assert [root.page for root in found.root_causes] == ["storage-server-unavailable"]
    assert not found.unexplained


def test_a_client_that_stalls_after_the_server_was_back_stands_alone(tmp_path: Path) -> None:
    """All others had their answer by then."""
    late = {"gpu-07": {"02:58:07": STALLS, "03:00:07": BLOCKED}}
    found = _diagnose(tmp_path, _clients(**{"02:40:00": ANSWERS}) | late)
    explained = {name for root in found.root_causes for name in root.explains}
    assert len(explained) <= 13
    assert found.unexplained or len(found.root_causes) > 1


def test_the_same_grave_condition_elsewhere_is_a_lead_as_well(tmp_path: Path) -> None:
    """Two ports lost their cards, on a third host nothing more was seen: all three are named."""
    hosts = {
        "gpu-01": {"02:30:01": PORT, "02:30:02": FELL},
        "gpu-02": {"02:30:11": PORT, "02:30:12": FELL},
        "gpu-03": {"02:30:21": PORT},
    }
    found = _diagnose(tmp_path, hosts)
    places = {root.entity.id.partition("/")[0] for root in found.root_causes}
    assert {root.page for root in found.root_causes} == {"pcie-link-failure"}
    assert places == {"gpu-01", "gpu-02", "gpu-03"}
    assert not found.unexplained
