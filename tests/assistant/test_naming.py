"""What templates may use beside a line's own words."""

import pytest

from assistant.naming import Namer, values_of
from tools.evidence import Channel, Record


@pytest.mark.parametrize(
    ("host", "fields", "place"),
    [
        ("n1", {"pod": "ml/t-0"}, "n1"),
        ("", {"pod": "ml/t-0"}, "ml/t-0"),
        ("", {"pod": "t-0", "namespace": "ml"}, "ml/t-0"),
    ],
)
def test_a_place_is_the_host_or_else_the_pod(host: str, fields: dict[str, str], place: str) -> None:
    """However a carrier spells the pod, a pid in its log has somewhere to be."""
    record = Record("E1", "app", "words", 1, None, "", host, "", fields)
    assert values_of(record)["place"] == place


def test_a_line_of_nobody_has_no_place() -> None:
    """A template that needs one is then left out."""
    assert "place" not in values_of(Record("E1", "app", "words", 1, None, "", "", "", {}))


@pytest.mark.parametrize(
    ("unit", "text", "job"),
    [
        ("slurmstepd", "[1002.batch] error: a rank failed", "slurm:1002"),
        ("slurmstepd", "job 1002: [rank9]: NCCL error", "slurm:1002"),
        ("slurmstepd", "error: a rank failed", None),
        ("train", "job 1002: [rank9]: NCCL error", None),
    ],
)
def test_a_step_daemon_names_the_job_whose_line_it_passes_on(
    unit: str, text: str, job: str | None
) -> None:
    """Two jobs on two hosts are then two, whatever their ranks complain of."""
    record = Record("E1", "service", text, 1, None, "", "g6", unit, {})
    assert values_of(record).get("job") == job


NCCL = "node7:4410:4533 [5] transport/net_ib.cc:94 NCCL WARN NET/IB : Got async event : port error"


@pytest.mark.parametrize(
    ("channel", "host", "fields", "said"),
    [
        ("app", "", {}, "node7"),
        ("app", "login1", {}, "login1"),
        ("app", "", {"pod": "ml/t-0"}, ""),
        ("alert", "", {}, ""),
    ],
)
def test_a_program_names_its_host_where_nothing_else_does(
    channel: Channel, host: str, fields: dict[str, str], said: str
) -> None:
    """In a pod the name is the pod's, and who carried the line knows better."""
    record = Record("E1", channel, NCCL, 1, None, "", host, "", fields)
    assert values_of(record)["host"] == said


def test_the_host_of_one_line_is_not_that_of_the_next() -> None:
    """Two hosts speak in one file."""
    namer = Namer()
    lines = (NCCL, NCCL.replace("node7", "node3"))
    records = [Record("E1", "app", text, n, None, "", "", "", {}) for n, text in enumerate(lines)]
    assert [namer.values(record)["host"] for record in records] == ["node7", "node3"]
