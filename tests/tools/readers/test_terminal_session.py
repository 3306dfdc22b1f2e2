"""A pasted session, letter or log is cut into its outputs, and each line keeps its number."""

from pathlib import Path

import pytest

from tests.tools.readers.conftest import Read, Reads, read_paths
from tests.tools.readers.samples import SMI
from tools.source import HEAD

XID = "[Wed Nov 12 02:41:17 2025] NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.\n"
DF = (
    "Filesystem      Size  Used Avail Use% Mounted on\n"
    "/dev/nvme0n1p2  439G  120G  297G  29% /\n"
    "shm              64M   64M     0 100% /dev/shm\n"
)
NODES = (
    "NAME    STATUS   ROLES    AGE   VERSION\n"
    "gpu-03  Ready    <none>   90d   v1.29.4\n"
    "gpu-04  NotReady <none>  90d   v1.29.4\n"
)
PODS = "NAME    READY   STATUS   RESTARTS   AGE\nw-0  1/1  Running   0  9d\n"
POD = """\
Name:             worker-1
Namespace:        train
Node:             <none>
Labels:           app=worker
Status:           Pending
Containers:
  main:
    Limits:
      nvidia.com/gpu:  8
Events:
  Type     Reason            Age   From               Message
  ----     ------            ----  ----               -------
  Warning  FailedScheduling  41m   default-scheduler  0/6 nodes are available, context deadline exceeded
"""  # noqa: E501  # as the program prints it


def accounted(reads: Reads) -> bool:
    """Tell whether spans and gaps add up to the file."""
    return reads.accounted("E1") == reads.evidence[0].size


def stands(text: str, reads: Reads) -> bool:
    """Tell whether each record is found at its line."""
    lines = text.split("\n")
    return all(one.text.split("\n")[0] in lines[one.line - 1] for one in reads.records)


def test_a_log_beside_a_table_is_read_whichever_comes_first(read: Read) -> None:
    """With prompts or without, the kernel's line is the kernel's and the table is the table's."""
    for text in (
        f"$ dmesg -T | tail\n{XID}$ df -h\n{DF}",
        f"$ df -h\n{DF}$ dmesg -T | tail\n{XID}",
        f"{XID}\n{DF}",
        f"{DF}\n{XID}",
        f"{XID}{DF}{XID}",
    ):
        reads = read(text)
        assert {one.channel for one in reads.records} == {"kernel"}, text
        assert [one.values["use_percent"] for one in reads.readings] == [29, 100], text
        rows = [text.split("\n")[one.line - 1].split()[-1] for one in reads.readings]
        assert rows == ["/", "/dev/shm"], text
        assert stands(text, reads), text
        assert accounted(reads), text


def test_a_prompt_and_an_ssh_tell_the_host(read: Read) -> None:
    """What was printed elsewhere is of the host on which it was asked."""
    text = f"[root@login1 ~]# df -h\n{DF}[root@login1 ~]# ssh gpu-04 'dmesg -T | tail'\n{XID}"
    reads = read(text)
    assert [(one.host, one.channel) for one in reads.records] == [("gpu-04", "kernel")]
    assert {one.host for one in reads.readings} == {"login1"}
    assert [one.host for one in read(f"root@gpu-9:~# dmesg -T\n{XID}").records] == ["gpu-9"]


def test_a_pod_and_a_container_are_no_hosts(read: Read) -> None:
    """A prompt in a container shows the container's name."""
    for name in ("4f1c9a77be02", "trainer-7c9f6b5d88-x2x4k", "localhost"):
        reads = read(f"root@{name}:/app# dmesg -T\n{XID}root@{name}:/app# df -h\n{DF}")
        assert {one.host for one in reads.records} == {one.host for one in reads.readings} == {""}


def test_a_pod_that_objects_place_is_its_node(tmp_path: Path) -> None:
    """A table that was read before says where the pod of the prompt runs."""
    table = (
        "NAME      READY   STATUS    RESTARTS   AGE   IP          NODE\n"
        "train-0   1/1     Running   0          3h    10.1.0.10   gpu-01\n"
    )
    (tmp_path / "a.txt").write_text(table)
    (tmp_path / "b.txt").write_text(
        f"root@train-0:/app# dmesg -T\n{XID}root@train-0:/app# df\n{DF}"
    )
    reads = read_paths(tmp_path / "a.txt", tmp_path / "b.txt")
    assert {one.host for one in reads.records} == {"gpu-01"}


