import pytest

from knowledge.quantity import (
    decode_field,
    parse_duration,
    parse_quantity,
    parse_size,
    parse_time,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8.0),
        ("100m", 0.1),
        ("64Gi", 64 * 2.0**30),
        ("1e3", 1000.0),
        ("2k", 2000.0),
        ("-5", -5.0),
        ("8 GPUs", None),
        ("GPU-6f0c", None),
        ("", None),
        ("5i", None),
    ],
)
def test_kubernetes_quantities(text: str, value: float | None) -> None:
    """Suffixes of both powers; what is no quantity is None."""
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6.918204551s", 6.918204551),
        ("3m4.2s", 184.2),
        ("120 s", 120.0),
        ("1h0m0s", 3600.0),
        ("45.654372ms", 0.045654372),
        ("250\u00b5s", 0.00025),
        ("10 minutes", 600.0),
        ("12", 12.0),
        ("soon", None),
        ("3 bananas", None),
        ("", None),
    ],
)
def test_durations_are_seconds(text: str, seconds: float | None) -> None:
    """Go's, the kernel's and people's spellings."""
    assert parse_duration(text) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("79.15 GiB", 79.15 * 2**30),
        ("67108864kB", 67108864 * 1024),
        ("512", 512),
        ("10Gi", 10 * 2**30),
        ("2 GB", 2e9),
        ("lots", None),
    ],
)
def test_sizes_are_bytes(text: str, size: float | None) -> None:
    """The kernel's kB is 1024 bytes."""
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("a b", "text", "a b"),
        ("1,024", "int", 1024),
        ("0x1f", "int", 31),
        ("x", "int", None),
        ("2.5", "float", 2.5),
        ("600000", "milliseconds", 600.0),
        ("600", "deciseconds", 60.0),
        ("x", "deciseconds", None),
        ("3m", "duration", 180.0),
        ("1Ki", "bytes", 1024.0),
    ],
)
def test_fields_decode_by_declared_type(text: str, kind: str, value: object) -> None:
    """Times come out in seconds, sizes in bytes; rubbish as None."""
    assert decode_field(text, kind) == value  # type: ignore[arg-type]  # mixed keywords


def test_times_state_their_zone() -> None:
    """RFC 3339 with a zone is a moment; without one, or impossible, it is not."""
    assert parse_time("1970-01-01T00:01:00Z") == 60.0
    assert parse_time("1970-01-01T08:01:00.5+08:00") == 60.5
    assert parse_time("1970-01-01T00:01:00") is None
    assert parse_time("1970-13-01T00:01:00Z") is None
