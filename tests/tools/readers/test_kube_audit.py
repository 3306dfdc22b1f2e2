"""The API server's audit log is its log, not a list of the cluster's Events."""

from tests.tools.readers import operator_samples as samples
from tests.tools.readers.conftest import Read


def test_an_audited_answer_is_dated_and_of_the_api_server(read: Read) -> None:
    """When it was given, which is what a slow server's victims saw."""
    (record,) = read(samples.AUDIT, literals=("request timed out",)).records

    assert (record.channel, record.unit) == ("service", "kube-apiserver")
    assert record.time is not None
    assert record.time.utc.isoformat() == "2024-05-11T07:41:09.123456+00:00"
