"""Logs of ranks that come without context, told by what they say."""

from pathlib import Path

from tests.tools.readers.conftest import read_paths
from tools.rank_logs import RankLog, rank_log_of

NCCL = (
    "gpu-0{0}:120{0}:120{0} [0] NCCL INFO Bootstrap : Using eth0:10.1.0.{0}<0>\n"
    "gpu-0{0}:120{0}:120{0} [0] NCCL INFO comm 0x55d rank {0} nranks 3 cudaDev 0 busId 9b000 "
    "commId 0xabc - Init COMPLETE\n"
)
STEPS = "".join(
    f"2026-11-30 02:0{n}:00,123 [rank{{0}}] INFO train step {n} loss 3.0\n" for n in range(5)
)
FAILED = "[rank{0}]:[E1130 02:25:10.120000000 x.cpp:616] [Rank {0}] Watchdog caught collective\n"


def _write(folder: Path, pattern: str, text: str) -> list[Path]:
    paths = [folder / pattern.format(rank) for rank in range(3)]
    for rank, path in enumerate(paths):
        path.write_text(text.format(rank))
    return paths


def test_a_file_tells_its_rank_and_host() -> None:
    """By the prefix of its lines, by NCCL's words, by its name; two ranks in it tell nothing."""
    whole = RankLog("1", "gpu-01", "0xabc", 3)
    assert rank_log_of((NCCL + STEPS).format(1).encode(), "x.log") == whole
    assert rank_log_of(NCCL.format(1).encode(), "x.log") == whole
    assert rank_log_of(b"step 1 loss 2\n", "run-rank_07.log") == RankLog("7")
    assert rank_log_of(STEPS.format(1).encode() + STEPS.format(2).encode(), "rank1.log") is None
    assert rank_log_of(b"nothing\n", "frankfurt1.log") is None


def test_ranks_of_one_communicator_are_one_job(tmp_path: Path) -> None:
    """Each record names its rank, its host and the job that all of them share."""
    paths = _write(tmp_path, "nccl-rank{}.log", NCCL + STEPS + FAILED)
    told = {(r.channel, r.fields["job"], r.fields["rank"], r.host, r.fields.get("job_by"))
            for r in read_paths(*paths).records}  # fmt: skip
    assert told == {("app", "nccl", str(rank), f"gpu-0{rank}", None) for rank in range(3)}


def test_ranks_of_like_names_are_concluded_to_be_one_job(tmp_path: Path) -> None:
    """Without NCCL's words the names must do, and the conclusion is marked."""
    paths = _write(tmp_path, "rank{}.log", STEPS + FAILED)
    records = read_paths(*paths).records
    assert {(r.fields["job"], r.fields["job_by"]) for r in records} == {(tmp_path.name, "name")}
    assert "job" not in read_paths(paths[0]).records[0].fields


def test_what_one_launcher_wrote_of_many_ranks_is_one_job(tmp_path: Path) -> None:
    """A torchrun log names no job; that its ranks are of one is concluded from the file."""
    path = tmp_path / "train.log"
    path.write_text((STEPS + FAILED).format(1) + (STEPS + FAILED).format(2))
    told = {(r.channel, r.fields.get("job"), r.fields.get("job_by"))
            for r in read_paths(path).records}  # fmt: skip
    assert told == {("app", "train", "name")}


def test_ranks_in_a_hosts_syslog_are_of_any_job(tmp_path: Path) -> None:
    """There the kernel and other jobs write too."""
    path = tmp_path / "messages"
    line = "Nov 30 02:25:1{0} gpu-1 train[7{0}]: [rank{0}]: Watchdog caught collective\n"
    path.write_text("".join(line.format(n) for n in range(4)))
    records = read_paths(path).records
    assert records
    assert not any("job" in record.fields for record in records)
