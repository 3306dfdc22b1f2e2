# ruff: noqa: E501  (a pattern broken in two is harder to check)
"""Rules that find secrets in text: where to look, what to take, what to spare.

A `Rule` has a *trigger* for hyperscan (run over whole blocks, so that text without one costs
nothing) and a *pattern* for RE2, run only on the lines where the trigger fired. Its last group
that took part is the secret.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tools.late_patterns import compile_late
from tools.secret_names import TRIGGER, names_secret

Taken = tuple[int, int, bytes]
"""Start and end of a secret, and what stands in its place."""

MASK = b"<masked>"
"""Plain in JSON, YAML, XML text and URLs alike, and never a secret itself: masking is idempotent."""


class Found:
    """One match of a rule: its groups and where they lie in the whole text."""

    def __init__(self, groups: dict[str, tuple[bytes, int, int]]) -> None:
        self._groups = groups

    def text(self, name: str) -> bytes:
        """Give the group's bytes; empty where it took no part."""
        return self._groups.get(name, (b"", 0, 0))[0]

    def span(self, name: str) -> tuple[int, int]:
        """Give the group's start and end."""
        return self._groups[name][1:]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __contains__(self, name: str) -> bool:
        return name in self._groups


def take_secret(found: Found) -> Taken | None:
    """Take the group `secret` whole."""
    if found.text("secret") in {b"", MASK}:
        return None
    return (*found.span("secret"), MASK)


def always(data: bytes, end: int) -> bool:  # noqa: ARG001 (the simplest of gates)
    """Let every trigger through."""
    return True


_KEY_BACKWARDS = compile_late(rb"[ \t]*[\"'\\]*([\w.\-]+)")
_BLOCK_AFTER = compile_late(rb"[ \t]+[|>]")
_LONGEST_KEY = 96


@lru_cache(maxsize=4096)
def _is_secret(key: bytes) -> bool:
    return names_secret(key.decode("latin-1").lstrip("-"))


def after_secret_name(data: bytes, end: int) -> bool:
    """Let through what follows a name that means a secret."""
    found = _KEY_BACKWARDS.match(data[max(0, end - _LONGEST_KEY) : end - 1][::-1])
    return found is None or _is_secret(found[1][::-1])


def before_block(data: bytes, end: int) -> bool:
    """Let through a secret's name that a YAML block follows."""
    return _BLOCK_AFTER.match(data, end) is not None and after_secret_name(data, end)


@dataclass(frozen=True)
class Rule:
    """One way a secret is written."""

    name: str
    trigger: str
    pattern: bytes
    take: Callable[[Found], Taken | None] = take_secret
    lines: int = 1
    """How many lines, from the one of the trigger on, the pattern may need."""
    gate: Callable[[bytes, int], bool] = always
    """A cheap second look at a trigger that ended at an offset."""


_NEXT_SETTING = compile_late(rb"[;&,]\s*[\w.\-]+\s*[=:]|[;&]$")
_PLAIN = compile_late(
    rb"(?:true|false|null|none|nil|yes|no|~|\d{1,19}(?:\.\d+)?)[,;]?$", re.IGNORECASE
)
_JSON_WORDS = frozenset({b"null", b"true", b"false", b"None", b"True", b"False"})
_PORT = compile_late(rb"\d{1,5}/")
_PASSWORDS = ("passw", "pwd", "passphrase")


def _take_named(found: Found) -> Taken | None:
    """Take the value of a setting whose name says that it is secret."""
    name = found.text("key").decode("latin-1")
    if not _is_secret(found.text("key")):
        return None
    for group in ("deep", "escaped", "double", "single", "literal", "cut"):
        if group in found:
            return _unless_spared(name, found.text(group), found.span(group))
    start, end = found.span("bare")
    value = found.text("bare")
    if cut := _NEXT_SETTING.search(value):
        value, end = value[: cut.start()], start + cut.start()
    if found.text("quote").endswith(b'"'):
        value = value.rstrip(b"}],")
        taken = _unless_spared(name, value, (start, start + len(value)))
        return (*taken[:2], b'"' + MASK + b'"') if taken else None
    return _unless_spared(name, value, (start, end))


def _unless_spared(name: str, value: bytes, span: tuple[int, int]) -> Taken | None:
    """Spare what is no secret although its name sounds like one."""
    if not value or value == MASK or value[:1] in b"{[" or value.startswith((b"<set to", b"<none")):
        return None
    lowered = name.lower()
    if any(word in lowered for word in _PASSWORDS):
        is_folder = lowered.endswith("pwd") and value.startswith(b"/")
        return None if is_folder or value in _JSON_WORDS else (*span, MASK)
    if _PLAIN.fullmatch(value):
        return None
    return (*span, MASK)


