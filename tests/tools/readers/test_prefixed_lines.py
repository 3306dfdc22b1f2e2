"""Logs whose every line begins with what is not its own: a host, a file, a pod, a mark, a name."""

import pytest

from tests.tools.readers.conftest import Read

XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=4411, name=python3, GPU has fallen off the bus."
NFS = "nfs: server 10.0.0.9 not responding, still trying"
ECC = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
SYSLOG = f"Nov 29 10:22:01 gpu-14 kernel: {XID}"
SCOPE = {"now": "2026-11-30T00:00:00Z"}

ON_HOSTS = {
    "syslog": f"gpu-14: {SYSLOG}\ngpu-15: Nov 29 10:22:03 gpu-15 kernel: {NFS}\n",
    "iso": f"gpu-14: 2026-11-29T10:22:01+00:00 gpu-14 kernel: {XID}\n"
    f"gpu-15: 2026-11-29T10:22:03+00:00 gpu-15 kernel: {NFS}\n",
    "dmesg -T": f"gpu-14: [Sun Nov 29 10:22:01 2026] {XID}\n"
    f"gpu-15: [Sun Nov 29 10:22:03 2026] {NFS}\n",
    "dmesg": f"gpu-14: [123456.100000] {XID}\ngpu-15: [   99.100000] {NFS}\n",
    "one search on many": f"gpu-14: /var/log/messages:{SYSLOG}\n"
    f"gpu-15: /var/log/messages:Nov 29 10:22:03 gpu-15 kernel: {NFS}\n",
    "one host did not answer": f"gpu-14: {SYSLOG}\n"
    f"gpu-15: Nov 29 10:22:03 gpu-15 kernel: {NFS}\n"
    "pdsh@admin: gpu-16: ssh exited with exit code 255\n",
}


@pytest.mark.parametrize("kind", ON_HOSTS)
def test_what_ran_on_many_hosts_is_read_host_by_host(read: Read, kind: str) -> None:
    """`pdsh` and `clush` put the host before each line; what follows is that host's log."""
    reads = read(ON_HOSTS[kind], "out.txt", **SCOPE)
    said = [(r.line, r.host, r.channel, r.text) for r in reads.records if r.channel == "kernel"]
    assert said == [(1, "gpu-14", "kernel", XID), (2, "gpu-15", "kernel", NFS)]
    assert reads.accounted("E1") == len(ON_HOSTS[kind])
    assert len({record.clock for record in reads.records}) == len(reads.records)


def test_a_line_without_any_stamp_keeps_the_host_and_is_a_claim(read: Read) -> None:
    """Nothing but its form says that the kernel printed it."""
    (found,) = read(f"gpu-14: {XID}\n", "out.txt").records
    assert (found.host, found.channel, found.text) == ("gpu-14", "quoted", XID)


def test_a_table_printed_on_many_hosts_is_each_hosts_own(read: Read) -> None:
    """A table is known by its heading, once no host stands before it."""
    csv = "{host}: index, pci.bus_id, name\n{host}: 0, 00000000:3B:00.0, NVIDIA H100 80GB HBM3\n"
    reads = read(csv.format(host="gpu-14") + csv.format(host="gpu-15"), "out.txt")
    assert {(reading.host, reading.line) for reading in reads.readings} == {
        ("gpu-14", 2),
        ("gpu-15", 4),
    }


SEARCHED = {
    "recursive": f"/var/log/hosts/gpu-14/kern.log:{SYSLOG}\n",
    "numbered": f"/var/log/hosts/gpu-14/kern.log:4711:{SYSLOG}\n",
    "relative": f"./gpu-14/messages-20261129:{SYSLOG}\n",
    "a file of its own": f"gpu-14.log:{SYSLOG}\n",
    "without its host": f"gpu-14/dmesg.txt:[Sun Nov 29 10:22:01 2026] {XID}\n",
}


