"""Tells a text in China's older encoding (GBK, GB18030) from UTF-8 and from no text at all."""

import codecs

SAMPLE = 64 << 10
"""So many bytes of a text tell its encoding."""
USUAL = 0.8
"""Share of the characters that every-day Chinese writes: GB2312 has them all. What is read so by
mistake (Latin text, damaged UTF-8) is full of others."""
HALF = 0.5
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\x0b\x0c\x1b\x08")


def is_gb(head: bytes) -> bool:
    """Tell from a text's beginning; plain ASCII and whatever is UTF-8 is not."""
    if head.isascii() or len(head.translate(None, _CONTROLS)) < len(head):
        return False
    high = sum(1 for byte in head if byte > 0x7F)  # noqa: PLR2004  # the last of ASCII
    if head.decode("utf-8", "replace").count("\ufffd") < HALF * high / 2:
        return False
    try:
        text = codecs.getincrementaldecoder("gb18030")().decode(head)  # the end may be cut
    except UnicodeDecodeError:
        return False
    wide = [character for character in text if not character.isascii()]
    usual = sum(1 for character in wide if character.encode("gb2312", "ignore"))
    return bool(wide) and usual >= USUAL * len(wide)
