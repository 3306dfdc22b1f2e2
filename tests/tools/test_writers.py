"""Who wrote a content, where only its place tells."""

import pytest

from tools.capture import Capture
from tools.writers import writer_of


@pytest.mark.parametrize(
    ("name", "job"),
    [
        ("slurm-416665.out", "slurm:416665"),
        ("runs/slurm-416665_12.err", "slurm:416665"),
        ("app/slurm-7/slurm-7.log.gz", "slurm:7"),
        ("slurmctld.log", None),
        ("slurm-7.conf", None),
    ],
)
def test_a_batch_jobs_output_is_known_by_slurms_own_name_for_it(name: str, job: str | None) -> None:
    writer = writer_of(Capture(), name)
    assert writer.fields.get("job") == job
    assert (writer.channel == "app") == (job is not None)


def test_what_the_capture_says_goes_before_the_place() -> None:
    capture = Capture(source="app", target="train/llm", path="app/slurm-7.out")
    assert writer_of(capture, "slurm-7.out").fields == {"job": "train/llm"}
