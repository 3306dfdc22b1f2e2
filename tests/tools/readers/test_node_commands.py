"""What people run on a node by hand is typed."""

from tests.tools.readers.conftest import Read

SCONTROL = """\
$ scontrol show job 90211
JobId=90211 JobName=pretrain
   JobState=RUNNING Reason=None Dependency=(null)
   NodeList=h100-[0231-0232]
   BatchHost=h100-0231

JobId=90212 JobName=waits
   JobState=PENDING Reason=Resources Dependency=(null)
   NodeList=(null)
"""
LSMOD = """\
$ lsmod
Module                  Size  Used by
nvidia              14647296  2 nvidia_uvm,nvidia_modeset
mlx5_core            2408448  0
"""
PROC_MODULES = "nvidia 14647296 2 nvidia_uvm, Live 0x0000000000000000 (POE)\n"
GIDS = """\
DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
---     ----    -----   ---                                     ------------    ---     ---
mlx5_0  1       1       fe80:0000:0000:0000:0e42:a1ff:fe7b:9c10                 v2      ens5f0np0
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a04:0107 10.4.1.7        v2      ens5f0np0
n_gids_found=2
"""
ULIMIT = """\
core file size          (blocks, -c) 0
max locked memory       (kbytes, -l) 8192
open files                      (-n) 1048576
"""
LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max locked memory         8388608              8388608              bytes
Max open files            1024                 524288               files
"""
DISCOVERY = """\
8 GPUs found.
+--------+----------------------------------------------------------------------+
| GPU ID | Device Information                                                   |
+--------+----------------------------------------------------------------------+
| 0      | Name: NVIDIA H100 80GB HBM3                                          |
|        | PCI Bus ID: 00000000:53:00.0                                         |
|        | Device UUID: GPU-9a0b1c2d-0000-4000-8000-000000000001                |
+--------+----------------------------------------------------------------------+
"""


def test_a_slurm_job_is_placed_on_each_host_of_its_list(read: Read) -> None:
    """A job that waits is nowhere."""
    places = [(state.kind, dict(state.content)) for state in read(SCONTROL).states]

    assert places == [
        ("Topology", {"node": "h100-0231", "job": "90211"}),
        ("Topology", {"node": "h100-0232", "job": "90211"}),
    ]


def test_loaded_modules_are_one_reading(read: Read) -> None:
    """What it lacks is not loaded; the kernel's own list says the same."""
    (listed,) = read(LSMOD).readings
    (kept,) = read(PROC_MODULES).readings

    assert (listed.kind, listed.values["mlx5_core"]) == ("modules", 2408448)
    assert "ib_umad" not in listed.values
    assert kept.values["nvidia"] == listed.values["nvidia"]


def test_an_address_of_a_port_says_whether_it_can_be_routed(read: Read) -> None:
    """Link-local ones and the first version cannot."""
    found = [(r.values["index"], r.values["routable"]) for r in read(GIDS).readings]

    assert found == [(1, False), (3, True)]


def test_limits_of_a_shell_and_of_a_process_read_alike(read: Read) -> None:
    """Sizes are in bytes whoever prints them."""
    (shell,), (process,) = read(ULIMIT).readings, read(LIMITS).readings

    assert shell.values["locked_memory"] == process.values["locked_memory"] == 8 << 20
    assert process.values["open_files"] == 1024


def test_the_gpus_that_dcgm_finds_are_counted_and_named(read: Read) -> None:
    """Its own count, and each GPU that the table lists."""
    count, gpu = read(DISCOVERY).readings

    assert (count.kind, count.values["gpu_count"]) == ("dcgm", 8)
    assert gpu.values["uuid"] == "GPU-9a0b1c2d-0000-4000-8000-000000000001"


TABLE = """\
Wed Sep  2 10:41:12 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 570.133.20             Driver Version: 570.133.20     CUDA Version: 12.8     |
|-----------------------------------------+------------------------+----------------------+
|=========================================+========================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:00:10.0 Off |                    0 |
| N/A   36C    P0            118W /  400W |   41022MiB /  81920MiB |    100%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  ERR!                           Off |   00000000:00:11.0 Off |                 ERR! |
|ERR!  ERR! ERR!             ERR! / ERR!  |   0MiB / 81920MiB      |    ERR!      Default |
+-----------------------------------------+------------------------+----------------------+
"""


def test_the_pasted_table_says_what_a_gpu_draws_and_does(read: Read) -> None:
    """Two lines a GPU; what reads ERR! no longer answers."""
    first, second = read(TABLE).readings

    assert first.values["bdf"] == "0000:00:10.0"
    assert (first.values["utilization_percent"], first.values["power_share"]) == (100, 0.295)
    assert "118W /  400W" in first.quotes["power_share"][1]
    assert second.values["lost"] is True


def test_a_log_that_quotes_the_table_stays_a_log(read: Read) -> None:
    """Its other lines are the greater part."""
    log = TABLE + "".join(f"2025-06-20T02:20:{n:02}Z n1 step {n}\n" for n in range(40))

    assert not read(log).readings


POWER = """\
==============NVSMI LOG==============

GPU 0000000F:01:00.0
    Product Name                          : NVIDIA GB10
    GPU Power Readings
        Average Power Draw                : N/A
        Power Draw                        : 19.50 W
"""


def test_a_value_is_quoted_from_the_line_that_has_it(read: Read) -> None:
    """A report names a value twice, and once it is not available."""
    gpu = read(POWER).readings[0]

    assert gpu.values["power_w"] == 19.5
    assert gpu.quotes["power_w"] == (7, "Power Draw : 19.50 W")
