"""Rows of a table are read as the lines they once were; what a person tabled is a claim."""

import pytest

from tests.tools.readers.conftest import Read

XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=4411, name=python3, GPU has fallen off the bus."
SYSLOG = f"Nov 29 10:22:01 gpu-14 kernel: {XID}"
HEAD = '"timestamp","host","app","message"\n'
ROWS = {
    "quoted": f'{HEAD}"2026-11-29 10:22:01","gpu-14","kernel","{XID}"\n',
    "epoch": f'{HEAD}1795947721000,gpu-14,kernel,"{XID}"\n',
    "semicolons": "@timestamp;host.name;process.name;message\n"
    f"2026-11-29T10:22:01Z;gpu-14;kernel;{XID}\n",
    "Kibana": '"@timestamp",host,program,message\n'
    f'"Nov 29, 2026 @ 10:22:01.000",gpu-14,kernel,"{XID}"\n',
    "whole lines": f'_time,host,_raw\n2026-11-29T10:22:01.000+0000,gpu-14,"{SYSLOG}"\n',
}


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_of_a_log_store_is_the_line_it_was(read: Read, kind: str) -> None:
    """With its time, its host, and the kernel where the store says so; cited by its row."""
    (found,) = read(ROWS[kind], "e.csv", now="2026-11-30T00:00:00Z").records
    assert (found.line, found.channel, found.host, found.text) == (2, "kernel", "gpu-14", XID)
    assert found.time is not None
    assert found.time.utc.isoformat() == "2026-11-29T10:22:01+00:00"


def test_hosts_and_programs_of_a_table_stay_apart(read: Read) -> None:
    """A message may have line breaks; those behind it keep their lines."""
    text = (
        f'{HEAD}2026-11-29 10:22:01,gpu-14,train,"RuntimeError: boom\n  told further"\n'
        f'2026-11-29 10:22:02,gpu-15,kernel,"{XID}"\n'
        f'2026-11-29 10:22:03,gpu-15,kubelet,"PLEG is not healthy"\n'
    )
    reads = read(text, "e.csv")
    assert {(r.line, r.channel, r.host, r.unit) for r in reads.records} == {
        (2, "service", "gpu-14", "train"),
        (4, "kernel", "gpu-15", "kernel"),
        (5, "service", "gpu-15", "kubelet"),
    }
    assert reads.accounted("E1") == len(text)


def test_without_a_column_for_the_program_a_kernels_line_is_a_claim(read: Read) -> None:
    """Only its form says whose it is."""
    (found,) = read(f'time,host,msg\n2026-11-29 10:22:01,gpu-14,"{XID}"\n', "e.csv").records
    assert (found.channel, found.host, found.text) == ("quoted", "gpu-14", XID)


def test_a_table_in_a_text_is_what_a_person_says(read: Read) -> None:
    """Its rows keep their hosts; a time of day without its date dates nothing."""
    text = (
        "What we saw:\n\n| time | host | msg |\n|---|:--|---|\n"
        f"| 10:22:01 | gpu-14 | {XID} |\n| 10:22:03 | gpu-15 | `nothing` |\n\nPlease help.\n"
    )
    reads = read(text, "t.md")
    (found,) = reads.records
    assert (found.line, found.channel, found.host, found.text) == (5, "quoted", "gpu-14", XID)
    assert found.time is None
    assert reads.gaps == []
    assert reads.accounted("E1") == len(text)


@pytest.mark.parametrize(
    "text",
    [
        f"step,loss,time\n1,2.0,2026-11-29 10:22:01\nRuntimeError: {XID}\n",
        f'timestamp, name, message\n"RuntimeError: {"x" * 200_000}\n',
    ],
)
def test_other_tables_and_broken_ones_are_searched_as_text(read: Read, text: str) -> None:
    """Without a message there are no lines; a field without end hides none of the rest."""
    reads = read(text, "e.csv")
    assert any("RuntimeError" in record.text for record in reads.records)
    assert reads.accounted("E1") == len(text)