def _take_flag_value(found: Found) -> Taken | None:
    """Take what follows a flag, unless it is the next flag."""
    return None if found.text("bare").startswith(b"--") else _take_named(found)


def _take_flag(found: Found) -> Taken | None:
    name = found.text("key").decode("latin-1")
    if not _is_secret(found.text("key")) or found.text("secret").startswith(b"--"):
        return None
    return _unless_spared(name, found.text("secret"), found.span("secret"))


def _take_userinfo(found: Found) -> Taken | None:
    """Take the password of a URL, or a lone user name that is long enough to be a token."""
    if "secret" in found:
        return None if _PORT.match(found.text("secret")) else take_secret(found)
    lone = found.text("lone")
    return (*found.span("lone"), MASK) if len(lone) >= 20 else None  # noqa: PLR2004  # shorter ones are names of users


_SETTING = r"(?i)" + TRIGGER + r"""[\w.\-]*["'\\]*[ \t]*[:=]"""


def _take_first(found: Found) -> Taken | None:
    """Take whichever group took part."""
    return next(((*found.span(name), MASK) for name in found if found.text(name) != MASK), None)


def _take_authorization(found: Found) -> Taken | None:
    """Take a header's credentials, but leave prose about bearers alone."""
    bearer = found.text("bearer").rstrip(b",.;:)]")
    if bearer.isalpha() and bearer.islower() and len(bearer) < _SHORTEST_TOKEN:
        return None
    return _take_first(found)


_SHORTEST_TOKEN = 16

_VALUE = (
    rb'(?:\\\\\\"(?P<deep>.*?)\\\\\\"'
    rb'|\\"(?P<escaped>(?:[^"\\]|\\\\\\["\\]|\\\\[^\\"]|\\[^"\\])*)'
    rb'|"(?P<double>(?:[^"\\]|\\.)*)'
    rb"|'(?P<single>(?:[^'\\\n]|\\.|'')*)'|'(?P<literal>(?:[^'\n]|'')*)'"
    rb"|\\*[\"'](?P<cut>[^\s\"']+)|(?P<bare>[^\s\"'\\][^\s\"']*))"
)
_NAMED = (
    rb"(?i)(?P<key>[\w.\-]*" + TRIGGER.encode() + rb"[\w.\-]*)(?P<quote>\\*[\"']?)"
    rb"[ \t]*(?::=|=>|[:=])[ \t]*" + _VALUE
)
_TOKENS = (
    rb"\b(?P<secret>(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}"
    rb"|github_pat_\w{22,}|glpat-[\w\-]{20,}|xox[abeposr]-[\w\-]{10,}|xapp-[\w\-]{10,}"
    rb"|AIza[\w\-]{35}|ya29\.[\w\-.]{20,}|eyJ[\w\-]{8,}\.[\w\-]{8,}(?:\.[\w\-]*)?|hf_[A-Za-z0-9]{20,}"
    rb"|sk-[A-Za-z0-9][\w\-]{18,}|[srp]k_(?:live|test)_\w{16,}|npm_[A-Za-z0-9]{30,}|pypi-[\w\-]{16,}"
    rb"|dckr_pat_[\w\-]{20,}|nvapi-[\w\-]{20,}|SG\.[\w\-]{16,}\.[\w\-]{16,}|hv[sbr]\.[\w\-]{20,}"
    rb"|AGE-SECRET-KEY-1[0-9A-Z]{20,}|LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}={0,2})"
)
_TOKEN_HEADS = (
    r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}", r"\bgh[pousr]_[A-Za-z0-9]{30}", r"\bgithub_pat_",
    r"\bglpat-", r"\bxox[abeposr]-", r"\bxapp-", r"\bAIza[\w\-]{35}", r"\bya29\.", r"\beyJ[\w\-]{8}",
    r"\bhf_[A-Za-z0-9]{20}", r"\bsk-[A-Za-z0-9][\w\-]{18}", r"\b[srp]k_(?:live|test)_", r"\bnpm_[A-Za-z0-9]{30}",
    r"\bpypi-[\w\-]{16}", r"\bdckr_pat_", r"\bnvapi-", r"\bSG\.[\w\-]{16}", r"\bhv[sbr]\.[\w\-]{20}",
    r"\bAGE-SECRET-KEY-1", r"\bLS0tLS1CRUdJTi",
)  # fmt: skip
_SIGNED = rb"(?:sig|signature|key|auth|code|jwt|session|x-amz-(?:signature|credential|security-token)|x-goog-signature)"

