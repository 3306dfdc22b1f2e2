"""`sinfo` by node and by partition, as Slurm 22.05 printed it."""

from tests.tools.readers.conftest import Read

BY_NODE = """\
Mon Nov 30 17:51:35 2026
NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON       \

gpu-n01        1    train*   allocated 1       1:1:1    100        0      1   (null) none         \

gpu-n02        1    train*     drained 1       1:1:1    100        0      1   (null) Kill task failed
gpu-n03        1    train*       down* 1       1:1:1    100        0      1   (null) gres/gpu count repor
gpu-n03        1     maint       down* 1       1:1:1    100        0      1   (null) gres/gpu count repor
"""  # noqa: E501  # the program's own width
SHORT = """\
NODELIST   NODES PARTITION STATE \n\
gpu-n01        1    train* alloc \n\
gpu-n02        1    train* drng@ \n\
gpu-n02        1     maint drng@ \n\
"""
BY_PARTITION = """\
PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
maint        up   infinite      2  down* gpu-n[03-04]
train*       up 1-00:00:00      1  drain gpu-n02
train*       up 1-00:00:00      2  down* gpu-n[03-04]
"""


def test_each_node_is_read_once_with_its_state_and_reason(read: Read) -> None:
    """A node is listed once with each partition that holds it."""
    reads = read(BY_NODE, zone="UTC")
    found = [(one.values["node"], one.values["state"], one.values.get("reason"), one.line)
             for one in reads.readings]  # fmt: skip
    observed = reads.readings[0].observed

    assert found == [
        ("gpu-n01", "allocated", None, 3),
        ("gpu-n02", "drained", "Kill task failed", 4),
        ("gpu-n03", "down*", "gres/gpu count repor", 5),
    ]
    assert observed is not None
    assert observed.utc.isoformat() == "2026-11-30T17:51:35+00:00"


def test_short_states_are_written_in_full(read: Read) -> None:
    found = [(one.values["node"], one.values["state"]) for one in read(SHORT).readings]

    assert found == [("gpu-n01", "allocated"), ("gpu-n02", "draining@")]


def test_a_list_of_nodes_is_taken_apart(read: Read) -> None:
    found = [(one.values["node"], one.values["state"]) for one in read(BY_PARTITION).readings]

    assert found == [("gpu-n03", "down*"), ("gpu-n04", "down*"), ("gpu-n02", "drain")]


def test_the_reasons_below_belong_to_the_states_above(read: Read) -> None:
    """`sinfo; sinfo -R` in one paste: each node once, with its state and why since when."""
    reasons = """\
REASON               USER      TIMESTAMP           NODELIST
Not responding       slurm     2025-06-20T10:09:58 gpu-n[03-04]
"""
    found = read(BY_PARTITION + reasons, zone="UTC").readings
    seen = {(one.values["state"], one.values.get("since")) for one in found}
    assert seen == {("down*", "2025-06-20T10:09:58+00:00"), ("drain", None)}


def test_a_summary_names_no_state(read: Read) -> None:
    summary = """\
PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST
train*       up   infinite          1/1/2/4 gpu-n[01-04]
"""
    reads = read(summary)

    assert reads.readings == []
    assert reads.accounted(reads.evidence[0].id) == len(summary)
