"""Stamps as programs print them under Chinese, Japanese and Korean locales."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.tools.readers.conftest import Read, read_paths
from tools.encodings import is_gb

XID = "NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
NOW = datetime(2025, 12, 1, tzinfo=UTC)
AT = datetime(2025, 10, 21, 2, 57, 40, tzinfo=UTC)
EARLY = datetime(2025, 5, 3, 2, 57, 40, tzinfo=UTC)
TICKET = """\
工单编号: INC-20251021-0042
标题: gpu-n11 训练任务中断，nvidia-smi 卡死
现象描述: 02:58 左右任务卡住不动，GPU 利用率 100%。怀疑是网络问题。
附日志:
{line}
"""


@pytest.mark.parametrize(
    ("line", "utc"),
    [
        ("10月 21 02:57:40 gpu-n11 kernel: {}", AT),
        (" 5月 03 02:57:40 gpu-n11 kernel: {}", EARLY),
        ("5月 03 02:57:40 gpu-n11 kernel: {}", EARLY),
        ("10월 21 02:57:40 gpu-n11 kernel: {}", AT),
        ("[二 10月 21 02:57:40 2025] {}", AT),
        ("[火 10月 21 02:57:40 2025] {}", AT),
        ("[화 10월 21 02:57:40 2025] {}", AT),
        ("[六  5月  3 02:57:40 2025] {}", EARLY),
    ],
)
@pytest.mark.parametrize("text", ["{line}\n", "{line}\n{line}\n", TICKET])
def test_a_month_may_be_a_number_with_its_sign(
    read: Read, line: str, utc: datetime, text: str
) -> None:
    """journalctl and `dmesg -T` name days and months by the locale: in a log and pasted."""
    records = read(text.format(line=line.format(XID)), "note.txt", now=NOW).records
    assert {r.text for r in records} == {XID}
    assert {r.channel for r in records} == {"quoted" if text == TICKET else "kernel"}
    assert {r.time.utc for r in records if r.time} == {utc}


def test_a_log_with_a_space_before_its_months_speaks_for_the_system(read: Read) -> None:
    """Its lines are no continuations."""
    lines = "".join(f" 5月 03 02:57:4{n} gpu-n11 kernel: {XID}\n" for n in range(5))
    found = read(lines + " 5月 03 02:57:49 gpu-n11 kubelet[2]: up\n", now=NOW).records
    assert [(r.channel, r.host) for r in found] == [("kernel", "gpu-n11")] * 5


def test_a_thirteenth_month_is_none(read: Read) -> None:
    """What is no stamp stays text."""
    (record,) = read(f"13月 21 02:57:40 gpu-n11 kernel: {XID}\n").records
    assert record.time is None


@pytest.mark.parametrize("encoding", ["gbk", "gb18030"])
def test_the_older_chinese_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    """As UTF-8 would be: stamps, and what people wrote."""
    line = f"10月 21 02:57:40 gpu-n11 kernel: {XID}"
    path = tmp_path / "ticket.txt"
    path.write_bytes(TICKET.format(line=line).encode(encoding))
    reads = read_paths(path, now=NOW, literals=["利用率", "NVRM: Xid"])
    prose, quoted = reads.records
    assert "利用率 100%" in prose.text
    assert quoted.time is not None
    assert quoted.time.utc == AT
    assert not reads.gaps


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_it_is_read_in_a_packed_file_too(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """Whoever packs a ticket does not change its encoding."""
    path = tmp_path / "ticket.txt.packed"
    path.write_bytes(pack(TICKET.format(line="").encode("gbk") * 2000))
    reads = read_paths(path, now=NOW, literals=["利用率"])

    assert "利用率 100%" in reads.records[0].text
    assert not reads.gaps


def test_what_lies_before_the_damage_is_read_and_the_damage_told(tmp_path: Path) -> None:
    path = tmp_path / "ticket.txt.gz"
    path.write_bytes(gzip.compress(TICKET.format(line="").encode("gbk"))[:-9])
    reads = read_paths(path, now=NOW, literals=["利用率"])

    assert "利用率 100%" in reads.records[0].text
    assert reads.gaps


UTF8 = TICKET.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"plain", UTF8, UTF8[:-200], UTF8[:40] + b"\xff" + UTF8[40:], UTF8[1:],
        "Préparation terminée, déjà vérifié à Genève".encode("latin-1"),
        "Größe geändert, Übertragung läuft für die Prüfung".encode("latin-1"),
        bytes(range(256)) * 20, TICKET.encode("gbk") + b"\0" * 4,
    ],
)  # fmt: skip
def test_nothing_else_is_taken_for_it(data: bytes) -> None:
    """UTF-8 whole, cut or damaged, Latin text and binary bytes are not."""
    assert not is_gb(data)
