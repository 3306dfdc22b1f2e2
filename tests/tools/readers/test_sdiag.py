"""`sdiag`, as Slurm 22.05 printed it."""

from tests.tools.readers.conftest import Read

BUSY = """\
*******************************************************
sdiag output at Mon Nov 30 17:51:35 2026 (1796061095)
Data since      Mon Nov 30 17:51:27 2026 (1796061087)
*******************************************************
Server thread count:  3
Agent queue size:     0
Agent count:          1
Agent thread count:   5
DBD Agent queue size: 0

Jobs submitted: 16
Jobs started:   1
Jobs completed: 0
Jobs canceled:  0
Jobs failed:    0

Job states ts:  Mon Nov 30 17:51:27 2026 (1796061087)
Jobs pending:   16
Jobs running:   0

Main schedule statistics (microseconds):
\tLast cycle:   2322
\tMax cycle:    2322
\tTotal cycles: 1
\tMean cycle:   2322
\tMean depth cycle:  10
\tLast queue length: 10

Backfilling stats
\tTotal backfilled jobs (since last slurm start): 0
\tTotal backfilled jobs (since last stats cycle start): 0
\tTotal backfilled heterogeneous job components: 0
\tTotal cycles: 0
\tLast cycle when: N/A
\tLast cycle: 0
\tMax cycle:  0
\tLast depth cycle: 0
\tLast depth cycle (try sched): 0
\tLast queue length: 0
\tLast table size: 0

Latency for 1000 calls to gettimeofday(): 25 microseconds

Remote Procedure Call statistics by message type
\tREQUEST_SUBMIT_BATCH_JOB                ( 4003) count:14     ave_time:1066   total_time:14926
\tREQUEST_JOB_INFO                        ( 2003) count:4      ave_time:173    total_time:695

Remote Procedure Call statistics by user
\troot            (       0) count:43     ave_time:457    total_time:19670

Pending RPC statistics
\tNo pending RPCs
"""


def test_threads_queues_and_cycles_are_read(read: Read) -> None:
    """The two schedulers use the same words, each below its own heading."""
    values = read(BUSY).readings[0].values

    assert (values["server_threads"], values["agent_queue"], values["accounting_queue"]) == (
        3,
        0,
        0,
    )
    assert (values["jobs_pending"], values["jobs_running"]) == (16, 0)
    assert (values["main_last_cycle_us"], values["main_last_queue_length"]) == (2322, 10)
    assert (values["backfill_last_cycle_us"], values["backfill_cycles"]) == (0, 0)


def test_what_was_asked_and_by_whom_is_counted(read: Read) -> None:
    calls = [one.values for one in read(BUSY).readings if one.kind == "slurm_calls"]

    assert [
        (one.get("request"), one.get("user"), one["count"], one["mean_us"]) for one in calls
    ] == [
        ("REQUEST_SUBMIT_BATCH_JOB", None, 14, 1066),
        ("REQUEST_JOB_INFO", None, 4, 173),
        (None, "root", 43, 457),
    ]


def test_it_says_itself_when_it_was_so(read: Read) -> None:
    """Beside the local time it prints the seconds since 1970."""
    observed = read(BUSY).readings[0].observed

    assert observed is not None
    assert observed.utc.isoformat() == "2026-11-30T17:51:35+00:00"


def test_a_count_is_quoted_as_it_was_printed(read: Read) -> None:
    line, words = read(BUSY).readings[0].quotes["accounting_queue"]

    assert words == "DBD Agent queue size: 0"
    assert BUSY.splitlines()[line - 1] == words


def test_every_byte_is_accounted_for(read: Read) -> None:
    reads = read(BUSY)

    assert reads.accounted(reads.evidence[0].id) == len(BUSY)
    assert not reads.gaps
