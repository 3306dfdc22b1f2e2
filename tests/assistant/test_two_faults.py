"""Faults that have nothing to do with each other, in the logs of one night."""

from datetime import UTC, datetime
from pathlib import Path

from assistant.diagnosis.result import Diagnosis, RootCause
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)

LOST = """\
2025-10-11T02:10:01.220000+00:00 gpu-01 kernel: pcieport 0000:96:02.0: AER: Uncorrected (Fatal) \
error received: 0000:96:02.0
2025-10-11T02:10:01.520000+00:00 gpu-01 kernel: NVRM: Xid (PCI:0000:97:00): 79, \
pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
"""
STEP = """\
2025-10-11T02:10:05.520000+00:00 gpu-01 slurmstepd[30112]: error: *** STEP 7001.0 ON gpu-01 \
CANCELLED AT 2025-10-11T02:10:05 ***
"""
ENDED = "[2025-10-11T02:10:06.001] _job_complete: JobId=7001 WEXITSTATUS 1\n"
SPREAD = """\
2025-10-11T05:30:55.120000+00:00 gpu-09 kernel: NVRM: Xid (PCI:0000:5d:00): 48, \
pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected on GPU \
in the framebuffer at partition 6, subpartition 0.
2025-10-11T05:30:55.122000+00:00 gpu-09 kernel: NVRM: Xid (PCI:0000:5d:00): 95, pid=7062, \
name=python3, Uncontained: FB DED (0x2, 0x1). RST: Yes, D-RST: No
"""


def _stall(node: str) -> str:
    """Write a client of a storage server that was away for ten minutes."""
    return (
        f"2025-10-11T02:40:12+00:00 {node} kernel: nfs: server 10.20.7.5 not responding, still"
        f" trying\n"
        f"2025-10-11T02:43:13+00:00 {node} kernel: INFO: task python3:51207 blocked for more than"
        f" 120 seconds.\n"
        f"2025-10-11T02:49:50+00:00 {node} kernel: nfs: server 10.20.7.5 OK\n"
        f'2025-10-11T03:10:00+00:00 {node} kernel: audit: type=1400 audit(1): apparmor="STATUS"\n'
    )


