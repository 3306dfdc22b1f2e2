"""What NCCL was set up with is typed per host; the log itself reads as it always did."""

from tests.tools.readers.conftest import Read

ONE = """\
h100-0231:4120:4120 [0] NCCL INFO Bootstrap : Using eth0:10.4.1.7<0>
h100-0231:4120:4120 [0] NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file
h100-0231:4120:4120 [0] NCCL INFO cudaDriverVersion 12040
NCCL version 2.20.5+cuda12.4
h100-0231:4120:4321 [0] NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.
h100-0231:4120:4321 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.4.1.7<0>
h100-0231:4120:4321 [0] NCCL INFO Using network IB
h100-0231:4120:4321 [0] NCCL INFO comm 0x55 rank 0 nranks 16 cudaDev 0 busId 18000 - Init START
h100-0231:4120:4321 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read
h100-0231:4120:4321 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0/GDRDMA
RuntimeError: NCCL communicator was aborted on rank 0.
"""  # noqa: E501  # as wide as it is
TWO = """\
2024-05-11T07:41:02.123456789Z a-1:1:9 [0] NCCL INFO Using network Socket
2024-05-11T07:41:02.123456789Z a-1:1:9 [0] NCCL INFO Bootstrap: Using eth1:10.0.0.1<0>
2024-05-11T07:41:02.123456789Z a-2:1:9 [0] NCCL INFO Using network IB
2024-05-11T07:41:02.123456789Z a-2:1:9 [0] NCCL INFO comm 0x1 rank 1 nRanks 2 nNodes 2 - Init COMPLETE
2024-05-11T07:41:02.123456789Z a-2:1:9 [0] NCCL INFO NCCL version 2.27.3+cuda12.9
2024-05-11T07:41:03.123456789Z RuntimeError: CUDA error: uncorrectable ECC error encountered
"""  # noqa: E501  # as wide as it is


def test_the_start_of_a_job_is_typed(read: Read) -> None:
    """Version, network, adapters, transports, variables; each cited on its line."""
    reads = read(ONE)
    (setup,) = reads.readings

    assert setup.host == "h100-0231"
    assert dict(setup.values) == {
        "host": "h100-0231", "bootstrap": "eth0", "cuda_driver": "12040", "network": "IB",
        "version": "2.20.5+cuda12.4", "NCCL_IB_TIMEOUT": "22", "ranks": 16,
        "adapters": "mlx5_0:1/IB,mlx5_1:1/IB", "transports": "NET/IB/GDRDMA,P2P/CUMEM",
    }  # fmt: skip
    assert setup.quotes["version"] == (4, "NCCL version 2.20.5+cuda12.4")
    assert setup.quotes["network"][0] == 7
    assert [(one.channel, one.line) for one in reads.records] == [("app", 11)]
    assert reads.accounted("E1") == len(ONE)


def test_hosts_of_one_log_are_told_apart_and_its_stamps_are_read(read: Read) -> None:
    """The log keeps its own kind: a container's lines are dated."""
    reads = read(TWO)

    assert [(one.host, one.values["network"]) for one in reads.readings] == [
        ("a-1", "Socket"), ("a-2", "IB"),
    ]  # fmt: skip
    assert reads.readings[1].values["version"] == "2.27.3+cuda12.9"
    (error,) = reads.records
    assert error.time is not None
    assert error.time.utc.second == 3


def test_damaged_lines_do_no_harm(read: Read) -> None:
    """Cut anywhere, every byte is accounted for."""
    for stop in range(300, len(ONE), 97):
        assert read(ONE[:stop], f"cut{stop}").accounted("E1") == stop
