"""What a person copied from the kernel's log into a text, and what no program may claim."""

import pytest

from tests.tools.readers.conftest import Read

XID = "NVRM: Xid (PCI:0000:1a:00): 79, pid=77120, name=python3, GPU has fallen off the bus."
STAMPED = f"[Tue Mar 11 02:13:22 2025] {XID}"
ENGLISH = """\
Hi team,
job llama hangs since 2am on gpu-17, nvidia-smi does not answer.
NCCL reports a timeout on rank 8, and loss stopped at step 900.
dmesg says:
{line}
Out of memory? No: somebody wrote that NVRM: Xid 79 means fallen off the bus.
Please help, "nfs: server X not responding" was another day.
"""
CHINESE = """\
工单编号: 20250311-008
描述: 训练任务从凌晨2:13开始卡住，gpu-17 上 nvidia-smi 无响应，dmesg 里有 Xid 79，
GPU has fallen off the bus。其他节点没有升级，都正常。
粘贴:
{line}
听说以前 nfs: server 10.0.0.1 not responding 也出现过，请尽快处理。
"""


def kernels(read: Read, text: str, name: str = "note.txt", **scope: object) -> list[str]:
    return [r.text for r in read(text, name, **scope).records if r.channel in {"quoted", "kernel"}]


@pytest.mark.parametrize(
    "text", [ENGLISH, CHINESE, "{line}\n", "mlx5_core 0000:5e:00.0: x\n{line}\n"]
)
@pytest.mark.parametrize(
    "line", [XID, f"> {XID}", f"    {XID}", f"`{XID}", STAMPED, f"> {STAMPED}",
             f"[1209841.560030] {XID}", f"Mar 11 02:13:22 gpu-17 kernel: {XID}",
             f"> 2025-03-11T02:13:22.101+08:00 gpu-17 kernel: {XID}",
             f"    2025-03-11T02:13:22+0800 gpu-17 kernel: {XID}"]
)  # fmt: skip
def test_a_pasted_line_is_the_kernels_and_prose_is_not(read: Read, text: str, line: str) -> None:
    """With its stamp or without, set off or not; what people write around it stays theirs."""
    (found,) = kernels(read, text.format(line=line))
    assert found.rstrip() == XID


def test_a_pasted_line_keeps_what_it_states(read: Read) -> None:
    """Host and time of the line itself are part of the claim; nothing else dates it."""
    said = "Mar 11 02:13:22 2025 gpu-17 kernel: "
    (stated,) = (r for r in read(ENGLISH.format(line=said + XID)).records if r.channel == "quoted")
    assert (stated.host, stated.time is not None) == ("gpu-17", True)
    (bare,) = (r for r in read(ENGLISH.format(line=XID)).records if r.channel == "quoted")
    assert (bare.host, bare.time) == ("", None)


def test_a_mail_may_quote_the_kernel_beside_a_program(read: Read) -> None:
    """Each quoted line keeps its writer: what the program printed is no claim of the kernel's."""
    stamp = "> 2025-10-12T23:21:44.101+08:00"
    text = (
        "From: Li Wei <li@example.com>\nSubject: Re: job 9917 died\n\nthe network is broken.\n\n"
        f"> kernel log from gpu-05:\n{stamp} gpu-05 kernel: {XID}\n"
        f"{stamp} gpu-06 python[811]: [rank9]: Watchdog caught collective operation timeout\n"
    )
    kernel, program = read(text).records
    assert (kernel.channel, kernel.host, kernel.text) == ("quoted", "gpu-05", XID)
    assert kernel.time is not None
    assert kernel.time.zone == "stated"
    assert (program.channel, program.time is not None) == ("app", True)


def test_what_a_mail_repeats_of_a_program_is_not_the_mails_own(read: Read) -> None:
    """However much of a job's log a person repeats, the text stays a person's."""
    job = "> step 10 loss 2.1\n> [rank0]: NCCL watchdog\n> RuntimeError: CUDA error\n"
    text = f"gpu-17 looks bad.\nWe saw this today:\n> {XID}\n{job}It is there again,\nsince noon.\n"
    assert kernels(read, f"{text}Who can look?\n") == [XID]


PROGRAMS = {
    "training": "epoch 1 step 10 loss 2.1\n{line}\nepoch 1 step 20 loss 2.0\n",
    "levels": "INFO starting up\nINFO ready\n{line}\nERROR gave up\n",
    "stamps": "2025-03-11 02:13:20,100 ready\n{line}\n2025-03-11 02:13:23,100 bye\n",
    "greeting": "Hello from rank 0!\n{line}\nstep 1 loss 2.0\nstep 2 loss 2.0\n",
    "traceback": 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n{line}\n',
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("line", [XID, STAMPED, f"Mar 11 02:13:22 gpu-17 kernel: {XID}"])
def test_what_a_program_prints_is_never_the_kernels(read: Read, program: str, line: str) -> None:
    """A log shows by its own lines that a program wrote it."""
    assert not kernels(read, PROGRAMS[program].format(line=line))


def test_beside_a_programs_syslog_only_a_whole_line_counts(read: Read) -> None:
    """What has no head of its own there was printed by the program."""
    text = "Mar 11 02:13:22 h app[1]: up\n" * 3 + "{line}\n"
    assert not kernels(read, text.format(line=XID))
    assert not kernels(read, text.format(line=STAMPED))
    assert kernels(read, text.format(line=f"Mar 11 02:13:22 gpu-17 kernel: {XID}")) == [XID]


@pytest.mark.parametrize("name", ["app/rank0.log", "logs/ml/train-0/main.log", "slurm-8812.out"])
def test_a_place_that_belongs_to_programs_quotes_nothing(read: Read, name: str) -> None:
    """Where a bundle says whose output it is, a letter's form does not help."""
    assert not kernels(read, ENGLISH.format(line=XID), name)
