"""Slurm's tables: nodes that are not used, jobs and how they ended."""

from tests.tools.readers import operator_samples as samples
from tests.tools.readers.conftest import Read


def test_sinfo_names_each_node_with_its_reason(read: Read) -> None:
    """A list of hosts is taken apart; a reason that was cut stays as it is printed."""
    reads = read(samples.SINFO_R, zone="Asia/Shanghai")
    found = [(one.values["node"], one.values["reason"], one.values["user"], one.line)
             for one in reads.readings]  # fmt: skip

    assert found == [
        ("h100-0231", "Kill task failed", "root", 2),
        ("h100-0232", "Kill task failed", "root", 2),
        ("h100-0300", "gres/gpu count repor", "slurm", 3),
        ("h100-0301", "Not responding", "(null)", 4),
    ]
    assert reads.readings[0].values["since"] == "2024-05-10T23:44:05+00:00"


def test_without_a_zone_the_time_is_told_as_printed(read: Read) -> None:
    """What is not known is not claimed. Edited on Windows it reads the same."""
    reads = read(samples.SINFO_R.replace("\n", "\r\n").encode("utf-16"))

    assert reads.readings[0].values["since"] == "2024-05-11T07:44:05"
    assert len(reads.readings) == 4


def test_sacct_tells_how_jobs_ended(read: Read) -> None:
    """A state that its column cut is completed; a signal is no exit code."""
    values = [one.values for one in read(samples.SACCT).readings]

    assert [(one["job"], one["state"], one["exit_code"], one["signal"]) for one in values] == [
        ("90211", "NODE_FAIL", 1, 0),
        ("90211.batch", "CANCELLED", 0, 15),
        ("90212", "OUT_OF_MEMORY", 0, 125),
    ]


def test_sacct_between_bars_places_jobs_on_their_hosts(read: Read) -> None:
    """Steps run where their job does; what waits is nowhere."""
    reads = read(samples.SACCT_P)

    assert [(one.name, one.content["job"], one.line) for one in reads.states] == [
        ("h100-0231", "90211", 2), ("h100-0232", "90211", 2),
    ]  # fmt: skip
    assert reads.readings[0].values["state"] == "CANCELLED"
    assert reads.readings[2].values["state"] == "PENDING"
