"""No input makes a reader fail, and no byte of it goes missing without a word."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.tools.readers.conftest import read_paths
from tests.tools.readers.samples import ALL

Mutation = Callable[[bytes, random.Random], bytes]


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def behead(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 40)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def insert(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + rng.randbytes(rng.randrange(1, 400)) + data[place:]


def drop(data: bytes, rng: random.Random) -> bytes:
    begin = rng.randrange(len(data))
    return data[:begin] + data[begin + rng.randrange(1, 200) :]


def windows(data: bytes, _: random.Random) -> bytes:
    return data.replace(b"\n", b"\r\n")


def coloured(data: bytes, rng: random.Random) -> bytes:
    return b"\n".join(
        b"\x1b[3%dm" % rng.randrange(8) + line[:7] + b"\x1b[0m" + line[7:]
        for line in data.split(b"\n")
    )


def interleaved(data: bytes, rng: random.Random) -> bytes:
    other = rng.choice(sorted(ALL.values())).split(b"\n")
    lines = data.split(b"\n") + other
    rng.shuffle(lines)
    return b"\n".join(lines)


def holes(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes(rng.randrange(1, 5000)) + data[place:]


def latin(data: bytes, _: random.Random) -> bytes:
    return data.replace(b"e", b"\xe9")


def chinese(data: bytes, _: random.Random) -> bytes:
    return data + "错误: 设备掉线\n".encode("gb18030")


def zipped_cut(data: bytes, rng: random.Random) -> bytes:
    packed = gzip.compress(data)
    return packed[: rng.randrange(2, len(packed))]


def wide(data: bytes, rng: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode("utf-16")[: rng.randrange(3, 2 * len(data))]


def packed_flip(data: bytes, rng: random.Random) -> bytes:
    return flip(zstandard.compress(data), rng)


def endless(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", b" ") * (1 + rng.randrange(60_000) // len(data))


def repeated(data: bytes, rng: random.Random) -> bytes:
    return data * rng.randrange(2, 5)


def nested(data: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"[", b"{", b'{"a":')) * rng.randrange(1, 3000) + data


MUTATIONS: tuple[Mutation, ...] = (
    cut, cut, behead, flip, flip, insert, drop, windows, coloured, interleaved, holes, latin,
    chinese, zipped_cut, wide, packed_flip, endless, repeated, nested,
)  # fmt: skip


def test_there_are_enough_damaged_inputs() -> None:
    """At least five hundred."""
    assert len(ALL) * len(MUTATIONS) >= 500


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_byte_is_accounted_for(name: str, tmp_path: Path) -> None:
    """Spans and gaps of a damaged file add up to its size; reading never raises."""
    rng = random.Random(name)  # noqa: S311  # repeatable, not secret
    for number, mutate in enumerate(MUTATIONS):
        (tmp_path / f"{number}-{mutate.__name__}").write_bytes(mutate(ALL[name], rng))
    reads = read_paths(tmp_path)
    assert len(reads.evidence) + len(reads.gaps) >= 1
    for evidence in reads.evidence:
        assert reads.accounted(evidence.id) == evidence.size, evidence.path
        assert not evidence.size or evidence.outcome != "empty"


@pytest.mark.each_counts
@pytest.mark.parametrize("name", sorted(ALL))
def test_spans_do_not_overlap(name: str, tmp_path: Path) -> None:
    """Spans and gaps with bytes lie one behind the other."""
    path = tmp_path / "evidence"
    path.write_bytes(ALL[name])
    reads = read_paths(path)
    parts = sorted(
        (part.offset or 0, part.length or 0) for part in [*reads.spans, *reads.gaps] if part.length
    )
    place = 0
    for offset, length in parts:
        assert offset == place
        place += length
    assert place == len(ALL[name])


def test_rubbish_is_a_gap(tmp_path: Path) -> None:
    """Random bytes are no text: they end in a gap that says so."""
    path = tmp_path / "core"
    path.write_bytes(random.Random(1).randbytes(300_000))  # noqa: S311  # repeatable
    reads = read_paths(path)
    assert reads.accounted("E1") == 300_000
    assert any("binary" in gap.why for gap in reads.gaps)