@pytest.mark.parametrize("kind", SEARCHED)
def test_what_grep_found_is_read_file_by_file(read: Read, kind: str) -> None:
    """Its line is that of the output; a folder of a host's logs names the host."""
    beside = "/var/log/hosts/gpu-15/kern.log-Nov 29 10:22:02 gpu-15 kernel: usb 1-1: new device\n"
    text = SEARCHED[kind] + "--\n" + beside
    reads = read(text, "found.txt", **SCOPE)
    (found,) = reads.records
    assert (found.line, found.host, found.channel, found.text) == (1, "gpu-14", "kernel", XID)
    assert reads.accounted("E1") == len(text)


def test_what_a_search_left_out_was_not_seen(read: Read) -> None:
    """So the lines it chose cover no time of the kernel's log."""
    reads = read(SEARCHED["recursive"] * 3, "found.txt", **SCOPE)
    assert {span.channel for span in reads.spans} == {"text"}


def test_what_a_search_found_in_a_pods_log_is_the_pods(read: Read) -> None:
    """Its path names namespace, pod and container; what it prints of a kernel is no kernel's."""
    path = "/var/log/pods/train_worker-0_81c1/pytorch/0.log"
    (found,) = read(f"{path}:2026-11-29T10:22:01.5Z stdout F {XID}\n", "found.txt").records
    assert (found.channel, found.fields["pod"], found.unit) == ("app", "worker-0", "pytorch")


def test_each_pod_of_kubectl_logs_has_lines_of_its_own(read: Read) -> None:
    """`--prefix` names pod and container; stamp and rank are what the program wrote."""
    text = (
        f"[pod/trainer-0/pytorch] 2026-11-29T10:22:01Z {ECC}\n"
        "[pod/trainer-1/pytorch] 2026-11-29T10:32:01Z [rank1]:[E1129 10:32:01.000 "
        "ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout\n"
    )
    ecc, late = read(text, "logs.txt").records
    assert (ecc.line, ecc.channel, ecc.unit, ecc.fields["pod"]) == (
        1, "app", "pytorch", "trainer-0",
    )  # fmt: skip
    assert ecc.time is not None
    assert ecc.time.original == "2026-11-29T10:22:01Z"
    assert (late.line, late.fields["pod"], late.fields["rank"]) == (2, "trainer-1", "1")


def test_lines_that_a_mail_repeats_are_a_claim(read: Read) -> None:
    """They keep host and time; what was written below them is none of theirs."""
    text = (
        f"> {SYSLOG}\n> Nov 29 10:22:09 gpu-14 train[4411]: {ECC}\n"
        "Thanks for the report, draining now.\n"
    )
    kernel, program = read(text, "mail.txt", **SCOPE).records
    assert (kernel.line, kernel.channel, kernel.host, kernel.text) == (1, "quoted", "gpu-14", XID)
    assert (program.line, program.channel, program.host) == (2, "app", "gpu-14")
    assert program.text == ECC
    assert kernel.time is not None


CHATS = {
    "slack": ("[10:21] anna: ", "[10:23] ben: "),
    "irc": ("10:21 <anna> ", "10:23 <@ben> "),
    "telephone": ("[29/11/2026, 10:21:07] Anna: ", "[29/11/2026, 10:23:00] Ben B: "),
}


@pytest.mark.parametrize("kind", CHATS)
@pytest.mark.parametrize("behind", [False, True])
def test_a_line_pasted_into_a_chat_is_a_claim(read: Read, kind: str, *, behind: bool) -> None:
    """Below a speaker's name or right behind it, whatever the talk is about."""
    anna, ben = CHATS[kind]
    says = f"{ben}{XID}" if behind else f"{ben}dmesg says\n{XID}"
    text = f"{anna}hey, job 7781 hangs, loss not moving since ~10:10\n{says}\n{anna}ok\n"
    (found,) = read(text, "chat.txt").records
    assert (found.channel, found.text) == ("quoted", XID)
    assert found.line == (2 if behind else 3)


