"""What `nvidia-smi` prints for people, and what it prints when asked for single values."""

from datetime import UTC, datetime

import pytest

from tests.tools.readers.conftest import Read, Reads

FIELDS = (
    "index, name, power.draw{w}, power.limit{w}, clocks.current.sm{mhz}, "
    "clocks_event_reasons.active, temperature.gpu, utilization.gpu{share}\n"
)
CSV = FIELDS.format(w=" [W]", mhz=" [MHz]", share=" [%]") + (
    "0, NVIDIA H100 80GB HBM3, 690.11 W, 700.00 W, 1755 MHz, 0x0000000000000004, 61, 100 %\n"
    "2, NVIDIA H100 80GB HBM3, 240.00 W, 700.00 W, 345 MHz, 0x0000000000000088, 48, 100 %\n"
)
NO_UNITS = FIELDS.format(w=" [W]", mhz=" [MHz]", share=" [%]") + (
    "2, NVIDIA H100 80GB HBM3, 240.00, 700.00, 345, 0x0000000000000088, 48, 100\n"
)
LOOP = """\
timestamp, gpu_uuid, pci.bus_id, clocks_throttle_reasons.hw_slowdown, clocks_throttle_reasons.hw_power_brake_slowdown, remapped_rows.pending, remapped_rows.failure
2025/10/24 03:12:01.123, GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31, 00000000:97:00.0, Not Active, Not Active, No, No
2025/10/24 03:12:02.124, GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31, 00000000:97:00.0, Active, Active, 1, 0
2025/10/24 03:12:03.125, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]
"""  # noqa: E501 - as long as it is printed


def gpus(reads: Reads) -> list[dict[str, object]]:
    return [dict(reading.values) for reading in reads.readings if reading.kind == "gpu"]


@pytest.mark.parametrize("text", [CSV, CSV.replace("\n", "\r\n"), NO_UNITS])
def test_a_query_tells_what_the_report_tells(read: Read, text: str) -> None:
    """Numbers with their unit or without; the mask's bits are named as in the report."""
    reads = read(text, "q.csv")
    wanted = {
        "index": 2, "power_w": 240, "power_limit_w": 700, "sm_clock_mhz": 345, "temperature_c": 48,
        "utilization_percent": 100, "lost": False, "power_share": 0.343,
        "active_clock_reasons": "hw slowdown, hw power brake slowdown",
    }  # fmt: skip
    last = gpus(reads)[-1]
    assert {name: last[name] for name in wanted} == wanted
    line, words = reads.readings[-1].quotes["active_clock_reasons"]
    assert text.splitlines()[line - 1] == words


def test_a_loop_of_queries_is_dated(read: Read) -> None:
    """Each row by its own stamp, whose zone nobody states; what is lost tells nothing else."""
    reads = read(LOOP, "loop.csv")
    before, slow, gone = gpus(reads)
    assert (before["active_clock_reasons"], before["remap_pending"]) == ("", False)
    assert slow["active_clock_reasons"] == "hw slowdown, hw power brake slowdown"
    assert (slow["remap_pending"], slow["remap_failure"], slow["lost"]) == (True, False, False)
    assert (gone["lost"], gone["uuid"]) == (True, None)
    moments = [reading.observed for reading in reads.readings]
    assert [moment.utc.second for moment in moments if moment] == [1, 2, 3]
    assert {moment.zone for moment in moments if moment} == {"unknown"}


@pytest.mark.parametrize(
    "text",
    ["index, name\n0, a\n", "gpu_uuid, pid, used_gpu_memory [MiB]\nGPU-1, 4, 5 MiB\n",
     "name, power.draw of it, x\na, b, c\n", "step, loss\n1, 2.0\n"],
)  # fmt: skip
def test_other_tables_with_commas_are_none(read: Read, text: str) -> None:
    """A list of processes or a program's own table tells of no GPU."""
    assert not gpus(read(text, "other.csv"))


HEAD = """\
Fri Oct 24 03:12:01 2025       
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
|=========================================+========================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   41C    P0             311W /  400W |   71034MiB /  81920MiB |    100%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
"""  # noqa: W291 - as it is printed
NO_POWER = """\
|   1  NVIDIA A100-SXM4-80GB          On  |   00000000:0A:00.0 Off |                    4 |
| N/A   43C    P0             ERR! /  400W |   71034MiB /  81920MiB |    100%      Default |
"""
GONE = """\
|   1  NVIDIA H100 80GB HBM3          On  |   00000000:43:00.0 Off |                  ERR!|
|ERR!  ERR! ERR!              N/A /  N/A  | GPU is lost            |      N/A     Default |
"""
UNREAD = """\
|   1  ERR!                           ERR! | 00000000:43:00.0 ERR! |                 ERR! |
|ERR!  ERR! ERR!              ERR! / ERR! |       ERR! /      ERR! |    ERR!         ERR! |
"""


@pytest.mark.parametrize(("rows", "lost"), [(NO_POWER, False), (GONE, True), (UNREAD, True)])
def test_a_table_tells_a_lost_gpu_from_one_value_that_was_not_read(
    read: Read, rows: str, *, lost: bool
) -> None:
    """One sensor that failed is named; a GPU of which nothing can be read is lost."""
    first, second = gpus(read(HEAD + rows, "smi.txt"))
    assert (first["lost"], first["unread"], first["power_w"]) == (False, "", 311)
    assert second["lost"] is lost
    assert second["power_w"] is None
    assert ("power_w" in str(second["unread"])) is (rows is not GONE)
    assert second["bdf"] in {"0000:0a:00.0", "0000:43:00.0"}


def test_a_table_says_when_it_was_printed(read: Read) -> None:
    """Its first line is the host's time, in a zone that it does not state."""
    (reading,) = read(HEAD, "smi.txt").readings
    assert reading.observed is not None
    assert reading.observed.utc == datetime(2025, 10, 24, 3, 12, 1, tzinfo=UTC)
    assert reading.observed.zone == "unknown"
    assert read(HEAD.split("\n", 1)[1], "smi.txt").readings[0].observed is None


MESSAGE = "Unable to determine the device handle for GPU 0000:97:00.0: Unknown Error\n"


@pytest.mark.parametrize("name", ["host/gpu-02/nvidia-smi.txt", "nvidia-smi.txt", "a.txt"])
def test_what_nvidia_smi_says_instead_is_a_commands_word(read: Read, name: str) -> None:
    """It has no heading; the message itself says who printed it."""
    (record,) = read(MESSAGE, name, literals=["device handle"]).records
    assert (record.channel, record.text) == ("command", MESSAGE.strip())
