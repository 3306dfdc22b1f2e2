"""What a line says by its numbers: fields decoded, sums over them, and the tests they pass."""

import re
from collections.abc import Iterator, Mapping

from knowledge.conditions import holds
from knowledge.page import FieldType, TextSignature
from knowledge.quantity import decode_field

FieldValue = str | float | int | bool
_TERM = re.compile(r"\s*([+-]?)\s*([A-Za-z_]\w*)\s*")


def fields_of(signature: TextSignature, values: Mapping[str, str]) -> dict[str, FieldValue] | None:
    """Return what a line says, or None where its own numbers deny that the signature holds."""
    fields = decode_fields(values, signature.fields)
    for name, sum_of in signature.reckons.items():
        total = _reckon(sum_of, fields)
        if total is not None:
            fields[name] = total
    return fields if all(holds(test, fields) for test in signature.where) else None


def decode_fields(
    values: Mapping[str, str], types: Mapping[str, FieldType]
) -> dict[str, FieldValue]:
    """Decode the declared fields among the named groups; undecodable ones are left out."""
    decoded: dict[str, FieldValue] = {}
    for name, kind in types.items():
        text = values.get(name)
        value = None if text is None else decode_field(text, kind)
        if value is not None:
            decoded[name] = value
    return decoded


def terms(sum_of: str) -> Iterator[tuple[int, str]]:
    """Yield sign and field of each term of a sum.

    Raises:
        ValueError: it is no sum of names.
    """
    position = 0
    while position < len(sum_of) or not position:
        term = _TERM.match(sum_of, position)
        if term is None or (position and not term[1]):
            raise ValueError(f"{sum_of!r} is no sum of fields, such as 'total - free'")
        yield (-1 if term[1] == "-" else 1), term[2]
        position = term.end()


def _reckon(sum_of: str, fields: Mapping[str, FieldValue]) -> float | None:
    total = 0.0
    for sign, name in terms(sum_of):
        value = fields.get(name)
        if not isinstance(value, int | float):
            return None
        total += sign * value
    return total
