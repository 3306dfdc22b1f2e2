"""Outputs of commands beside a host that works, in which something is wrong all the same."""

from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped
from tests.assistant.test_quiet_trouble import START, _quiet

MDSTAT = """\
Personalities : [raid1]
md0 : active raid1 nvme0n1p2[0] nvme1n1p2[1]
      468719616 blocks super 1.2 [2/2] [UU]

unused devices: <none>
"""
LSPCI = """\
3b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)
\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L1, Exit Latency L1 <4us
\tLnkSta:\tSpeed 8GT/s, Width x16
"""
CHRONYC = """\
Reference ID    : 0A000002 (10.0.0.2)
Stratum         : 3
System time     : 0.000412000 seconds slow of NTP time
Leap status     : Normal
"""
SMI = """\
==============NVSMI LOG==============

Timestamp                                 : Fri Jun 20 00:30:00 2025
Driver Version                            : 550.90.07

Attached GPUs                             : 1
GPU 00000000:1B:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    GPU UUID                              : GPU-aaaaaaaa-1111-2222-3333-444444444444
    ECC Mode
        Current                           : Enabled
    Temperature
        GPU Current Temp                  : 61 C
        GPU Slowdown Temp                 : 89 C
"""
PODS = """\
NAME     READY   STATUS      RESTARTS   AGE
t-0      1/1     Running     0          2d
"""
UP = """\
{"status":"success","data":{"resultType":"vector","result":[
{"metric":{"__name__":"up","job":"dcgm-exporter"},"value":[1750379400,"0"]}]}}
"""


def _diagnose(folder: Path, text: str, name: str = "printed.txt") -> Investigation:
    (folder / "syslog").write_text("\n".join(sorted(_quiet())) + "\n")
    (folder / name).write_text(text)
    return investigate([folder], Incident(), shipped(), now=START)


def _told(found: Investigation) -> tuple[str, set[str]]:
    assert found.diagnosis is not None
    pages = {event.page for event in found.timeline.events}
    return found.diagnosis.verdict, pages - {"training-progress", "gpu-healthy"}


@pytest.mark.parametrize(
    ("text", "well", "wrong", "page"),
    [
        (MDSTAT, "[1]\n", "[1](F)\n", "raid-member-failed"),
        (MDSTAT, "[2/2] [UU]", "[2/1] [U_]", "raid-member-failed"),
        (LSPCI, "8GT/s, Width x16", "8GT/s (downgraded), Width x4 (downgraded)",
         "pcie-link-degraded"),
        (CHRONYC, ": Normal", ": Not synchronised", "clock-unsynchronised"),
        (CHRONYC, "0.000412000", "312.112331221", "clock-unsynchronised"),
        (SMI, "61 C", "91 C", "gpu-thermal-slowdown"),
        (SMI, ": Enabled", ": Disabled", "gpu-ecc-disabled"),
        (PODS, "1/1     Running   ", "0/1     Init:Error", "pod-failed"),
        (PODS, "1/1     Running   ", "0/1     ContainerCreating ", "pod-not-ready"),
    ],
)  # fmt: skip
def test_one_changed_word_forbids_healthy(
    tmp_path: Path, text: str, well: str, wrong: str, page: str
) -> None:
    """The same output is healthy without it."""
    assert well in text
    assert _told(_diagnose(tmp_path, text)) == ("healthy", set())
    assert _told(_diagnose(tmp_path, text.replace(well, wrong))) == ("inconclusive", {page})


def test_a_clock_that_was_measured_and_put_right_is_told_beside_healthy(tmp_path: Path) -> None:
    """It spoils the comparison of logs, which is corrected, and it is still to be mended."""
    found = _diagnose(tmp_path, CHRONYC.replace("0.000412000", "12.112331221"))
    assert _told(found) == ("healthy", {"clock-unsynchronised"})
    assert found.diagnosis is not None
    (clock,) = (one for one in found.timeline.events if one.page == "clock-unsynchronised")
    assert found.diagnosis.standing == (clock.id,)
    assert not found.diagnosis.root_causes
    assert [c.offset_s for c in found.timeline.corrections] == [12.112331221]


@pytest.mark.parametrize(
    "text",
    [
        "From user: since this morning job 4411 on n1 is crawling, each step takes 10x longer.",
        "用户反馈：从早上开始训练速度下降了十倍，请尽快处理。",
    ],
)
def test_steps_that_go_on_are_no_answer_to_a_complaint_of_slowness(
    tmp_path: Path, text: str
) -> None:
    """Slow work goes on; nothing read shows how fast it was before."""
    found = _diagnose(tmp_path, text + "\n", "ticket.txt")
    assert _told(found) == ("inconclusive", set())
    assert [event.page for event in found.timeline.unread] == ["reported-slowness"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ethtool.txt", "Settings for eth0:\n\tSpeed: 1000Mb/s\n\tLink detected: no\n"),
        ("prom.json", UP),
    ],
)
def test_what_no_page_judges_is_not_checked_and_forbids_healthy(
    tmp_path: Path, name: str, text: str
) -> None:
    """A command's output of no known kind, and a series that no page asks for."""
    found = _diagnose(tmp_path, text, name)
    assert _told(found) == ("inconclusive", set())
    assert [row.state for row in found.coverage if row.target.endswith(name)] == ["not_checked"]


def test_a_report_of_one_of_eight_cards_shows_nothing_of_the_others(tmp_path: Path) -> None:
    """They may be gone, or only left out: nobody saw them."""
    one = SMI.replace(": 1\n", ": 8\n")
    found = _diagnose(tmp_path, one)
    assert _told(found) == ("inconclusive", set())
    assert [gap.why for gap in found.gaps] == [
        "7 of the GPUs that are attached are not in the report"
    ]
