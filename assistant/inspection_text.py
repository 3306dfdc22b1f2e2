"""Fills an inspection's sentences with the values that were judged."""

from collections.abc import Callable, Mapping

from assistant.sentences import say, settle
from knowledge.bilingual import Bilingual
from knowledge.conditions import as_text, lookup
from tools.late_patterns import compile_late

_HOLE = compile_late(r"\{([^{}:]+)(?::(\w+))?\}")
_UNKNOWN = "?"
_STEP = 1024.0
_DAY_S, _HOUR_S, _MINUTE_S = 86400.0, 3600.0, 60.0


def fill(text: str, thing: object, top: object = None) -> str:
    """Put values for ``{path}`` and ``{path:form}``; what is not known reads ``?``."""
    return _HOLE.sub(lambda hole: _value(hole[1], hole[2], thing, top), text)


def fill_both(sentence: Bilingual, thing: object, top: object = None) -> Bilingual:
    """Fill both languages."""
    return Bilingual(en=settle(fill(sentence.en, thing, top)), zh=fill(sentence.zh, thing, top))


def fields_of(text: str) -> tuple[str, ...]:
    """Return the paths that a sentence names."""
    return tuple(path for path, _ in _HOLE.findall(text))


def name_of(template: str, thing: object, top: object = None) -> str:
    """Name what is judged; parts that are not known are left out."""
    filled = fill(template, thing, top)
    return " ".join(part for part in filled.split() if part != _UNKNOWN) or "-"


def not_seen(why: str = "") -> Bilingual:
    """Say that nothing was seen; the reason, where one is known, is said beside it."""
    return say("inspect-unseen-why" if why else "inspect-unseen")


def not_told(fields: tuple[str, ...]) -> Bilingual:
    """Say which values the source did not give."""
    return say("inspect-untold", fields=", ".join(fields))


def _value(path: str, form: str, thing: object, top: object) -> str:
    value = lookup(thing, path, top=top)
    if value is None:
        return _UNKNOWN
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _FORMS.get(form, _plain)(float(value))
    return as_text(value)


def _plain(number: float) -> str:
    return f"{number:.0f}" if number.is_integer() else f"{number:.4g}"


def _in_bytes(number: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if number < _STEP or unit == "TiB":
            break
        number /= _STEP
    return f"{number:.3g} {unit}"


def _in_time(seconds: float) -> str:
    if abs(seconds) >= 2 * _DAY_S:
        return f"{seconds / _DAY_S:.0f} d"
    if abs(seconds) >= 2 * _HOUR_S:
        return f"{seconds / _HOUR_S:.1f} h"
    if abs(seconds) >= 2 * _MINUTE_S:
        return f"{seconds / _MINUTE_S:.0f} min"
    return f"{seconds * 1000:.3g} ms" if abs(seconds) < 1 else f"{seconds:.3g} s"


def _in_percent(share: float) -> str:
    return f"{share * 100:.3g} %"


_FORMS: Mapping[str, Callable[[float], str]] = {
    "bytes": _in_bytes,
    "duration": _in_time,
    "percent": _in_percent,
}
FORMS = frozenset(_FORMS)
