"""What Docker's daemon says of containers names the container, not its own words as hosts."""

from tests.tools.readers import operator_samples as samples
from tests.tools.readers.conftest import Read


def test_events_carry_time_container_and_pod(read: Read) -> None:
    """The event's kind is no host and no unit."""
    records = read(samples.DOCKER_EVENTS, literals=("container", "network")).records

    assert {(one.channel, one.unit, one.host) for one in records} == {("service", "dockerd", "")}
    oom, die, run, net = records
    assert oom.text == "container oom 6f0c2b1e77aa (image=train:1, name=job0)"
    assert (oom.fields["container_id"], oom.fields["name"]) == ("6f0c2b1e77aa", "job0")
    assert die.time is not None
    assert die.time.utc.isoformat() == "2024-05-11T07:41:02.223456+00:00"
    assert (run.fields["pod"], run.fields["namespace"]) == ("job-0", "train")
    assert "container_id" not in net.fields