def _diagnose(folder: Path, **files: str) -> Diagnosis:
    for name, text in files.items():
        (folder / f"{name.replace('_', '-')}.log").write_text(text)
    found = investigate([folder], Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


def _at(found: Diagnosis, node: str) -> RootCause:
    return next(root for root in found.root_causes if root.entity.id.startswith(node))


def test_a_fault_on_another_node_hours_before_stands_beside_the_first(tmp_path: Path) -> None:
    """A GPU that fell off the bus is still lost when another node's memory fails."""
    found = _diagnose(tmp_path, gpu_01=LOST, gpu_09=SPREAD)
    assert [root.page for root in found.root_causes] == [
        "xid-48-double-bit-ecc",
        "pcie-link-failure",
    ]
    assert found.verdict == "fault"
    lost = _at(found, "gpu-01")
    assert lost.first_anomaly == lost.event != found.first_anomaly
    nodes = {node for one in found.contain_now for node in one.nodes}
    assert nodes == {"gpu-01", "gpu-09"}


def test_a_lost_gpu_that_ended_its_job_is_likely_beside_a_storage_outage(tmp_path: Path) -> None:
    """What only it explains speaks for it, and the first anomaly is the first of both."""
    files = {"gpu_01": LOST + STEP, "slurmctld": ENDED}
    found = _diagnose(tmp_path, **files, gpu_05=_stall("gpu-05"), gpu_06=_stall("gpu-06"))
    roots = {root.page: root for root in found.root_causes}
    assert set(roots) == {"storage-server-unavailable", "pcie-link-failure"}
    lost, storage = roots["pcie-link-failure"], roots["storage-server-unavailable"]
    assert lost.confidence != "INCONCLUSIVE"
    assert found.first_anomaly == lost.first_anomaly
    assert lost.state is not None
    assert storage.state is not None
    assert (lost.state.now, storage.state.now) == ("ongoing", "recovered")


def test_a_fault_of_the_same_node_is_no_fault_of_its_own(tmp_path: Path) -> None:
    """What shares a host with the first may have to do with it: it is left to the leads."""
    here = LOST.replace("gpu-01", "gpu-09")
    found = _diagnose(tmp_path, gpu_09=here + SPREAD)
    assert [root.page for root in found.root_causes] == ["xid-48-double-bit-ecc"]


def test_a_caution_of_one_fault_is_not_for_the_host_of_another(tmp_path: Path) -> None:
    """Cards are spared where the share stalled, not where one fell off the bus, stalled or not."""
    files = {"gpu_01": LOST + STEP + _stall("gpu-01"), "slurmctld": ENDED}
    found = _diagnose(tmp_path, **files, gpu_05=_stall("gpu-05"), gpu_06=_stall("gpu-06"))
    assert len(found.root_causes) == len(("a lost card", "a share that stalled"))
    caution = next(one for one in found.do_not if one.text.en == "Do not replace or reset GPUs.")
    assert caution.nodes == ("gpu-05", "gpu-06")
    assert all(one.nodes for one in (*found.contain_now, *found.do_not))


def test_a_caution_that_another_root_forbids_everywhere_is_not_given(tmp_path: Path) -> None:
    """Where the only host that a share left waiting is that of a lost card, cards may be reset."""
    both = LOST + STEP + _stall("gpu-01")
    found = _diagnose(tmp_path, gpu_01=both, slurmctld=ENDED)
    roots = [root.page for root in found.root_causes]
    cautions = [one for one in found.do_not if one.text.en == "Do not replace or reset GPUs."]
    assert "pcie-link-failure" in roots
    assert not [one for one in cautions if "gpu-01" in one.nodes or not one.nodes]


FAULT = """\
2026-11-29T10:00:00+00:00 gpu-07 kernel: NVRM: Xid (PCI:0000:9b:00): 31, pid=811, name=python, \
Ch 0000000b
2026-11-29T10:00:01+00:00 gpu-07 train[900]: RuntimeError: CUDA error: an illegal memory access \
was encountered
2026-11-29T10:05:01+00:00 gpu-08 kernel: NVRM: Xid (PCI:0000:43:00): 79, pid='<unknown>', \
name=<unknown>, GPU has fallen off the bus.
"""


def test_what_is_grave_is_contained_though_another_fault_leads(tmp_path: Path) -> None:
    """The lead explains more; the lost GPU beside it explains nothing and is no less lost."""
    found = _diagnose(tmp_path, night=FAULT)
    assert {root.entity.id.partition("/")[0] for root in found.root_causes} == {"gpu-07"}
    assert {node for one in found.contain_now for node in one.nodes} == {"gpu-08"}
    assert all(one.nodes for one in found.do_not)


def test_hosts_whose_links_went_down_blame_no_file_server(tmp_path: Path) -> None:
    """A mount that stalls behind a dead link needs no server that died as well.

    What the links share is a lead as long as nobody names it.
    """
    for host in ("gpu-51", "gpu-52", "gpu-53"):
        (tmp_path / f"{host}.log").write_text(
            f"2026-11-29T05:11:00+00:00 {host} systemd[1]: Started Session 3 of user ops.\n"
            f"2026-11-29T05:12:03+00:00 {host} kernel: mlx5_core 0000:18:00.0 eth0: Link down\n"
            f"2026-11-29T05:12:10+00:00 {host} kernel: nfs: server 10.0.0.9 not responding, still"
            " trying\n"
        )
    found = investigate([tmp_path], Incident(), shipped())
    assert found.diagnosis is not None
    assert {root.page for root in found.diagnosis.root_causes} == {"fabric-switch-down"}
    assert found.diagnosis.confidence == "INCONCLUSIVE"
