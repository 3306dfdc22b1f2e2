"""What is quoted first is what the conclusion stands on, not what was printed first."""

from integrations.rendering.deciding import collect_deciding
from tests.assistant.diagnosis.world import kernel, page
from tests.integrations.sample import build_investigation
from tests.integrations.sample_world import build_pages
from tools.evidence import Citation


def test_the_causes_line_stands_before_an_earlier_one() -> None:
    """A line of something harmless, or of an earlier happening, does not decide."""
    sample = build_investigation()
    assert sample.diagnosis is not None
    root = sample.diagnosis.root_causes[0]
    late = Citation(evidence="E1", line=900, text="the line that decides")
    early = Citation(evidence="E1", line=1, text="all is well")
    events = tuple(
        event.model_copy(update={"citations": (late if event.id == root.event else early,)})
        for event in sample.timeline.events
    )
    spoilt = sample.model_copy(
        update={"timeline": sample.timeline.model_copy(update={"events": events})}
    )

    assert collect_deciding(spoilt, build_pages())["E1"].quotes[0] == late


def test_of_a_joined_message_the_line_with_the_signatures_words_is_quoted() -> None:
    """A traceback is about its last line."""
    sample = build_investigation()
    event = next(e for e in sample.timeline.events if e.citations)
    pages = {event.page: page(event.page, signatures=[kernel("telling words")])}
    quote = Citation(evidence="E1", line=3, text="ERROR uncaught\nTraceback\nx telling words y")
    told = sample.model_copy(
        update={
            "diagnosis": None,
            "timeline": sample.timeline.model_copy(
                update={"events": (event.model_copy(update={"citations": (quote,)}),)}
            ),
        }
    )

    assert collect_deciding(told, pages)["E1"].lines == "5"
    assert collect_deciding(told, pages)["E1"].text == "x telling words y"
