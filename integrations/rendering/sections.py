"""The whole report in its order, for every form."""

from integrations.rendering.answer import build_answer, build_open
from integrations.rendering.content import Limits, Section
from integrations.rendering.past import build_past
from integrations.rendering.record import build_evidence, build_record, build_timeline
from integrations.rendering.view import View


def build_sections(view: View, limits: Limits) -> tuple[Section, ...]:
    """Build all sections: first what to do, then the verdict and its grounds, then the record."""
    return (
        *build_answer(view, limits),
        *build_past(view),
        build_timeline(view, limits),
        *build_record(view, limits),
        *build_open(view, limits),
        build_evidence(view, limits),
    )
