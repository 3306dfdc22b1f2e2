"""An output is known by its heading and ends with its last own line."""

import pytest

from tests.tools.readers.samples import SMI
from tools.tables import may_hold_table, tables_of

DF = (
    "Filesystem           1K-blocks      Used Available Use% Mounted on\n"
    "nas01:/export/a-very-long-name\n"
    "                     103081248  51540624  46281280  53% /data\n"
)
PODS = "NAME    READY   STATUS   RESTARTS   AGE\nw-0  1/1  Running   3 (5m ago)   9d\n"
PS = "    PID STAT COMMAND\n   2211 Ds   nvidia-smi -q\n"
POD = "Name:      w-0\nNamespace: ml\n\nStatus:    Pending\nEvents:    <none>\n"
TABLE = (
    "Wed Sep  2 10:41:12 2026\n+-----------------+\n| NVIDIA-SMI 550.127.08  Driver |\n"
    "+-----------------+\n\n+-----------------+\n| Processes:      |\n+-----------------+\n"
)
CSV = (
    "index, name, power.draw [W], clocks.current.sm [MHz]\n"
    "0, NVIDIA H100 80GB HBM3, 690.11 W, 1755 MHz\n1, NVIDIA H100 80GB HBM3, 240.00 W, 345 MHz\n"
)
QUEUE = (
    "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
    "                 4     train     a job    root PD       0:00      3 (ReqNodeNotAvail, "
    "UnavailableNodes:gpu-n[02-04])\n"
    "                 1     train     wrap     root  R       0:05      1 gpu-n01\n"
)
NODES = (
    "Mon Nov 30 17:51:35 2026\n"
    "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON\n"
    "gpu-n02        1    train*     drained 1       1:1:1    100        0      1   (null) none\n"
)
AFTER = "[Wed Nov 12 02:41:17 2025] NVRM: Xid (PCI:0000:41:00): 79, fallen off\nRegards, Li\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [("df", DF), ("kubectl", PODS), ("ps", PS), ("describe", POD), ("smi", TABLE),
     ("smi csv", CSV), ("squeue", QUEUE), ("sinfo", NODES),
     ("smi -q", SMI.lstrip("\n").rstrip("\n") + "\n"),
     ("date", "2025年 11月 13日 星期四 11:20:01 CST\n"),
     ("date", "Thu Nov 13 11:20:01 CST 2025\n")],
)  # fmt: skip
@pytest.mark.parametrize("quote", ["", "> "])
def test_an_output_ends_where_its_lines_end(name: str, text: str, quote: str) -> None:
    """Whatever stands before and behind it, and also where a mail repeats it."""
    quoted = "".join(f"{quote}{line}\n" for line in text.splitlines())
    for behind in (AFTER, f"{quote}thanks\n", ""):
        whole = f"Hi,\n{quoted}{behind}".encode()
        assert may_hold_table(whole)
        found = [
            (one.name, whole[one.begin : one.end].decode())
            for one in tables_of(whole, 0, len(whole))
        ]
        assert found == [(name, quoted)], behind


@pytest.mark.parametrize(
    "line",
    ["Name: Li Wei", "NAME OF THE BOX: n1", "Filesystem is full, Mounted on n1",
     "Thu Nov 13, we saw it again at noon", "PID 7 died, no COMMAND left",
     "JOBID 4 is in the STATE of waiting", "NODELIST and PARTITION are words"],
)  # fmt: skip
def test_words_are_no_heading(line: str) -> None:
    """A letter may begin its lines like a table."""
    whole = f"{line}\nmore words\n".encode()
    assert not list(tables_of(whole, 0, len(whole)))
