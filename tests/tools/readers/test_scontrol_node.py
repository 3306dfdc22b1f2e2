"""`scontrol show node`, as Slurm 22.05 printed it."""

from tests.tools.readers.conftest import Read

NODES = """\
NodeName=gpu-n01 Arch=x86_64 CoresPerSocket=1 
   CPUAlloc=0 CPUEfctv=2 CPUTot=2 CPULoad=3.31
   AvailableFeatures=(null)
   ActiveFeatures=(null)
   Gres=gpu:8
   NodeAddr=127.0.0.1 NodeHostName=localhost Version=22.05.8
   RealMemory=1000 AllocMem=0 FreeMem=21872 Sockets=2 Boards=1
   State=IDLE ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=train 
   BootTime=2026-11-30T06:31:00 SlurmdStartTime=2026-11-30T07:55:43
   CfgTRES=cpu=2,mem=1000M,billing=2
   AllocTRES=

NodeName=gpu-n02 CoresPerSocket=1 
   Gres=(null)
   State=IDLE+DRAIN+NOT_RESPONDING ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   BootTime=None SlurmdStartTime=None
   CfgTRES=cpu=2,mem=1000M,billing=2
   Reason=Kill task failed after 300 s on /shared [root@2026-11-30T07:56:54]
"""  # noqa: W291  # the program's own blanks


def test_each_nodes_state_and_whole_reason_are_read(read: Read) -> None:
    good, bad = read(NODES).readings

    assert (good.values["node"], good.values["state"], good.line) == ("gpu-n01", "IDLE", 1)
    assert (good.values["resources"], "reason" in good.values) == ("gpu:8", False)
    assert (bad.values["node"], bad.line) == ("gpu-n02", 14)
    assert bad.values["state"] == "IDLE+DRAIN+NOT_RESPONDING"
    assert bad.values["reason"] == "Kill task failed after 300 s on /shared"
    assert (bad.values["user"], bad.values["since"]) == ("root", "2026-11-30T07:56:54")


def test_a_stated_zone_dates_it(read: Read) -> None:
    _, bad = read(NODES, zone="+08:00").readings

    assert bad.values["since"] == "2026-11-29T23:56:54+00:00"
