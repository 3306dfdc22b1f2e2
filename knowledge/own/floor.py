"""What an organisation's page must not do to a shipped one: make it look less dangerous."""

from collections.abc import Iterable, Iterator, Sequence

from knowledge.errors import PatternInvalidError
from knowledge.own.page_file import Extension
from knowledge.page import Advice, Page, Remedy, Severity, TextSignature
from knowledge.rules.samples import shows

_FAULTS = ("root", "mechanism", "symptom", "change")
_SEVERITIES = ("critical", "error", "warning", "info")
_HARMLESS = ("benign", "context", "unread", "guidance")


def find_lowered(own: Page | Extension, shipped: Page) -> Iterator[str]:
    """Yield a sentence for each thing that the own page would make less dangerous."""
    yield from _remedies(own.remedies, shipped.remedies)
    yield from _checks(own, shipped)
    if isinstance(own, Page):
        yield from _role(own, shipped)
        yield from _weight(own, shipped)
        yield from _cautions(own.do_not, shipped.do_not)
        if not set(own.benign_when) <= set(shipped.benign_when):
            yield "says anew when an occurrence is harmless (benign_when)"


def find_hidden(own: Page | Extension, shipped: Iterable[Page]) -> Iterator[str]:
    """Yield the faults whose own sample a harmless page would take, and so hide."""
    if isinstance(own, Extension) or own.role not in _HARMLESS:
        return
    faults = [page for page in shipped if page.role in _FAULTS and page.id != own.id]
    for signature in own.signatures:
        if isinstance(signature, TextSignature):
            for page in (page for page in faults if _takes(signature, page)):
                yield f"signature {signature.id} takes a sample of the fault {page.id} as harmless"


def find_quieter(own: Page | Extension, shipped: Page) -> Iterator[str]:
    """Yield what a page in a shipped one's place would see less of.

    An organisation may want that; whoever approves it should know.
    """
    if isinstance(own, Extension):
        return
    held = {signature.id for signature in own.signatures}
    for signature in shipped.signatures:
        if signature.id not in held:
            yield f"has no signature {signature.id}, by which the shipped page is seen"


def _takes(signature: TextSignature, page: Page) -> bool:
    samples = (
        line
        for each in page.signatures
        if isinstance(each, TextSignature) and each.source == signature.source
        for line in each.examples
    )
    try:
        return any(shows(signature, line) for line in samples)
    except PatternInvalidError:
        return False  # reported where patterns are checked


def _remedies(own: Iterable[Remedy], shipped: Sequence[Remedy]) -> Iterator[str]:
    for remedy in own:
        same = [each for each in shipped if _is_same(remedy, each)]
        likes = same or [each for each in shipped if each.stage == remedy.stage]
        floor = max((each.risk for each in likes), default="R0")
        named = f"remedy {remedy.id} has risk {remedy.risk}"
        if remedy.risk < floor and same:
            yield f"{named}; the shipped page gives the same step {floor}"
        elif remedy.risk < floor:
            yield f"{named}; the shipped page's steps of stage {remedy.stage} go up to {floor}"
        if remedy.reversible and any(not each.reversible for each in same):
            yield f"remedy {remedy.id} is called reversible; the shipped page says that it is not"


def _is_same(one: Remedy, other: Remedy) -> bool:
    return (
        one.id == other.id
        or _plain(one.title.en) == _plain(other.title.en)
        or _plain(one.title.zh) == _plain(other.title.zh)
        or (bool(one.command) and one.command == other.command)
    )


def _checks(own: Page | Extension, shipped: Page) -> Iterator[str]:
    risks = {check.id: check.risk for check in shipped.checks}
    commands = {check.command: check.risk for check in shipped.checks}
    for check in own.checks:
        floor = max(risks.get(check.id, "R0"), commands.get(check.command, "R0"))
        if check.risk < floor:
            yield f"check {check.id} has risk {check.risk}; the shipped page gives it {floor}"


def _role(own: Page, shipped: Page) -> Iterator[str]:
    if shipped.role in _FAULTS and own.role not in _FAULTS:
        yield f"turns a fault (role {shipped.role}) into role {own.role}"


def _weight(own: Page, shipped: Page) -> Iterator[str]:
    """Yield what makes less of the condition: who is woken, and what is looked at first."""
    if own.priority > shipped.priority:
        yield f"has priority {own.priority}; the shipped page has {shipped.priority}"
    if own.damage < shipped.damage:
        yield f"has damage {own.damage}; the shipped page has {shipped.damage}"
    if _is_milder(own.severity, shipped.severity):
        yield f"has severity {own.severity}; the shipped page has {shipped.severity}"
    floors = {each.id: each.severity or shipped.severity for each in shipped.signatures}
    for each in own.signatures:
        floor = floors.get(each.id)
        if floor and _is_milder(each.severity or own.severity, floor):
            mine = each.severity or own.severity
            yield f"signature {each.id} has severity {mine}; the shipped page gives it {floor}"


def _is_milder(one: Severity, other: Severity) -> bool:
    return _SEVERITIES.index(one) > _SEVERITIES.index(other)


def _cautions(own: Iterable[Advice], shipped: Iterable[Advice]) -> Iterator[str]:
    """A caution stays in its words in one language at least, and as wide as it was."""
    held = list(own)
    for caution in shipped:
        same = [
            each
            for each in held
            if _plain(each.text.en) == _plain(caution.text.en)
            or _plain(each.text.zh) == _plain(caution.text.zh)
        ]
        if not same:
            yield f"drops the caution {caution.text.en!r} (do_not)"
        elif not any(set(each.about) <= set(caution.about) for each in same):
            yield f"narrows the caution {caution.text.en!r} (about)"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".。")
