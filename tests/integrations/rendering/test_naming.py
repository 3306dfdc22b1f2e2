"""People read words, not the names that stand in for missing ones."""

from assistant.diagnosis.result import NextCheck
from assistant.event import Anchor
from integrations.rendering.content import Section
from integrations.rendering.naming import for_people, show_places
from integrations.rendering.sections import build_sections
from integrations.rendering.terminal import LIMITS
from integrations.rendering.view import View
from knowledge.bilingual import Bilingual
from tools.entity import Entity


def _nameless(view: View) -> View:
    found = view.investigation
    assert found.diagnosis is not None
    check = NextCheck(
        id="c1", command="kubectl describe node unnamed-e4", where="control",
        why=Bilingual(en="why", zh="何故"),
    )  # fmt: skip
    events = (
        found.timeline.events[0].model_copy(
            update={"entity": Entity(kind="node", id="unnamed-e4")}
        ),
        *found.timeline.events[1:],
    )
    changes = {
        "timeline": found.timeline.model_copy(update={"events": events}),
        "diagnosis": found.diagnosis.model_copy(update={"next_checks": (check,)}),
        "evidence": tuple(
            one.model_copy(update={"path": "in/dmesg.txt"}) if one.id == "E4" else one
            for one in found.evidence
        ),
    }
    return View(found.model_copy(update=changes), view.pages, view.words)


def _told(sections: tuple[Section, ...]) -> str:
    return str(sections)


def test_a_host_without_a_name_is_called_after_its_file(view: View) -> None:
    """In every section; a command has a place to fill in there."""
    told = _told(build_sections(for_people(_nameless(view)), LIMITS))

    assert "unnamed-" not in told
    assert "unnamed host (file dmesg.txt)" in told
    assert "kubectl describe node <node>" in told


def test_where_one_host_alone_is_nameless_its_things_need_no_file(view: View) -> None:
    """The whole report is of that host; with several, the file tells which."""
    found = _nameless(view).investigation
    port = Entity(kind="pcie_port", id="unnamed-e4/0000:c0:01.1")

    def told(*hosts: str) -> str:
        anchors = tuple(Anchor(kind="node", id=host) for host in hosts)
        one = found.timeline.events[0].model_copy(update={"entity": port, "anchors": anchors})
        timeline = found.timeline.model_copy(update={"events": (one,)})
        changed = found.model_copy(update={"timeline": timeline})
        return for_people(View(changed, view.pages, view.words)).events[0].entity.id

    assert told("unnamed-e4") == "0000:c0:01.1"
    assert told("unnamed-e4", "n2") == "dmesg.txt/0000:c0:01.1"


def test_what_has_its_name_stays_as_it_is(view: View) -> None:
    """Nothing is copied for nothing."""
    assert for_people(view) is view


def test_places_to_fill_in_are_shown_as_such() -> None:
    """Braces of other languages stay."""
    assert show_places("kubectl logs -n {namespace} {pod}") == "kubectl logs -n <namespace> <pod>"
    assert show_places("smartctl -a /dev/{disk}") == "smartctl -a /dev/<disk>"
    assert show_places("awk '{print $1}'") == "awk '{print $1}'"
    assert show_places("-o jsonpath={.items}") == "-o jsonpath={.items}"
