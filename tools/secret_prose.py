# ruff: noqa: E501  (a pattern broken in two is harder to check)
"""Rules for passwords that people write into sentences, in English and Chinese.

Sentences about passwords are many and must stay readable, so a word is taken only where it is said
to be the password and looks like one, or looks like nothing else.
"""

import re

from tools.late_patterns import compile_late
from tools.secret_shapes import Found, Rule, Taken, take_secret

_NAME = r"(?:passwords?|passwd|passphrases?|passcodes?)"
_CHINESE = r"(?:密码|口令|密钥)"
_WIDE = "：|\uff1d"
"""The colon and the equals sign as Chinese text writes them."""
_STRONG = compile_late(
    rb"[^\s]*(?:[A-Za-z][^\s]*\d|\d[^\s]*[A-Za-z]|[A-Za-z][#$%&*^!~+][A-Za-z0-9])"
)
_DIGITS = compile_late(rb"\d{6,}$")
_NO_SECRET = compile_late(
    rb"(?:[$<{%/(]|https?:|sha-?\d|md5|bcrypt|oauth|nfs|ipmi|ssh|rfc-?\d|\d{4}-\d\d-\d\d|GPU-|MIG-)",
    re.IGNORECASE,
)
"""How templates, paths, addresses, methods, days and identifiers begin."""
_HOST = compile_late(rb"[a-z]+(?:[\-.][a-z0-9]+)*-?\d+[a-z]?$")
_TRAILING = b".,;:!?)]}"
_LEAST = 6


def _take_said(found: Found) -> Taken | None:
    """Take a word after "password", if it looks like one; quoted, whatever it is."""
    if found.text("quoted"):
        return _spare_template(found, "quoted")
    value = found.text("secret").rstrip(_TRAILING)
    start = found.span("secret")[0]
    if len(value) < _LEAST or _NO_SECRET.match(value):
        return None
    said = bool(found.text("said"))
    strong = _STRONG.match(value) is not None and (said or not _HOST.match(value))
    if not strong and not (said and _DIGITS.match(value)):
        return None
    return start, start + len(value), b"<masked>"


def _take_chinese(found: Found) -> Taken | None:
    """Take what follows a colon whole; after "is" or a space only what looks like a password."""
    if not found.text("colon"):
        return _take_said(found)
    taken = _spare_template(found, "secret")
    if taken is None:
        return None
    start, end, mask = taken
    kept = len(found.text("secret").rstrip(_TRAILING))
    return (start, start + kept, mask) if kept else (start, end, mask)


def _spare_template(found: Found, group: str) -> Taken | None:
    return None if _NO_SECRET.match(found.text(group)) else (*found.span(group), b"<masked>")


_VALUE = rb"(?:[\"'`](?P<quoted>[^\s\"'`<>\\|]{4,})[\"'`]|(?P<secret>[^\s\"'`<>\\|\x80-\xff]{4,}))"
_OF = rb"(?:[ \t]+(?:for|of|on)(?:[ \t]+the)?[ \t]+[\w.@\-]+(?:[ \t]+(?:user|account|login|host))?)"

PROSE_RULES: tuple[Rule, ...] = (
    Rule(
        "password in a sentence",
        rf"(?i){_NAME}[ \t]+(?:\(?[^\s\d|]{{0,30}}[\d#$&*%^~!+]|[\"'`]|[^\n|]{{0,60}}\b(?:is|are|was|to)[ \t:])",
        rb"(?i)\b" + _NAME.encode() + rb"(?:" + _OF + rb"?(?P<said>[ \t]+(?:is|are|was|to):?)[ \t]+|[ \t]+\(?)" + _VALUE,
        _take_said,
    ),
    Rule(
        "password in Chinese",
        _CHINESE + rf"[ \t]*(?:[:=]|{_WIDE}|为|是|改为|设为|[ \t])",
        _CHINESE.encode() + rb"[ \t]*(?:(?P<colon>[:=]|" + _WIDE.encode() + rb")|(?P<said>"
        + "为|是|改为|设为".encode() + rb")|[ \t])[ \t]*" + _VALUE,
        _take_chinese,
    ),
    Rule(
        "secret beside a key",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}",
        rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b(?s:.{0,80}?)[^A-Za-z0-9/+](?P<secret>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        take_secret,
        lines=2,
    ),
)  # fmt: skip
