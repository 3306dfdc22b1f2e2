"""Exports of log stores are read as the logs they once were; only the system's own is believed."""

import json

from tests.tools.readers import operator_samples as samples
from tests.tools.readers.conftest import Read, Reads


def found(reads: Reads, word: str) -> list[tuple[str, str, str]]:
    return [(one.channel, one.host, one.text) for one in reads.records if word in one.text]


def test_loki_streams_are_the_kernels_a_pods_or_the_systems(read: Read) -> None:
    """By their labels; a program's line that looks like the kernel's stays the program's."""
    reads = read(samples.LOKI)

    assert [(channel, host) for channel, host, _ in found(reads, "NVRM: Xid")] == [
        ("kernel", "gpu-1"), ("app", "gpu-1"), ("kernel", "gpu-2"),
    ]  # fmt: skip
    (trace,) = [one for one in reads.records if "RuntimeError" in one.text]
    assert trace.text.startswith("Traceback")
    assert (trace.fields["pod"], trace.fields["container"]) == ("job-0", "main")
    (pleg,) = [one for one in reads.records if "PLEG" in one.text]
    assert (pleg.channel, pleg.unit, pleg.host) == ("service", "kubelet", "gpu-2")
    assert reads.accounted("E1") == len(samples.LOKI)


def test_a_line_of_an_export_is_cited_where_it_stands(read: Read) -> None:
    """Though entries are read in the order of their times."""
    reads = read(samples.LOKI)
    lines = samples.LOKI.split("\n")
    for record in reads.records:
        cited = "".join(lines[record.line - 1 : record.line + 3])
        assert json.dumps(record.text.split("\n")[0])[1:40].rstrip('"') in cited


def test_elastic_documents_are_read_as_answer_and_as_dump(read: Read) -> None:
    """A pod that calls itself the kernel is a pod all the same."""
    for name, text in (("answer", samples.ELASTIC), ("dump", samples.ELASTIC_DUMP)):
        reads = read(text, name)
        assert [(channel, host) for channel, host, _ in found(reads, "Xid")] == [
            ("kernel", "gpu-1"), ("app", "gpu-1"),
        ], name  # fmt: skip
        first = reads.records[0]
        assert first.time is not None
        assert first.time.utc.isoformat() == "2024-05-11T07:41:02.123000+00:00"
        assert reads.accounted("E1") == len(text)
    assert [one.line for one in reads.records] == [1, 2]


def test_documents_that_a_shipper_wrote_to_a_file_are_read_alike(read: Read) -> None:
    """Host and process say whose line each is, as in the index."""
    xid = {"process": {"name": "kernel"}, "message": "NVRM: Xid (PCI:0000:3b:00): 79, pid=4411"}
    died = {"process": {"name": "train"}, "message": "RuntimeError: CUDA error"}
    said = [
        {"@timestamp": f"2026-11-29T10:22:0{number}.000Z", "host": {"name": "gpu-14"}, **one}
        for number, one in enumerate((xid, died), 1)
    ]
    reads = read("".join(json.dumps(one) + "\n" for one in said), "e.ndjson")
    assert [(r.line, r.channel, r.host, r.unit) for r in reads.records] == [
        (1, "kernel", "gpu-14", "kernel"), (2, "service", "gpu-14", "train"),
    ]  # fmt: skip
    assert [r.text for r in reads.records] == [xid["message"], died["message"]]


def test_a_program_that_logs_in_the_same_names_stays_one(read: Read) -> None:
    """What it says of its process makes it no kernel."""
    said = {"@timestamp": "2026-11-29T10:22:01.000Z", "process": {"name": "kernel"},
            "message": "NVRM: Xid (PCI:0000:3b:00): 79, pid=4411"}  # fmt: skip
    (found,) = read(json.dumps(said) + "\n", "app.log").records
    assert found.channel == "text"


def test_a_cut_export_tells_of_its_whole_parts(read: Read) -> None:
    """The rest is a gap that says so."""
    cut = samples.ELASTIC_DUMP[:-40]
    reads = read(cut)

    assert len(reads.records) == 1
    assert any("damaged JSON" in gap.why for gap in reads.gaps)
    assert reads.accounted("E1") == len(cut)


def test_lines_of_logcli_and_of_grafana_are_read(read: Read) -> None:
    """A line each, or a list; nanoseconds or a stamp."""
    reads = read(samples.LOGCLI)
    assert [(one.channel, one.line) for one in reads.records] == [("kernel", 1), ("app", 2)]
    stamp = {"timestamp": "1715413262123456789", "date": "2024-05-11T07:41:02.123Z"}
    row = {"line": "NVRM: Xid (PCI:0000:9b:00): 79", **stamp, "fields": {"host": "gpu-1"}}
    (record,) = read(json.dumps([row], indent=2), "download").records
    assert (record.host, record.line) == ("gpu-1", 2)
    assert record.time is not None
    assert record.time.utc.isoformat() == "2024-05-11T07:41:02.123456+00:00"