def test_only_rows_of_a_table_become_its_objects(read: Read) -> None:
    """A prompt or a log's line below a table is no node; a row with a closed gap still is."""
    reads = read(f"$ kubectl get nodes\n{NODES}$ ssh gpu-04 dmesg -T | tail\n{XID}")
    assert [(one.name, one.line) for one in reads.states] == [("gpu-03", 3), ("gpu-04", 4)]
    assert [one.host for one in reads.records] == ["gpu-04"]
    reads = read(f"{NODES}$ ssh gpu-04\n{XID}")
    assert [one.name for one in reads.states] == ["gpu-03", "gpu-04"]
    reads = read(f"$ kubectl get pods -n ml\n{PODS}$ dmesg -T\n{XID}")
    assert [(one.kind, one.namespace, one.name) for one in reads.states] == [("Pod", "ml", "w-0")]


def test_nothing_is_no_node(read: Read) -> None:
    """A pod that waits runs nowhere."""
    for text in (POD, f"$ kubectl describe pod worker-1\n{POD}$ dmesg -T\n{XID}"):
        reads = read(text)
        assert not any("node" in one.fields or one.host for one in reads.records), text
        assert reads.states[0].content["spec"].get("nodeName") is None  # type: ignore[attr-defined]  # a rebuilt object


def test_a_report_in_a_letter_is_read_quoted_or_not(read: Read) -> None:
    """Values are cited at the lines of the letter on which they stand."""
    letter = "From: li@lab.example\nHi, the card died again, nvidia-smi -q says:\n\n"
    report = SMI.rstrip("\n") + "\n"
    quoted = "".join(f"> {line}\n" for line in report.splitlines())
    for text in (letter + report, letter + quoted + "\nRegards, Li\n"):
        reads = read(text)
        gpu = next(one for one in reads.readings if one.kind == "gpu")
        lines = text.split("\n")
        assert "GPU 00000000:9B:00.0" in lines[gpu.line - 1]
        assert gpu.quotes["uuid"][1] in " ".join(lines[gpu.quotes["uuid"][0] - 1].split())
        assert accounted(reads)


def test_a_report_before_a_log_does_not_hide_it(read: Read) -> None:
    """The report ends where lines begin that are none of its own."""
    reads = read(f"$ nvidia-smi -q\n{SMI.strip()}\n$ dmesg -T | tail\n{XID}")
    assert "kernel" in {one.channel for one in reads.records}
    reads = read(f"{SMI.strip()}\n{XID}")
    assert "kernel" in {one.channel for one in reads.records}
    assert {one.kind for one in reads.readings} == {"gpu", "gpu_host"}


def test_what_date_printed_tells_the_year_and_a_zone_that_is_sure(read: Read) -> None:
    """Stamps without a year lie near it; CST is two zones, so it tells none."""
    line = "Nov 12 02:41:17 gpu-1 kernel: NVRM: Xid (PCI:0000:41:00): 79, fallen off the bus.\n"
    for zone, wanted in (("CST", "unknown"), ("JST", "assumed")):
        for text in (
            f"$ date; uname -r\nThu Nov 13 11:20:01 {zone} 2024\n5.15\n$ journalctl -k\n{line}",
            f"Thu Nov 13 11:20:01 {zone} 2024\n{line}",
        ):
            found = read(text).records[0]
            assert found.time is not None
            assert (found.time.utc.year, found.time.zone) == (2024, wanted), text
    dated = read(f"Thu Nov 13 11:20:01 CST 2025\n{XID}").records
    assert [(one.channel, one.line) for one in dated] == [("kernel", 2)]


def test_waiting_processes_are_known_by_the_columns_asked_for(read: Read) -> None:
    """`grep` drops the heading; the command in the prompt still names the columns."""
    row = "   2211 Ds   rwsem_down_write_slowpath        1840 nvidia-smi\n"
    asked = "$ ps -eo pid,stat,wchan:32,etimes,cmd | grep ' D'\n"
    found = read(f"{asked}{row}$ dmesg -T\n{XID}").readings
    assert [(one.kind, one.values["pid"], one.line) for one in found] == [("process", "2211", 2)]
    assert found[0].values["wchan"] == "rwsem_down_write_slowpath"


