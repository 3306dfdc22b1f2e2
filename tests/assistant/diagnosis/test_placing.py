"""A caution is not meant for what another root put at fault, if it is about things of that kind."""

import pytest

from assistant.diagnosis.placing import Part, place_cautions
from assistant.diagnosis.result import Instruction
from tests.assistant.diagnosis.world import event, page

WORDS = {"en": "Do not restart it while a GPU is held.", "zh": "持有 GPU 时不要重启。"}


@pytest.mark.parametrize(("about", "nodes"), [((), ("n1", "n2")), (("gpu",), ("n2",))])
def test_only_what_a_caution_is_about_is_left_to_another_root(
    about: tuple[str, ...], nodes: tuple[str, ...]
) -> None:
    """That its words mention a GPU tells nothing."""
    stalled = page("stalled", do_not=[{"text": WORDS, "why": WORDS, "about": about}])
    lost = page("lost", entity={"kind": "gpu"})
    here = [event("a", stalled, 0), event("b", stalled, 0, node="n2")]
    card = event("c", lost, 0, anchors=[("gpu", "GPU-1")])
    parts = [Part(here[0], {one.id: one for one in here}), Part(card, {card.id: card})]
    advice = stalled.do_not[0]
    given = Instruction(text=advice.text, why=advice.why, page=stalled.id)
    (placed,) = place_cautions([given], parts, {"stalled": stalled, "lost": lost})
    assert placed.nodes == nodes
