"""A bug report is read section by section, at the places that its lines have in the whole."""

import gzip
import random

import pytest

from tests.tools.readers.conftest import Read
from tests.tools.readers.samples import SMI

RULE = "____________________________________________\n\n"
HEAD = f"""\
{RULE}Start of NVIDIA bug report log file.  Please include this file, along
with a detailed description of your problem, when reporting a graphics
driver bug via the NVIDIA Linux forum (see forums.developer.nvidia.com)
or by sending email to 'linux-bugs@nvidia.com'.

nvidia-bug-report.sh Version: 36549660

Date: Fri Jun 20 02:30:11 AM UTC 2025
uname: Linux gpu-7 5.15.0-134-generic #145-Ubuntu SMP Wed Feb 12 20:08:39 UTC 2025 x86_64 GNU/Linux
command line flags: --safe-mode

"""
REPORT = f"""\
{HEAD}{RULE}*** /etc/issue
*** ls: -rw-r--r-- 1 root root 26 2024-09-11 14:13:15.000000000 +0000 /etc/issue
Ubuntu 22.04.5 LTS \\n \\l


{RULE}*** /var/log/nvidia-installer.log does not exist

{RULE}/usr/bin/lspci -d "10de:*" -v -xxx

9b:00.0 3D controller: NVIDIA Corporation Device 2330 (rev ff)
\t!!! Unknown header type 7f

{RULE}Scanning kernel log files for NVIDIA kernel messages:

  journalctl -b -0:
Jun 20 02:23:11 gpu-7 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off the bus.

{RULE}dmesg:

[    1.204000] rtc_cmos 00:00: setting system clock to 2025-06-20T00:00:00 UTC (1750377600)
[ 8591.500000] NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', GPU has fallen off the bus.
[ 8592.500000] nvidia-uvm: Loaded the UVM driver

{RULE}*** /proc/modules
*** ls: -r--r--r-- 1 root root 0 2025-06-20 02:30:00.000000000 +0000 /proc/modules
nvidia 14647296 2 nvidia_uvm, Live 0x0000000000000000 (POE)

{RULE}/usr/bin/nvidia-smi --query
{SMI}
{RULE}End of NVIDIA bug report log file.
"""
OLD = f"""\
{RULE}Start of NVIDIA bug report log file.  Please include this file
when reporting a graphics driver bug via the nV News NVIDIA
Linux forum (see www.nvnews.net) or by sending email to
'linux-bugs@nvidia.com'.

nvidia-bug-report.sh Version: 4401223

Date: Tue Oct 27 14:31:54 EDT 2009
uname: Linux charles-pc 2.6.31-14-generic #48-Ubuntu SMP Fri Oct 16 14:05:01 UTC 2009 x86_64

{RULE}/etc/issue
Ubuntu 9.10 \\n \\l

{RULE}dmesg:

[    0.000000] Initializing cgroup subsys cpuset
[   12.500000] NVRM: Xid (0001:00): 13, 0003 00000000 00008297 00001b0c 1000f010 00000040
"""  # fmt: skip


def test_kernel_lines_of_a_report_are_the_kernels_with_their_own_line_numbers(read: Read) -> None:
    """Both the journal's and the ring's, on the host that the report names."""
    reads = read(gzip.compress(REPORT.encode()), "nvidia-bug-report.log.gz")
    found = [(one.channel, one.host, one.line) for one in reads.records if "Xid" in one.text]
    lines = REPORT.split("\n")

    assert found == [("kernel", "gpu-7", n) for n, text in enumerate(lines, 1) if ": 79," in text]
    assert {one.time.utc.isoformat() for one in reads.records if one.time} == {
        "2025-06-20T02:23:11+00:00", "2025-06-20T02:23:10.296000+00:00",
    }  # fmt: skip


def test_each_output_is_typed_by_its_own_reader(read: Read) -> None:
    """Devices, modules and GPUs; each reading is cited where it stands in the report."""
    reads = read(REPORT, "r.log")
    kinds = {one.kind: one for one in reads.readings}
    lines = REPORT.split("\n")

    assert {"pci", "gpu", "gpu_host"} <= kinds.keys()
    assert kinds["pci"].values["lost"] is True
    assert "Unknown header" in lines[kinds["pci"].quotes["lost"][0] - 1]
    assert lines[kinds["gpu"].line - 1].startswith("GPU 00000000:9B")
    assert {one.host for one in reads.readings} == {"gpu-7"}
    assert reads.accounted("E1") == len(REPORT.encode())


def test_an_older_report_is_read_too(read: Read) -> None:
    """Without stars before a file's name, and with a zone that only names itself."""
    reads = read(OLD, "old.log")

    assert [(one.channel, one.host) for one in reads.records] == [("kernel", "charles-pc")]
    assert reads.accounted("E1") == len(OLD.encode())


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_report_loses_no_byte(read: Read, seed: int) -> None:
    """Cut anywhere, beheaded, with holes and rubbish: all of it is accounted for."""
    rng = random.Random(seed)  # noqa: S311  # repeatable
    data = bytearray(REPORT.encode())
    for _ in range(seed):
        place = rng.randrange(len(data))
        data[place : place + rng.randrange(90)] = rng.randbytes(rng.randrange(60))
    cut = bytes(data[: rng.randrange(700, len(data))])
    assert read(cut, "damaged").accounted("E1") == len(cut)
