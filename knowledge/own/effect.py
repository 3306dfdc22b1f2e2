"""What changes in diagnosis once a page of an organisation is approved, for people to judge."""

from collections.abc import Iterator, Sequence
from typing import Literal

from knowledge.bilingual import Bilingual, Part
from knowledge.own.page_file import Extension
from knowledge.page import (
    Advice,
    Check,
    Distinction,
    Link,
    MetricSignature,
    Page,
    Remedy,
    Signature,
    TextSignature,
)

How = Literal["new", "replaces", "extends"]
Sign = Literal["+", "-", "~"]
_STEPS = ("remedies", "contain", "do_not", "checks", "practice")
_LISTS = ("signatures", "causes", "distinguish", "codes")
_PROSE = frozenset({
    "id", "family", "badge", "title", "summary", "phrases", "traps", "sources", "disputes", "body",
})  # fmt: skip
"""What people read and nothing is reckoned from."""
_LONGEST = 400


class Change(Part):
    """One thing that comes, goes or is otherwise; `part` is the field of the page."""

    sign: Sign
    part: str
    text: Bilingual


class Effect(Part):
    """What a page is beside the handbook, and all in which it differs."""

    how: How
    target: str
    changes: tuple[Change, ...]


def find_effect(own: Page | Extension, shipped: Page | None) -> Effect:
    """Tell what approving a page would change; `shipped` is the page that it stands over."""
    if isinstance(own, Extension):
        return Effect(how="extends", target=own.extends, changes=tuple(_lists(own, None)))
    changes = (*_values(own, shipped), *_lists(own, shipped))
    return Effect(how="replaces" if shipped else "new", target=own.id, changes=changes)


def _lists(own: Page | Extension, shipped: Page | None) -> Iterator[Change]:
    for part in (*_STEPS, *_LISTS):
        yield from _differences(part, getattr(own, part), getattr(shipped, part, ()))


def _differences(part: str, own: Sequence[object], shipped: Sequence[object]) -> Iterator[Change]:
    names = {_name(each) for each in shipped}
    held = {_name(each) for each in own}
    for each in own:
        if each not in shipped:
            sign: Sign = "~" if _name(each) in names else "+"
            yield Change(sign=sign, part=part, text=_say(each))
    for each in shipped:
        if _name(each) not in held:
            yield Change(sign="-", part=part, text=_say(each))


def _values(own: Page, shipped: Page | None) -> Iterator[Change]:
    """Yield every other field: of a new page those that say something."""
    for part, field in Page.model_fields.items():
        if part in _PROSE or part in {*_STEPS, *_LISTS}:
            continue
        mine = getattr(own, part)
        before = getattr(shipped, part) if shipped else field.get_default()
        if mine != before:
            told = _plain(mine) if shipped is None else f"{_plain(before)} → {_plain(mine)}"
            yield Change(sign="~" if shipped else "+", part=part, text=_same(told))


def _name(each: object) -> str:
    match each:
        case Link():
            return f"{each.effect} {each.scope}"
        case Advice():
            return each.text.en
        case Distinction():
            return each.other
        case str():
            return each
        case _:
            return str(getattr(each, "id", each))


def _say(each: object) -> Bilingual:
    match each:
        case Remedy():
            return _both(f"{each.risk} {each.id}: ", each.title, _command(each.command))
        case Check():
            return _both(f"{each.risk} {each.id}: ", each.tells, _command(each.command))
        case Advice():
            return each.text
        case Link():
            return _same(f"{each.effect} ({each.scope}, {each.strength})")
        case Distinction():
            return _both(f"{each.other}: ", each.means)
        case _:
            return _same(each if isinstance(each, str) else _signature(each))


def _signature(each: Signature | object) -> str:
    match each:
        case TextSignature():
            return f"{each.id} ({each.source}): {each.regex or each.literal}"
        case MetricSignature():
            return f"{each.id} ({each.source}): {each.expr} {each.op} {each.value:g}"
        case _:
            return f"{getattr(each, 'id', '')}: {_plain(getattr(each, 'where', each))}"


def _command(argv: Sequence[str]) -> str:
    return f" · $ {' '.join(argv)}" if argv else ""


def _both(before: str, said: Bilingual, after: str = "") -> Bilingual:
    return Bilingual(en=f"{before}{said.en}{after}", zh=f"{before}{said.zh}{after}")


def _same(text: str) -> Bilingual:
    return Bilingual(en=text or "-", zh=text or "-")


def _plain(value: object) -> str:
    """Write a value down in short; what is too long keeps its beginning."""
    match value:
        case Part():
            text = value.model_dump_json(exclude_defaults=True)
        case tuple():
            text = ", ".join(_plain(each) for each in value) or "-"
        case None:
            text = "-"
        case _:
            text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
