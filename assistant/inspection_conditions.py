"""Lines that show a condition: told by the handbook, as a diagnosis is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowledge.catalog import Catalog
from knowledge.inspection import ConditionLook, Inspection
from knowledge.matching import Match, Matcher
from knowledge.page import Page, TextSignature
from tools.evidence import Record


@dataclass(frozen=True, slots=True)
class Shown:
    """A line and the page that it shows."""

    match: Match
    record: Record


class Recognition:
    """The handbook, for the looks that ask it."""

    def __init__(self, catalog: Catalog | None, inspections: Sequence[Inspection]) -> None:
        looks = [each for one in inspections for each in one.looks]
        self._looks = [each for each in looks if isinstance(each, ConditionLook)]
        self._pages = catalog.pages if catalog is not None else {}
        self._matcher = Matcher(catalog) if catalog is not None and self._looks else None

    def shown(self, record: Record) -> Iterator[tuple[ConditionLook, Shown]]:
        """Yield each look with what the line shows of it; ends and harmless lines show nothing."""
        looks = [look for look in self._looks if look.channel == record.channel]
        if not looks or self._matcher is None:
            return
        for match in self._matcher.match_text(record.channel, record.unit, record.text):
            page = self._pages[match.page]
            if match.ended or page.role in {"benign", "context"}:
                continue
            yield from ((look, Shown(match, record)) for look in looks if _bears(page, look))


def literals_of(catalog: Catalog, inspections: Sequence[Inspection]) -> set[str]:
    """Return the texts of which a line that is asked for contains one."""
    looks = [each for one in inspections for each in one.looks if isinstance(each, ConditionLook)]
    return {
        signature.literal
        for page, signature in catalog.signatures()
        if isinstance(signature, TextSignature) and signature.literal
        for look in looks
        if signature.source == look.channel and _bears(page, look)
    }


def _bears(page: Page, look: ConditionLook) -> bool:
    return any(code.startswith(look.code) for code in page.codes)
