"""What a pasted session or letter leads to, with the handbook as shipped."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.identity import UNNAMED
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from assistant.naming import with_device
from tests.assistant.handbook import shipped
from tools.evidence import Reading

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
XID = "[Wed Nov 12 02:41:17 2025] NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.\n"
NODES = """\
NAME    STATUS   ROLES    AGE   VERSION
gpu-03  Ready    <none>   90d   v1.29.4
gpu-04  NotReady <none>  90d   v1.29.4
"""
LETTER = """\
From: li.wei@lab.example
Subject: GPU 1 acting up?
Hi, this is what nvidia-smi -q says (cut by me):

> ==============NVSMI LOG==============
>
> Timestamp                                 : Thu Nov 13 10:15:02 2025
> Driver Version                            : 535.183.01
>
> Attached GPUs                             : 2
> GPU 00000000:17:00.0
>     Serial Number                         : 1564720001111
>     Remapped Rows
>         Remapping Failure Occurred        : No
> GPU 00000000:65:00.0
>     Serial Number                         : 1564720002222
>     Remapped Rows
>         Remapping Failure Occurred        : Yes

Thanks, Li
"""


def _diagnose(folder: Path, text: str) -> Investigation:
    path = folder / "pasted.txt"
    path.write_text(text)
    return investigate([path], Incident(), shipped(), now=NOW)


def test_no_node_is_made_of_a_prompt_or_of_a_log(tmp_path: Path) -> None:
    """The table ends where its rows end, and the kernel's line is of the host that was asked."""
    text = f"$ kubectl get nodes\n{NODES}$ ssh gpu-04 dmesg -T | tail\n{XID}"
    found = {one.entity.id for one in _diagnose(tmp_path, text).timeline.events}
    assert found == {"gpu-04", "gpu-04/0000:41:00"}


def test_a_card_in_a_letter_is_named_by_its_address(tmp_path: Path) -> None:
    """Neither its UUID nor its host is told; the other card is not concerned."""
    events = _diagnose(tmp_path, LETTER).timeline.events
    assert {one.entity.kind for one in events} == {"gpu"}
    assert {one.entity.id.rpartition("/")[2] for one in events} == {"0000:65:00"}


HUNG = """\
$ date; timeout 30 nvidia-smi; echo rc=$?
Thu Nov 13 11:20:01 CST 2025
rc=124
$ ps -eo pid,stat,wchan:32,etimes,cmd | grep ' D'
   2211 Ds   rwsem_down_write_slowpath        1840 nvidia-smi
  90122 D    os_acquire_rwlock_write          1902 /opt/conda/bin/python train.py
$ dmesg -T | tail
[Thu Nov 13 10:48:11 2025] NVRM: Xid (PCI:0000:b1:00): 119, pid=90122, name=python, Timeout after \
45s of waiting for RPC response from GPU1 GSP! Expected function 76 (GSP_RM_CONTROL).
[Thu Nov 13 10:51:20 2025] INFO: task nvidia-smi:2211 blocked for more than 120 seconds.
"""


def test_a_query_that_waits_in_the_kernel_is_cited_where_it_stands(tmp_path: Path) -> None:
    """The year is the stamps', and the row of `ps` is what shows that the tool hangs."""
    found = _diagnose(tmp_path, HUNG)
    events = {one.page: one for one in found.timeline.events}
    assert {one.start.utc.year for one in events.values()} == {2025}
    assert "xid-119-gsp-timeout" in events
    cited = events["nvidia-smi-hung"].citations[0]
    assert HUNG.split("\n")[cited.line - 1].strip() == cited.text


@pytest.mark.parametrize("host", ["n1", ""])
def test_a_reading_without_uuid_is_of_an_address_on_a_host(host: str) -> None:
    """A UUID that is known stays, and without an address there is nothing to name it by."""
    bare = Reading("E1", "gpu", host, {"bdf": "0000:41:00.0"})
    place = host or f"{UNNAMED}E1"
    assert with_device(bare).values["uuid"] == f"{place}/0000:41:00.0"
    assert with_device(bare).host == place
    known = Reading("E1", "gpu", host, {"bdf": "0000:41:00.0", "uuid": "GPU-1"})
    assert with_device(known) is known
    assert "uuid" not in with_device(Reading("E1", "gpu", host, {})).values
    assert with_device(Reading("E1", "process", host, {"pid": "7"})).host == place


SINFO = """\
ops@bastion:~$ sinfo
PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
gpu*         up   infinite      1  down* gpu-09
gpu*         up   infinite      3  alloc gpu-[04-06]
"""


def test_what_is_asked_at_a_bastion_is_about_the_node_it_names(tmp_path: Path) -> None:
    """Who ran the command is no place of the condition, and no check is to be run there."""
    found = _diagnose(tmp_path, SINFO)
    assert {a.id for e in found.timeline.events for a in e.anchors if a.kind == "node"} == {
        "gpu-09"
    }
    assert found.diagnosis
    assert "gpu-09" in str(found.diagnosis.next_checks)
    assert "bastion" not in str(found.diagnosis.next_checks)
