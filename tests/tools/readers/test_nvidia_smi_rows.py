"""Rows of `nvidia-smi` that were printed without their header."""

import pytest

from tests.tools.readers.conftest import Read

UUID = "GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31"
ROWS = f"""\
0, NVIDIA H100 80GB HBM3, {UUID}, 00000000:1B:00.0, 690.11 W, 700.00 W, 61, P0
1, NVIDIA H100 80GB HBM3, GPU-0a3b5c7d-1122-3344-5566-77889900aabb, 00000000:43:00.0, 240.00 W, \
700.00 W, 48, P2
"""
QUERY = "index,name,gpu_uuid,pci.bus_id,power.draw,power.limit,temperature.gpu,pstate"
COMMAND = f"nvidia-smi --query-gpu={QUERY} --format=csv,noheader"


def test_what_names_a_gpu_is_read_and_the_rest_is_a_gap(read: Read) -> None:
    """Two powers in watts: which is the limit, nothing tells."""
    reads = read(ROWS)
    first, second = (one.values for one in reads.readings)
    (gap,) = reads.gaps

    assert (first["index"], first["uuid"], first["bdf"]) == (0, UUID, "0000:1b:00.0")
    assert (second["name"], second["pstate"]) == ("NVIDIA H100 80GB HBM3", "P2")
    assert not {"power_w", "temperature_c"} & first.keys()
    assert "nothing tells which query they answer" in gap.why
    assert reads.accounted(reads.evidence[0].id) == len(ROWS)


def test_below_the_command_that_was_typed_all_of_it_is_read(read: Read) -> None:
    reads = read(f"root@gpu-02:~# {COMMAND}\n{ROWS}root@gpu-02:~# \n")
    values = reads.readings[1].values

    assert (values["power_w"], values["power_limit_w"], values["temperature_c"]) == (240, 700, 48)
    assert (values["index"], values["host"], reads.readings[1].line) == (1, "gpu-02", 3)
    assert not reads.gaps


def test_a_gpu_that_is_lost_is_told_by_its_own_words(read: Read) -> None:
    rows = f"2025/10/24 03:12:01.123, {UUID}, 61\n2025/10/24 03:12:02.123, {UUID}, [GPU is lost]\n"
    before, after = read(rows).readings

    assert (before.values["lost"], after.values["lost"]) == (False, True)
    assert after.observed is not None
    assert after.observed.utc.second == 2


def test_rows_that_name_no_gpu_are_a_gap_alone(read: Read) -> None:
    """Their units tell who printed them."""
    reads = read("0, 690.11 W, 1755 MHz, 100 %\n1, 71.20 W, 345 MHz, 0 %\n")

    assert reads.readings == []
    assert "without their header" in reads.gaps[0].why


@pytest.mark.parametrize(
    "text",
    ["NVIDIA driver 550 loaded, all is well\n", "0, 1.25, 3\n1, 1.20, 4\n",
     f"{UUID}, 4711, python3, 1024 MiB\n", f"allocatable: {UUID}, {UUID}\n", "step, loss\n"],
)  # fmt: skip
def test_other_rows_are_none(read: Read, text: str) -> None:
    """A sentence, a program's own table, a list of processes."""
    reads = read(text)

    assert (reads.readings, reads.gaps) == ([], [])
