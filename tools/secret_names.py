"""Tells by its name whether a setting holds a secret.

Field text is full of words that only look the part: `tokenizer`, `tokens/s`, `secretName`,
`token_count`. A name is therefore taken apart before it is judged.
"""

import itertools

from tools.late_patterns import compile_late

TRIGGER = (
    r"(?:passw|passphrase|pwd|secret|credential|api[_.\-]?key|access[_.\-]?key|private[_.\-]?key"
    r"|account[_.\-]?key|auth[_.\-]?key|accesskey|encryption[_.\-]?key|signing[_.\-]?key"
    r"|ssh[_.\-]?key|master[_.\-]?key|license[_.\-]?key|storage[_.\-]?key|client-key-data"
    r"|client-certificate-data|dockerconfigjson|dockercfg|auth|cookie|community"
    r"|token(?:[a-rt-z0-9_.\-][\w.\-]*)?)"
)
"""A cheap superset of all secret names, in a syntax that hyperscan and RE2 share."""

_CAMEL = compile_late(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATOR = compile_late(r"[_.\-]+")
_ANYWHERE = ("passw", "passphrase", "apikey", "accesskey", "secretkey", "privatekey", "accountkey")
_ENDINGS = ("token", "pwd", "secret", "credential", "credentials")
_WHOLE = frozenset({"auth", "dockerconfigjson", "dockercfg", "cookie"})
_KEYED = frozenset(
    {"api", "access", "private", "account", "auth", "encryption", "signing", "ssh", "master",
     "license", "storage", "secret", "client"}
)  # fmt: skip
_DESCRIBES = frozenset(
    {"id", "ids", "count", "type", "len", "length", "size", "name", "names", "ref", "refs", "file",
     "path", "dir", "ttl", "expiry", "expiration", "seconds", "limit", "rate", "class",
     "namespace", "policy", "usage", "index", "version", "mode", "enabled", "required", "valid",
     "status", "error", "audience", "audiences", "keyref", "store", "volume", "provider"}
)  # fmt: skip
"""Last words that turn a secret's name into a statement about the secret."""


def parts(name: str) -> list[str]:
    """Split a name at camel humps, dots, dashes and underscores, in lower case."""
    return [part for part in _SEPARATOR.split(_CAMEL.sub("_", name).lower()) if part]


def names_secret(name: str) -> bool:
    """Tell whether the value under `name` must not be seen."""
    words = parts(name)
    if not words:
        return False
    if _is_key_name(words):
        return True
    if words[-1] in _DESCRIBES:
        return False
    return any(_is_secret_word(word) for word in words) or "snmp_community" in "_".join(words)


def _is_secret_word(word: str) -> bool:
    return (
        word in _WHOLE
        or any(piece in word for piece in _ANYWHERE)
        or any(word.endswith(ending) for ending in _ENDINGS)
    )


def _is_key_name(words: list[str]) -> bool:
    """Recognise `api_key`, `AWS_ACCESS_KEY_ID`, `client-key-data`, but not `key` alone."""
    return any(
        first in _KEYED and second in {"key", "keys", "certificate"}
        for first, second in itertools.pairwise(words)
    ) and words[-1] not in (_DESCRIBES - {"id"})
