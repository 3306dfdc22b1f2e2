"""What serving and training frameworks write has a time on each line."""

from tests.tools.readers.conftest import Read

VLLM = """\
INFO 10-12 02:10:40 llm_engine.py:161] Initializing an LLM engine (v0.4.2) with config: model='/m'
(VllmWorkerProcess pid=74788) ERROR 10-12 02:10:41 [multiproc_worker_utils.py:238] Exception
(EngineCore_DP0 pid=3452) ERROR 10-12 02:10:43 [core.py:710] EngineCore encountered a fatal error.
\x1b[1;36m(Worker_TP3 pid=240)\x1b[0;0m WARNING 10-12 02:10:44 [worker.py:266] slow
(EngineCore_DP0 pid=3452) torch.OutOfMemoryError: CUDA out of memory.
"""
TRAINER = """\
[INFO|trainer.py:2405] 2025-05-30 02:56:21,267 >> ***** Running training *****
[rank3]:[WARNING|modeling_utils.py:12] 2025-05-30 02:56:22,267 >> slow
"""


def test_vllm_lines_are_dated_in_the_year_of_the_evidence(read: Read) -> None:
    """Coloured or not, with or without the worker's name, old and new."""
    records = read(VLLM, literals=("INFO", "ERROR", "WARNING"), now="2025-11-01T00:00:00Z").records

    assert {one.channel for one in records} == {"app"}
    assert [one.time.utc.isoformat() if one.time else "" for one in records] == [
        "2025-10-12T02:10:40+00:00", "2025-10-12T02:10:41+00:00", "2025-10-12T02:10:43+00:00",
        "2025-10-12T02:10:44+00:00",
    ]  # fmt: skip
    assert records[1].fields["pid"] == "74788"
    assert records[3].fields["rank"] == "3"


def test_a_line_that_bears_no_time_belongs_to_the_moment_of_the_one_before(read: Read) -> None:
    """So an exception below is dated too."""
    (record,) = read(VLLM, literals=("out of memory",), now="2025-11-01T00:00:00Z").records

    assert record.time is not None
    assert record.time.utc.isoformat() == "2025-10-12T02:10:44+00:00"


def test_trainers_lines_are_dated(read: Read) -> None:
    """Behind level and file, with the rank that a launcher writes before."""
    records = read(TRAINER, literals=(">>",)).records

    assert [one.time.utc.isoformat() if one.time else "" for one in records] == [
        "2025-05-30T02:56:21.267000+00:00", "2025-05-30T02:56:22.267000+00:00",
    ]  # fmt: skip
    assert records[1].fields["rank"] == "3"


def test_a_month_that_is_none_is_text(read: Read) -> None:
    """Numbers that are no date are not taken for one."""
    (record,) = read("INFO 99-12 02:10:40 x.py:1] odd\n", literals=("odd",)).records

    assert record.time is None
