"""`squeue` as Slurm 22.05 printed it over a cluster with a drained and two absent nodes."""

from tests.tools.readers.conftest import Read
from tests.tools.readers.test_sinfo import BY_NODE

NONE_LEFT = (
    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
)
QUEUE = f"""\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
                13     maint     wrap     root PD       0:00      1 ({NONE_LEFT})
                 2     train     wrap     root PD       0:00      1 (Resources)
                 4     train     wrap     root PD       0:00      3 (ReqNodeNotAvail, \
UnavailableNodes:gpu-n[02-04])
          10_[1-3]     train a long n     root PD       0:00      1 (Priority)
                 1     train     wrap     root  R       0:05      1 gpu-n01
"""
LONG = """\
Mon Nov 30 17:51:34 2026
             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)
                 5     downp     wrap     root  PENDING       0:00 UNLIMITED      1 (PartitionDown)
              7_12     train     wrap     root COMPLETI 1-02:03:04 UNLIMITED      2 gpu-n[01-02]
"""
START = """\
             JOBID PARTITION     NAME     USER ST          START_TIME  NODES SCHEDNODES           \
NODELIST(REASON)
                 8     train     wrap     root PD 2026-11-30T18:51:26      1 (null)               \
(BeginTime)
"""
BARS = """\
JOBID|STATE|REASON|NODELIST
3|PENDING|ReqNodeNotAvail, UnavailableNodes:gpu-n02|
1|RUNNING|None|gpu-n01
"""


def test_each_job_has_its_state_and_what_it_waits_for(read: Read) -> None:
    """A name may hold blanks, a reason too; an array that waits is one job."""
    found = [(one.values["job"], one.values["state"], one.values.get("reason"), one.line)
             for one in read(QUEUE).readings if one.values["job"] != "4"]  # fmt: skip

    assert found == [
        ("13", "PENDING", NONE_LEFT, 2),
        ("2", "PENDING", "Resources", 3),
        ("10", "PENDING", "Priority", 5),
        ("1", "RUNNING", None, 6),
    ]  # fmt: skip


def test_the_nodes_that_a_job_waits_for_are_named_one_by_one(read: Read) -> None:
    """Older versions put them between brackets; a long list tells nothing of one node."""
    old = QUEUE.replace(", UnavailableNodes:gpu-n[02-04]", "(Unavailable:gpu-n07)")
    long = QUEUE.replace("gpu-n[02-04]", "gpu-n[02-99]")

    def awaited(text: str) -> list[object]:
        readings = read(text).readings
        return [one.values.get("unavailable") for one in readings if one.values["job"] == "4"]

    assert awaited(QUEUE) == ["gpu-n02", "gpu-n03", "gpu-n04"]
    assert awaited(old) == ["gpu-n07"]
    assert awaited(long) == [None]


def test_a_job_that_runs_is_placed_on_its_nodes(read: Read) -> None:
    """One that waits is nowhere; one that ends still is where it ran."""
    (place,) = read(QUEUE).states
    long = read(LONG)

    assert (place.name, place.content["job"], place.line) == ("gpu-n01", "1", 6)
    assert [(one.name, one.content["job"]) for one in long.states] == [
        ("gpu-n01", "7_12"), ("gpu-n02", "7_12"),
    ]  # fmt: skip
    assert long.readings[1].values["state"] == "COMPLETING"


def test_the_printed_time_is_when_it_was_so(read: Read) -> None:
    """Without a zone it is only that of the host's clock."""
    observed = read(LONG, zone="+08:00").readings[0].observed

    assert observed is not None
    assert observed.utc.isoformat() == "2026-11-30T09:51:34+00:00"
    assert read(QUEUE).readings[0].observed is None


def test_expected_starts_and_other_columns_are_read(read: Read) -> None:
    (waits,) = read(START).readings
    bars = read(BARS)

    assert (waits.values["reason"], waits.values["start"]) == ("BeginTime", "2026-11-30T18:51:26")
    assert bars.readings[0].values["unavailable"] == "gpu-n02"
    assert [one.name for one in bars.states] == ["gpu-n01"]


def test_columns_that_were_asked_for_are_read(read: Read) -> None:
    """In any order; where the last one is empty the job has no nodes."""
    asked = """\
JOBID NAME STATE NODELIST
63532 llm-3 RUNNING gpu-n[01-02]
63533 eval of it PENDING
"""
    reads = read(asked)

    assert [(one.name, one.content["job"]) for one in reads.states] == [
        ("gpu-n01", "63532"), ("gpu-n02", "63532"),
    ]  # fmt: skip
    assert (reads.readings[1].values["name"], reads.readings[1].values["state"]) == (
        "eval of it", "PENDING",
    )  # fmt: skip


def test_a_ticket_with_both_tables_is_read(read: Read) -> None:
    """A log in which a script printed a queue stays a log."""
    ticket = f"Hi, my job does not start:\n\n{QUEUE}\nand\n\n{BY_NODE}\nthanks\n"
    kinds = {one.kind for one in read(ticket).readings}
    log = "2026-11-30T17:51:34Z starts\n" * 4 + QUEUE + "2026-11-30T17:51:36Z RuntimeError: x\n"
    (error,) = read(log, "train.log").records

    assert kinds == {"slurm_job", "slurm_node"}
    assert error.time is not None


def test_a_queue_pasted_into_a_session_is_read(read: Read) -> None:
    session = f"ops@head-1:~$ squeue\n{QUEUE}ops@head-1:~$ \n"

    assert {one.values["job"] for one in read(session).readings} == {"13", "2", "4", "10", "1"}


def test_every_byte_of_a_queue_is_accounted_for(read: Read) -> None:
    reads = read(QUEUE)

    assert reads.accounted(reads.evidence[0].id) == len(QUEUE)
    assert not reads.gaps
