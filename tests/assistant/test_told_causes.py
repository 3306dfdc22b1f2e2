"""A cause that a log tells in its own words comes before one that would have to be inferred."""

from datetime import UTC, datetime
from pathlib import Path

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)


def _diagnose(tmp_path: Path, logs: dict[str, tuple[str, ...]]) -> Diagnosis:
    """Diagnose the logs of hosts; each line begins with its minute and second."""
    for host, lines in logs.items():
        stamped = (f"2026-11-29T02:{line[:5]}+00:00 {host} {line[6:]}\n" for line in lines)
        (tmp_path / f"{host}.log").write_text("".join(stamped))
    found = investigate(sorted(tmp_path.glob("*.log")), Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


def test_hosts_whose_bonds_lost_all_links_do_not_blame_the_file_server(tmp_path: Path) -> None:
    """Their stalled mounts follow from the network: what the bonds share is the lead."""
    cut_off = (
        "00:00 kernel: bond0: (slave ens1f0): link status definitely down, disabling slave",
        "00:00 kernel: bond0: (slave ens1f1): link status definitely down, disabling slave",
        "00:01 kernel: bond0: now running without any active interface!",
        "03:02 kernel: nfs: server nfs01 not responding, still trying",
        "05:10 kernel: INFO: task python3:5 blocked for more than 120 seconds.",
    )
    found = _diagnose(tmp_path, {f"gpu-r1-{number}": cut_off for number in (1, 2, 3)})
    (root,) = found.root_causes
    assert (root.page, root.confidence) == ("fabric-switch-down", "INCONCLUSIVE")
    others = {hypothesis.page for hypothesis in found.hypotheses}
    assert "bond-without-member" in others
    assert "storage-server-unavailable" not in others


def test_a_dns_server_that_asks_itself_explains_names_that_nobody_resolves(tmp_path: Path) -> None:
    """Its own last line says so; the hosts only see that nothing answers."""
    lost = "31:11 train[9]: socket.gaierror: [Errno -3] Temporary failure in name resolution"
    loop = (
        "30:00 coredns[5]: [FATAL] plugin/loop: Loop (127.0.0.1:55953 -> :53) detected for zone"
        ' ".", see https://coredns.io/plugins/loop#troubleshooting'
    )
    found = _diagnose(tmp_path, {"cp-1": (loop,), "gpu-1": (lost,), "gpu-2": (lost,)})
    assert found.hypotheses[0].page == "dns-server-loops"


def test_a_bad_sector_under_a_target_explains_its_read_only_file_system(tmp_path: Path) -> None:
    """Lustre's own file system speaks as ext4 does, under another name."""
    target = (
        "10:00 kernel: sd 4:0:12:0: [sdm] Sense Key : Medium Error [current]",
        "10:00 kernel: blk_update_request: critical medium error, dev sdm, sector 88123412",
        "10:05 kernel: LDISKFS-fs error (device dm-3): ldiskfs_find_entry:1463: inode #2: comm ll",
        "10:05 kernel: LDISKFS-fs (dm-3): Remounting filesystem read-only",
    )
    found = _diagnose(tmp_path, {"oss-03": target})
    assert [root.page for root in found.root_causes] == ["disk-io-error"]
