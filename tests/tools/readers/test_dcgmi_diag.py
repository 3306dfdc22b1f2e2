"""DCGM's tests say what failed on which GPU, as a table of either version and as JSON."""

from tests.tools.readers import operator_samples as samples
from tests.tools.readers.conftest import Read, Reads

THERMAL = (
    "Thermal violations totaling 13.3 seconds started at 9.7 seconds into the test "
    "for GPU 0 Verify that the cooling on this machine is functional."
)


def results(reads: Reads) -> set[tuple[object, ...]]:
    values = [one.values for one in reads.readings if one.kind == "dcgm_diag"]
    return {(one["test"], one.get("gpu"), one["result"], one.get("detail")) for one in values}


def test_a_table_of_version_3_tells_of_each_gpu(read: Read) -> None:
    """A reason that the column has cut in the middle of words is whole again."""
    reads = read(samples.DIAG)

    assert {
        ("Denylist", None, "pass", None),
        ("Page Retirement/Row Remap", None, "fail",
         "GPU 3 has uncorrectable memory errors and row remappings are pending"),
        ("GPU Memory", 0, "fail",
         f"GPU 0 {THERMAL}"),
        ("GPU Memory", 7, "pass", None),
        ("Targeted Stress", None, "skip", None),
    } <= results(reads)  # fmt: skip
    assert reads.readings[0].values["version"] == "3.1.8"
    failed = next(one for one in reads.readings if one.values.get("gpu") == 0)
    assert (failed.line, failed.quotes["detail"][0]) == (16, 17)


def test_a_table_of_version_4_tells_of_each_gpu(read: Read) -> None:
    """The test's own row and one for each GPU."""
    assert {
        ("software", 0, "pass", None), ("memory", None, "fail", None),
        ("memory", 0, "fail", None), ("memory", 1, "pass", None),
    } <= results(read(samples.DIAG4))  # fmt: skip


def test_both_versions_json_says_the_same(read: Read) -> None:
    """Results by a list of GPUs, or by entity."""
    assert results(read(samples.DIAG_JSON)) == {
        ("GPU Memory", 1, "pass", None), ("GPU Memory", 2, "pass", None),
        ("GPU Memory", 0, "fail", "ECC errors on GPU 0"),
    }  # fmt: skip
    assert results(read(samples.DIAG4_JSON)) == {("memory", 3, "fail", "row remap pending")}


def test_health_tells_of_the_whole_and_of_the_gpu_that_fails(read: Read) -> None:
    """Healthy is said once; a failure with its GPU and words."""
    assert [one.values["health"] for one in read(samples.HEALTH).readings] == ["healthy"]
    whole, gpu = read(samples.HEALTH_BAD, "bad").readings
    assert whole.values["health"] == "failure"
    assert (gpu.values["gpu"], gpu.values["health"], gpu.line) == (3, "failure", 5)
    assert "DBE was detected" in str(gpu.values["detail"])