RULES: tuple[Rule, ...] = (
    Rule(
        "named setting",
        _SETTING,
        _NAMED,
        _take_named,
        gate=after_secret_name,
    ),
    Rule(
        "setting on a line of its own",
        _SETTING,
        rb"(?im)^[ \t]*(?:-[ \t]+)?[\"']?(?P<key>[\w.\-]*"
        + TRIGGER.encode()
        + rb"[\w.\-]*)[\"']?:[ \t]+"
        rb"(?P<secret>[^\s\"'{\[|>&*\\][^\n\r]*\S)",
        _take_flag,
        gate=after_secret_name,
    ),
    Rule(
        "block of a setting",
        _SETTING,
        rb"(?im)^[ \t]*(?:-[ \t]+)?(?P<key>[\w.\-]*"
        + TRIGGER.encode()
        + rb"[\w.\-]*):[ \t]+[|>][+\-\d]*[ \t]*\r?\n"
        rb"[ \t]+(?P<secret>\S[^\n\r]*(?:\r?\n[ \t]+[A-Za-z0-9+/=_.\-]+)*)",
        _take_flag,
        lines=400,
        gate=before_block,
    ),
    Rule(
        "command-line flag",
        r"(?i)-[\w.\-]*" + TRIGGER + r"""[\w.\-]*["'\\]*[,\s=]""",
        rb"(?i)(?:^|[^\w.\-]|\\[nrt])--?(?P<key>[\w.\-]*"
        + TRIGGER.encode()
        + rb"[\w.\-]*)(?P<quote>\\*[\"']?)(?:,\s*|\s+|=)(?:-[ \t]+)?"
        + _VALUE,
        _take_flag_value,
        lines=2,
        gate=after_secret_name,
    ),
    Rule(
        "user and password of a command",
        r"(?i)(?:curl|wget|mysql|mysqldump|sshpass|ldapsearch|redis-cli|ipmitool) ",
        rb"(?i)\b(?:curl|wget)\b[^\n]*?\s(?:-u|--user)[ \t=\"',]+[^\s:\"']+:(?P<curl>[^\s\"']+)"
        rb"|\bmysql\w*\b[^\n]*?\s-p(?P<mysql>[^\s\"']+)"
        rb"|\b(?:sshpass|ipmitool|ldapsearch|redis-cli)\b[^\n]*?\s[\"']?-(?:p|P|w|a)[\"']?[ \t,\"']*(?P<secret>[^\s\"',]+)",
        _take_first,
    ),
    Rule(
        "authorization header",
        r"(?i)(?:\bbearer\b|authorization|\bbasic )",
        rb"(?i)(?:\bbearer[ \t]+(?P<bearer>[^\s\"'\\<>]{6,})"
        rb"|authorization[\"'\\]*[ \t]*[:=][ \t]*[\"'\\\[]*(?:basic|token|digest|negotiate|aws4-hmac-sha256|apikey)[ \t]+(?P<header>[^\r\n\"']+)"
        rb"|authorization[\"'\\]*[ \t]*[:=][ \t]*[\"'\\\[]*(?P<secret>[A-Za-z0-9._~+/=\-]{16,}))",
        _take_authorization,
    ),
    Rule(
        "cookie",
        r"(?i)cookie[\"'\\]{0,4}[ \t]{0,4}[:=]",
        rb"(?i)(?:set-)?cookie[\"'\\]*[ \t]*[:=][ \t]*[\"'\\]*(?P<secret>[^\r\n\"'\\]+)",
    ),
    Rule(
        "credentials in a URL",
        r"://[^\s/\"'@]+@|://[^\s\"'@/]+:[^\s\"'@]+@",
        rb"://(?:[^\s/:\"'@]*:(?P<secret>[^\s\"']*)@[\w.\-\[<]|(?P<lone>[^\s/:\"'@]+)@)",
        _take_userinfo,
    ),
    Rule(
        "signed URL",
        r"(?i)[?&;]" + _SIGNED.decode() + "=",
        rb"(?i)[?&;]" + _SIGNED + rb"=(?P<secret>[^\s&\"'<>\\]+)",
    ),
    Rule(
        "webhook address",
        r"hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|webhook\.office\.com/",
        rb"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/|webhook\.office\.com/)(?P<secret>[^\s\"'<>\\]+)",
    ),
    Rule("token by its form", "|".join(_TOKEN_HEADS), _TOKENS),
    Rule(
        "bootstrap token",
        r"--token\b|\bdiscovery-token",
        rb"\b(?P<secret>[a-z0-9]{6}\.[a-z0-9]{16})\b",
    ),
    Rule(
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY",
        rb"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?P<secret>.*?)-----END [A-Z0-9 ]*PRIVATE KEY"
        rb"|-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?P<cut>[A-Za-z0-9+/=\s\\,:.\-]+)",
        _take_first,
        lines=400,
    ),
)
