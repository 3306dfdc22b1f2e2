"""What names things is read first, what others date last."""

import pytest

from tools.reading_order import Turn, turn_of

STORED = b'{"apiVersion": "v1", "kind": "List", "items": []}'
TABLE = (
    b"NAMESPACE  NAME     READY  STATUS   RESTARTS  AGE  IP        NODE\nml  train-0  1/1 Running\n"
)
DESCRIBED = b"Name:         train-0\nNamespace:    ml\nNode:         n7/10.0.0.7\n"
EXPORT = b"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1750384800000000\nMESSAGE=x\n\n"


@pytest.mark.parametrize(
    ("head", "turn"),
    [
        (STORED, Turn.OBJECTS),
        (TABLE, Turn.OBJECTS),
        (b"$ kubectl get pods -A -o wide\n" + TABLE, Turn.OBJECTS),
        (DESCRIBED, Turn.OBJECTS),
        (b"2025-06-20T02:00:00Z INFO step 1\n", Turn.OTHERS),
        (b"", Turn.OTHERS),
        (EXPORT, Turn.JOURNALS),
        (b"[    0.000000] Linux version 6.8\n", Turn.BOOT_CLOCKS),
        (b"<6>[  12.345678] usb 1-1: new device\n", Turn.BOOT_CLOCKS),
    ],
)
def test_the_beginning_tells_the_turn(head: bytes, turn: Turn) -> None:
    """By content, never by name."""
    assert turn_of(head) is turn
