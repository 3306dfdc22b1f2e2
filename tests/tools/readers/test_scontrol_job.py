"""`scontrol show job`, as Slurm 22.05 printed it."""

from tests.tools.readers.conftest import Read

JOBS = """\
JobId=1 JobName=train it
   UserId=root(0) GroupId=root(0) MCS_label=N/A
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   StartTime=2026-11-30T17:51:29 EndTime=2026-12-30T17:51:29 Deadline=N/A
   Partition=train AllocNode:Sid=localhost:18750
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=gpu-n01
   Power=


JobId=4 JobName=wrap
   UserId=root(0) GroupId=root(0) MCS_label=N/A
   JobState=PENDING Reason=ReqNodeNotAvail,_UnavailableNodes:gpu-n[02-03] Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   StartTime=Unknown EndTime=Unknown Deadline=N/A
   Partition=train AllocNode:Sid=localhost:18750
   ReqNodeList=gpu-n[02-03] ExcNodeList=(null)
   NodeList=(null)

JobId=5 ArrayJobId=5 ArrayTaskId=2 JobName=eval
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=3:0
   StartTime=2026-11-30T17:51:29 EndTime=2026-11-30T17:52:29 Deadline=N/A
   NodeList=gpu-n01
"""


def test_each_jobs_state_and_reason_are_read(read: Read) -> None:
    """Underscores stand for blanks; a job that waits for two nodes is told of each."""
    found = [(one.values["job"], one.values["state"], one.values.get("unavailable"), one.line)
             for one in read(JOBS).readings]  # fmt: skip

    assert found == [
        ("1", "RUNNING", None, 1), ("4", "PENDING", "gpu-n02", 12),
        ("4", "PENDING", "gpu-n03", 12), ("5", "FAILED", None, 21),
    ]  # fmt: skip


def test_only_what_ended_has_an_end_and_a_code(read: Read) -> None:
    """The end of a job that runs is its time limit."""
    runs, *_, failed = read(JOBS, zone="+08:00").readings

    assert not {"end", "exit_code"} & runs.values.keys()
    assert (failed.values["exit_code"], failed.values["signal"]) == (3, 0)
    assert failed.values["end"] == "2026-11-30T09:52:29+00:00"
    assert (runs.values["name"], failed.values["name"]) == ("train it", "eval")


def test_a_reason_is_quoted_as_it_was_printed(read: Read) -> None:
    _, waits, *_ = read(JOBS).readings
    line, words = waits.quotes["reason"]

    assert waits.values["reason"] == "ReqNodeNotAvail, UnavailableNodes:gpu-n[02-03]"
    assert words == JOBS.splitlines()[line - 1].strip()