def test_a_programs_log_may_print_what_it_likes(read: Read) -> None:
    """In a log a table without a prompt is not the machine's word, nor is the kernel's line."""
    steps = "".join(f"2025-06-20T02:20:{n:02}Z INFO step {n} loss 2.1\n" for n in range(20))
    reads = read(f"{steps}{DF}{XID}{steps}")
    assert not reads.readings
    assert "kernel" not in {one.channel for one in reads.records}
    reads = read(f"{steps}$ df -h\n{DF}")
    assert len(reads.readings) == 2
    for text in (f"{steps}$ dmesg -T\n{XID}", f"$ date; ls\n$ python train.py\n{XID}"):
        assert "kernel" not in {one.channel for one in read(text).records}, text


def test_a_pure_output_is_read_as_it_was(read: Read) -> None:
    """One table, one log, or one prompt with its output has one reader, and keeps its source."""
    for text, source in ((DF, "host"), (PODS + NODES, "kubernetes"), (XID, "host")):
        assert read(text).evidence[0].source == source
        assert read(f"$ something\n{text}").evidence[0].source == source


def test_what_a_person_wrote_below_a_log_is_not_the_logs(read: Read) -> None:
    """The kernel's lines stay the kernel's, however long the letter around them is."""
    words = "Please have a look at this one, we wait for it.\nThanks a lot,\nLi\nLab 7\n"
    reads = read(f"Hi all,\nhere is the box:\n\n$ dmesg -T | tail\n{XID}{words}$ df -h\n{DF}")
    assert [one.channel for one in reads.records] == ["kernel"]
    assert "Thanks" not in reads.records[0].text


def test_what_no_reader_knows_is_said(read: Read) -> None:
    """A file of which most was not understood is not one in which nothing was found."""
    prose = "The quick brown fox looks at the lazy dog and wonders what it is about.\n" * 9
    reads = read(f"$ df -h\n{DF}$ ./own-tool --all\n{prose}")
    assert any("most of this file was not read" in gap.why for gap in reads.gaps)
    assert not read(f"$ df -h\n{DF}$ dmesg -T\n{XID}").gaps


def test_colours_of_a_recorded_terminal_hide_no_prompt(read: Read) -> None:
    """What `script` records holds the terminal's own marks."""
    text = (
        f"\x1b[1;32mroot@gpu-7\x1b[0m:~# dmesg -T\n{XID}\x1b[1;32mroot@gpu-7\x1b[0m:~# df -h\n{DF}"
    )
    reads = read(text)
    assert [(one.host, one.line) for one in reads.records] == [("gpu-7", 2)]
    assert [one.line for one in reads.readings] == [5, 6]
    assert accounted(reads)


def test_a_long_log_is_searched_beside_its_tables(read: Read) -> None:
    """A text of many megabytes is streamed; of its beginning the tables are taken."""
    line = "Nov 12 02:41:17 gpu-1 systemd[1]: Started session 1 of user root.\n"
    text = f"{XID}{DF}" + line * 80_000 + XID
    reads = read(text)
    assert [one.line for one in reads.readings] == [3, 4]
    assert [one.line for one in reads.records] == [1, text.count("\n")]
    assert accounted(reads)


SAMPLED = "timestamp, index, uuid, name, utilization.gpu [%], memory.used [MiB]\n" + "".join(
    f"2026/03/01 00:{n // 60 % 60:02d}:{n % 60:02d}.000, 0,"
    " GPU-00000000-1111-2222-3333-444444444444, NVIDIA H100 80GB HBM3, 95 %, 72000 MiB\n"
    for n in range(2000)
)


@pytest.mark.parametrize("above", ["", "What we sampled since midnight, please have a look:\n\n"])
def test_a_table_longer_than_what_is_sniffed_is_one_table(read: Read, above: str) -> None:
    """Its last row is cut in the sample, and is no text beside it; nor is it cut out twice."""
    assert len(SAMPLED) > 2 * HEAD
    reads = read(above + SAMPLED)
    assert len(reads.readings) == SAMPLED.count("\n") - 1
    assert not reads.gaps
    assert accounted(reads)
