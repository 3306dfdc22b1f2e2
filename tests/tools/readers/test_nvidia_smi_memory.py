"""What recent drivers report of a GPU's memory: SRAM, repairs that wait, spare rows of banks."""

from pathlib import Path

import pytest

from tests.knowledge.test_judged_readings import matched
from tests.tools.readers.conftest import Read

UUID = "GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31"
SOUND = f"""\
==============NVSMI LOG==============

Timestamp                                              : Mon Jun  1 11:21:43 2026
Driver Version                                         : 595.58.03
CUDA Version                                           : 13.2

Attached GPUs                                          : 1
GPU 00000000:54:00.0
    Product Name                                       : NVIDIA H100 80GB HBM3
    GPU UUID                                           : {UUID}
    ECC Mode
        Current                                        : Enabled
        Pending                                        : Enabled
    ECC Errors
        Volatile
            SRAM Correctable                           : 0
            SRAM Uncorrectable Parity                  : 0
            SRAM Uncorrectable SEC-DED                 : 0
            DRAM Correctable                           : 0
            DRAM Uncorrectable                         : 0
        Aggregate
            SRAM Correctable                           : 0
            SRAM Uncorrectable Parity                  : 5
            SRAM Uncorrectable SEC-DED                 : 0
            DRAM Correctable                           : 177
            DRAM Uncorrectable                         : 0
            SRAM Threshold Exceeded                    : No
        Aggregate Uncorrectable SRAM Sources
            SRAM L2                                    : 5
            SRAM SM                                    : 0
        Channel Repair Pending                         : No
        TPC Repair Pending                             : No
        Unrepairable Memory                            : No
    Remapped Rows
        Correctable Error                              : 1
        Uncorrectable Error                            : 0
        Pending                                        : No
        Remapping Failure Occurred                     : No
        Bank Remap Availability Histogram
            Max                                        : 639 bank(s)
            High                                       : 1 bank(s)
            Partial                                    : 0 bank(s)
            Low                                        : 0 bank(s)
            None                                       : 0 bank(s)
    Temperature
        GPU Current Temp                               : 32 C
"""
CHANGED = {
    "SRAM Threshold Exceeded                    : No": "gpu-sram-threshold",
    "Channel Repair Pending                         : No": "xid-160-177-repair-pending",
    "TPC Repair Pending                             : No": "xid-156-tpc-retired",
    "Unrepairable Memory                            : No": "xid-157-161-no-spare",
    "Low                                        : 0": "gpu-remap-spares-low",
    "None                                       : 0": "gpu-remap-spares-low",
}
FLAGS = (
    "sram_threshold_exceeded", "channel_repair_pending", "tpc_repair_pending",
    "memory_unrepairable",
)  # fmt: skip
LEVELS = ("max", "high", "partial", "low", "none")
XML = """\
<?xml version="1.0" ?>
<nvidia_smi_log>
\t<gpu id="00000000:54:00.0">
\t\t<ecc_errors>
\t\t\t<aggregate>
\t\t\t\t<sram_threshold_exceeded>Yes</sram_threshold_exceeded>
\t\t\t</aggregate>
\t\t\t<channel_repair_pending>No</channel_repair_pending>
\t\t</ecc_errors>
\t\t<remapped_rows>
\t\t\t<row_remapper_histogram>
\t\t\t\t<row_remapper_histogram_max>638 bank(s)</row_remapper_histogram_max>
\t\t\t\t<row_remapper_histogram_high>0 bank(s)</row_remapper_histogram_high>
\t\t\t\t<row_remapper_histogram_partial>0 bank(s)</row_remapper_histogram_partial>
\t\t\t\t<row_remapper_histogram_low>0 bank(s)</row_remapper_histogram_low>
\t\t\t\t<row_remapper_histogram_none>2 bank(s)</row_remapper_histogram_none>
\t\t\t</row_remapper_histogram>
\t\t</remapped_rows>
\t</gpu>
</nvidia_smi_log>
"""
CSV = f"""\
gpu_uuid, ecc.errors.uncorrected.aggregate.sram.thresholdExceeded, remapped_rows.histogram.low, \
remapped_rows.histogram.none
{UUID}, Yes, 1, 0
"""


def test_flags_and_banks_are_typed(read: Read) -> None:
    """A total of errors is not touched by the flag that stands beside it."""
    gpu = read(SOUND).readings[0]

    assert [gpu.values[name] for name in FLAGS] == [False] * 4
    assert [gpu.values[f"remap_banks_{level}"] for level in LEVELS] == [639, 1, 0, 0, 0]
    assert (gpu.values["ecc_aggregate_uncorrectable"], gpu.values["remap_failure"]) == (5, False)
    assert gpu.quotes["remap_banks_low"] == (43, "Low : 0 bank(s)")


def test_what_a_gpu_does_not_know_is_not_told(read: Read) -> None:
    gpu = read(SOUND.replace(": No\n", ": N/A\n")).readings[0]

    assert [gpu.values[name] for name in FLAGS] == [None] * 4


def test_a_line_that_names_no_gpu_is_told_by_the_reading_alone(read: Read) -> None:
    """As text it would be one more report, of the node; no byte is lost by it."""
    literals = ("SRAM Threshold Exceeded", " bank(s)", "Timestamp")
    reads = read(SOUND, literals=literals)
    text = "\n".join(one.text for one in reads.records)

    assert ("Timestamp" in text, "DRAM Correctable" in text) == (True, True)
    assert "bank(s)" not in text
    assert "Threshold" not in text
    assert reads.accounted(reads.evidence[0].id) == len(SOUND)


def test_the_xml_report_and_a_query_tell_the_same(read: Read) -> None:
    xml, row = read(XML).readings[0].values, read(CSV, "row.csv").readings[0].values

    assert (xml["sram_threshold_exceeded"], xml["channel_repair_pending"]) == (True, False)
    assert [xml[f"remap_banks_{level}"] for level in LEVELS] == [638, 0, 0, 0, 2]
    assert (row["sram_threshold_exceeded"], row["remap_banks_low"]) == (True, 1)


@pytest.mark.parametrize(("line", "page"), CHANGED.items())
def test_each_of_them_is_a_condition_of_this_gpu(tmp_path: Path, line: str, page: str) -> None:
    changed = line.replace(": No", ": Yes").replace(": 0", ": 2")
    found = {match.page: match for _, match in matched(tmp_path, SOUND.replace(line, changed))}

    assert found.keys() - {"gpu-healthy"} == {page}
    assert found[page].values["uuid"] == UUID
    assert ("gpu-healthy" in found) is (page != "gpu-sram-threshold")


def test_a_sound_memory_is_none_of_them(tmp_path: Path) -> None:
    assert {match.page for _, match in matched(tmp_path, SOUND)} == {"gpu-healthy"}