PLAIN = {
    "levels": f"ERROR: 2026-11-29 10:22:01 {ECC}\n",
    "ranks": f"rank0: 2026-11-29 10:22:01 {ECC}\nrank1: 2026-11-29 10:22:01 {ECC}\n",
    "warnings": f"/usr/lib/python3/torch/cuda.py:129: UserWarning: {ECC}\n",
    "stamps": f"[10:21] INFO: {XID}\n[10:22] INFO: step 2 loss 2.0\n",
    "loggers": f"torch.distributed:2026-11-29 10:22:01 {ECC}\n",
    "kernel": f"mlx5_0: port 1 up\nnvme0: {NFS}\n",
}


@pytest.mark.parametrize("kind", PLAIN)
def test_what_a_program_begins_its_lines_with_is_no_prefix(read: Read, kind: str) -> None:
    """A level, a rank, a line of source or a device is no host, no file and nobody who speaks."""
    for record in read(PLAIN[kind], "x.log").records:
        assert record.host == ""
        assert record.text.split(":")[0] == PLAIN[kind].splitlines()[record.line - 1].split(":")[0]


def test_a_program_that_prints_marks_quotes_nothing(read: Read) -> None:
    """Where the place says that a program wrote it, no prefix makes its words another's."""
    text = f"gpu-14: {SYSLOG}\n"
    assert {r.channel for r in read(text, "app/rank0.log").records} == {"app"}
    assert {r.channel for r in read(f"> {SYSLOG}\n", "app/rank0.log").records} == {"app"}


def test_each_task_of_srun_is_a_rank_of_its_job(read: Read) -> None:
    """`--label` puts the task's number before each line, padded to one width."""
    text = (
        f" 0: [2026-11-29 10:22:01] INFO step 7\n12: [2026-11-29 10:22:02] ERROR {ECC}\n"
        f" 0: [2026-11-29 10:22:03] INFO step 8\n12: {XID}\n"
    )
    reads = read(text, "slurm-4711.out", **SCOPE)
    (first, *_) = reads.records
    assert (first.line, first.channel) == (2, "app")
    assert first.text.startswith(f"[2026-11-29 10:22:02] ERROR {ECC}")
    assert {(r.fields["rank"], r.fields["job"]) for r in reads.records} == {("12", "slurm:4711")}
    loose = read(text, "training.log", **SCOPE).records
    assert {(r.channel, r.fields["rank"], r.fields["job"]) for r in loose} == {
        ("app", "12", "training")
    }
    assert reads.accounted("E1") == len(text)


STAMP = "2026-11-29 10:22:01 ERROR "


@pytest.mark.parametrize(
    "text",
    [
        "1: {0}\n2: ok\n3: ok\n", "101: {0}\n101: ok\n102: ok\n",
        f"1: {STAMP}{{0}}\n2: {STAMP}ok\n3: {STAMP}ok\n",
    ],
)  # fmt: skip
def test_numbered_lines_are_no_tasks(read: Read, text: str) -> None:
    """`grep -n` names each line once, and tasks are counted from nought."""
    found = read(text.format(ECC), "notes.txt", **SCOPE).records
    assert not [record for record in found if "rank" in record.fields]


def test_each_service_of_compose_has_lines_of_its_own(read: Read) -> None:
    """What a container prints is an application's, whatever it claims."""
    text = (
        f"trainer-1  | 2026-11-29T10:22:01Z {ECC}\ndb-1       | 2026-11-29T10:22:02Z ready\n"
        f"trainer-1  | 2026-11-29T10:22:03Z {XID}\n"
    )
    reads = read(text, "compose.txt", **SCOPE)
    said = {(r.line, r.unit, r.channel, r.text.partition(" ")[2]) for r in reads.records}
    assert said == {(1, "trainer-1", "app", ECC), (3, "trainer-1", "app", XID)}


def test_a_persons_table_of_hosts_is_no_output_of_compose(read: Read) -> None:
    """What it quotes of a kernel stays a claim."""
    found = read(f"gpu-14 | {XID}\ngpu-15 | {NFS}\n", "note.txt", **SCOPE).records
    assert "app" not in {record.channel for record in found}
