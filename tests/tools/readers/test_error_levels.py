"""Facts about lines that their own writers call errors."""

import json

import pytest

from tests.tools.readers.conftest import Read
from tools.error_levels import MARKS, is_called_error

CALLED = [
    "FATAL: quorum lost, volume /scratch is offline",
    "2025-06-20 02:10:11.530 UTC [812] FATAL:  the database system is shutting down",
    "2025-06-20 02:10:11,530 ERROR acme.loader: shard 17 is unreadable",
    "CRITICAL:root:index is corrupt",
    'time="2025-06-20T02:10:11Z" level=error msg="no leader for 12 s"',
    '{"level":"error","ts":"2025-06-20T02:10:11Z","msg":"no leader"}',
    '{"ts":1750385411.5,"severity": "ERROR","message":"no leader"}',
    "E0620 02:10:11.530123    1234 acme.go:12] no leader",
    "F0620 02:10:11.530123    1234 acme.go:12] giving up",
    "[E0620 02:10:11.530123000 acme.cpp:12] no leader",
    "2025/06/20 02:10:11 [error] 812#812: *1 upstream timed out",
    "error: acme_plugin: no answer from the controller",
    "slurmacme: fatal: cannot read /etc/acme.conf",
    "panic: runtime error: index out of range",
    "cannot connect to license server lic01:27000, giving up",
    "RuntimeWarning: checkpoint save failed, will retry at the next interval",
    "nvidia-persistenced.service: Main process exited, code=exited, status=1/FAILURE",
    "train(3) [Remoting (stat)] >> Communication error. Is the server reachable?",
    "eid=5 class=statechange pool='tank' vdev=sdc state=FAULTED",
    "数据读取失败，重试 3 次后放弃",
    "W0620 02:10:11.530123    1234 acme.go:12] failed to renew the lease",
    "Failed to mount /data",
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='s3', port=443)",
    "Killed",
    "./run.sh: line 12: 41022 Killed                  python train.py",
    "WARN rail 3: link unusable, traffic moved to rail 2",
    "2025-06-20T02:10:11.530123Z 0 [ERROR] [MY-012592] [InnoDB] Operating system error number 5",
    "volume pool1 failed: 3 disks gone, 0 errors corrected",
    "shard allocation failed on 3 disks, no data lost yet",
    "node 2 failed; cluster continues without failed node",
    "no errors before, then the controller failed",
    "could not read corrupted block 77",
    "disk no 3 failed",
    "rank 0 died of signal 7",
    "检查失败，错误数：0",
]
NOT_CALLED = [
    "rpc finished, error: none",
    "Killed 3 stale workers before start",
    "client asked for level=errors of the report",
    "0 ERRORs in 120 lines",
    "checked 8 disks, 0 failed, no errors",
    "scrub finished without errors",
    "found 0 errors, 0 failed disks and no lost data",
    "it was never degraded",
    "ERST: Error Record Serialization Table (ERST) support is initialized.",
    "HEST: Enabling Firmware First mode for corrected errors.",
    "RAS: Correctable Errors collector initialized.",
    "File System Check was skipped because of a failed condition check (ConditionPathExists=!/).",
    "systemd-modules-load.service: ConditionKernelCommandLine=|rd.modules_load failed.",
    "错误数：0",
    "EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: errors=remount-ro",
    "INFO: the last attempt failed, the next one was well",
    "I0620 02:10:11.530123    1234 prober.go:107] Probe failed",
    "starting failover test, error_count=0",
    "MAX_ERROR=3 of acme",
    '{"level":"info","msg":"retrying","error":"context canceled"}',
    'time="2025-06-20T02:10:11Z" level=info msg="ERROR_PAGE is set"',
    "I0620 02:10:11.530123    1234 acme.go:12] E0 is the first register",
    "GET /errors/FATAL.html 200",
    "step 10 loss 2.31 grad_norm 1.2",
]


@pytest.mark.parametrize("line", CALLED)
def test_a_line_says_by_word_level_or_letter_that_it_is_an_error(line: str) -> None:
    """Each of the usual spellings is known, and holds what is scanned for."""
    assert is_called_error(line, {})
    assert any(mark in f"\n{line}" for mark in MARKS)


@pytest.mark.parametrize("line", NOT_CALLED)
def test_a_word_that_is_no_level_says_nothing(line: str) -> None:
    """The same words elsewhere in a line call it no error."""
    assert not is_called_error(line, {})


@pytest.mark.parametrize(
    ("priority", "expected"), [("0", True), ("3", True), ("4", False), ("6", False), ("", False)]
)
def test_the_journals_priority_says_it_without_a_word(priority: str, *, expected: bool) -> None:
    """Up to 3 (err) a daemon told the journal that it is an error; 4 is a warning."""
    assert is_called_error("mailbox 7 is full", {"priority": priority}) is expected


SAID = "acmefs: FATAL: quorum lost"


def _entry(priority: int, text: str) -> str:
    return (
        f"__CURSOR=c{priority}\n__REALTIME_TIMESTAMP=1750385411000000\n_HOSTNAME=n1\n"
        f"_TRANSPORT=syslog\nSYSLOG_IDENTIFIER=acmed\nPRIORITY={priority}\nMESSAGE={text}\n\n"
    )


EXPORT = _entry(3, "mailbox refused") + _entry(6, "mailbox opened") + _entry(6, SAID)
JOURNAL_JSON = "".join(
    json.dumps(
        {
            "__REALTIME_TIMESTAMP": "1750385411000000", "_HOSTNAME": "n1", "_TRANSPORT": "syslog",
            "SYSLOG_IDENTIFIER": "acmed", "PRIORITY": priority, "MESSAGE": text,
        },
        separators=(",", ":"),
    ) + "\n"
    for priority, text in (("3", "mailbox refused"), ("6", "mailbox opened"), ("6", SAID))
)  # fmt: skip
SYSLOG = f"""\
2025-06-20T02:10:11+00:00 n1 acmed[7]: mailbox opened
2025-06-20T02:10:12+00:00 n1 acmed[7]: no error: all is well
2025-06-20T02:10:13+00:00 n1 {SAID}
2025-06-20T02:10:14+00:00 n1 kubelet[9]: E0620 02:10:14.530123    1234 acme.go:12] no leader
"""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (EXPORT, ["mailbox refused", SAID]),
        (JOURNAL_JSON, ["mailbox refused", SAID]),
        (SYSLOG, ["FATAL: quorum lost", "E0620 02:10:14.530123    1234 acme.go:12] no leader"]),
    ],
    ids=["export", "json", "syslog"],
)
def test_what_is_called_an_error_is_read_without_any_literal(
    content: str, expected: list[str], read: Read
) -> None:
    """Each carrier yields them where they are asked for, and nothing beside them."""
    assert [record.text for record in read(content, literals=(), errors=True).records] == expected
    assert not read(content, literals=()).records


def test_a_steady_stream_of_errors_is_thinned_and_counted(read: Read) -> None:
    """Of a thousand in a quarter of an hour a few are read, which stand for all."""
    lines = (
        f"2025-06-20T02:{n // 60:02d}:{n % 60:02d}+00:00 n1 acmed[7]: ERROR: no leader, try {n}\n"
        for n in range(800)
    )
    records = read("".join(lines), literals=(), errors=True).records
    assert len(records) < 10
    assert sum(record.stands_for for record in records) == 800


def test_a_priority_that_is_no_number_calls_nothing_an_error() -> None:
    """Superscripts are digits to Python and no numbers."""
    assert not is_called_error("hello", {"priority": "²"})
