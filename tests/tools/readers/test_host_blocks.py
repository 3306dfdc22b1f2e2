"""Outputs of many hosts below each host's name are read as each host's own."""

from tests.tools.readers.conftest import Read

RULE = "-" * 16
XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=4411, name=python3, GPU has fallen off the bus."
NFS = "nfs: server 10.0.0.9 not responding, still trying"


def test_each_block_is_the_log_of_the_host_above_it(read: Read) -> None:
    """`dshbak` and `clush -b` name the host once; lines keep their places in the whole."""
    text = (
        f"{RULE}\ngpu-14\n{RULE}\n[Sun Nov 29 10:22:01 2026] {XID}\n"
        f"{RULE}\ngpu-15 (1)\n{RULE}\n[123456.700000] {NFS}\n"
    )
    reads = read(text, "t.txt")
    assert [(r.line, r.channel, r.host, r.text) for r in reads.records] == [
        (4, "kernel", "gpu-14", XID),
        (8, "kernel", "gpu-15", NFS),
    ]
    assert reads.accounted("E1") == len(text)


def test_what_many_hosts_printed_alike_names_none_of_them(read: Read) -> None:
    """The lines are seen; on which of the hosts a cause lies nobody can tell from them."""
    (found,) = read(f"{RULE}\ngpu[14-15] (2)\n{RULE}\n[Sun Nov 29 10:22:01 2026] {XID}\n").records
    assert (found.line, found.host, found.text) == (4, "", XID)


def test_a_programs_own_headings_are_no_hosts(read: Read) -> None:
    """What stands between two rules may be a title, or what a program counts."""
    for title in ("RESULTS", "step-1", "2026-11-29"):
        (found,) = read(f"{RULE}\n{title}\n{RULE}\nRuntimeError: boom\n", f"{title}.log").records
        assert (found.host, found.line) == ("", 4)
