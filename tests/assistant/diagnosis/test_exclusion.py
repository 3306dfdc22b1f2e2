"""Facts about what silence rules out."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.diagnosis.diagnose import diagnose
from assistant.event import Event
from assistant.sight import Stretch, build_sight
from assistant.topology import Ties
from tests.assistant.diagnosis.world import T0, case, event, kernel, page, watched

REBOOTED = page("rebooted", "symptom", damage=2, signatures=[kernel("rebooted")])


@pytest.mark.parametrize(("unwritten", "names"), [(False, {"panic"}), (True, set[str]())])
def test_silence_does_not_rule_out_what_silences_the_log(
    *, unwritten: bool, names: set[str]
) -> None:
    """A host that dies at once writes nothing: its log may be whole and still say no word."""
    panic = page(
        "panic", effects=[{"effect": "rebooted"}], signatures=[kernel("panic")], unwritten=unwritten
    )
    found = diagnose(case((panic, REBOOTED), [event("e1", REBOOTED, 0)]))
    assert {row.page for row in found.ruled_out} == names


def _broken_card(*, logged: bool) -> set[str]:
    """Diagnose a rebooted node whose card reads well afterwards; name what is ruled out."""
    well = page("well", "benign")
    lost = page("lost", effects=[{"effect": "rebooted"}], signatures=[kernel("lost")])
    card = page(
        "card",
        effects=[{"effect": "rebooted"}],
        stands_for=["lost"],
        refuted_by=[{"condition": "well", "scope": "node", "why": {"en": "well", "zh": "好"}}],
    )
    events = [event("e1", REBOOTED, 0), event("e2", well, 90)]
    sight = watched("n1") if logged else watched("n2")
    found = diagnose(case((card, lost, well, REBOOTED), events, sight=sight))
    return {row.page for row in found.ruled_out}


_WELL = {"condition": "well", "scope": "node", "why": {"en": "well", "zh": "好"}}


def test_a_good_reading_afterwards_clears_no_hardware_without_the_log_of_then() -> None:
    """The log of the time clears it; a reading of now only adds to that."""
    assert "card" in _broken_card(logged=True)
    assert "card" not in _broken_card(logged=False)


def test_a_missing_card_keeps_the_class_of_broken_cards_open() -> None:
    """A program that misses a GPU on the node speaks against its health, whatever the kernel says.

    So does what a health check reports, and an error that no page knows and that is the kernel's or
    speaks of a GPU.
    """
    lost = page("lost", effects=[{"effect": "rebooted"}], signatures=[kernel("lost")])
    card = page(
        "card", stands_for=["lost"], plane="compute", refuted_by=[_WELL], entity={"kind": "gpu"}
    )
    gone = page("gone", "symptom", layer="hardware", plane="compute", damage=2)
    checked = page("checked", "mechanism", layer="hardware", plane="compute")
    strange = page("strange", "unread")
    pages = (card, lost, gone, checked, strange, page("well", "benign"), REBOOTED)
    down = event("e1", REBOOTED, 0)
    unknown = event("u1", strange, 5, channels=frozenset({"kernel"}))
    by_name = event("u2", strange, 5, text="GPU 3 is lost", channels=frozenset({"service"}))
    other = event("u3", strange, 5, text="no such user", channels=frozenset({"service"}))

    def names(*more: Event, unread: Sequence[Event] = ()) -> set[str]:
        world = case(pages, [down, *more], sight=watched("n1"))
        timeline = world.timeline.model_copy(update={"unread": tuple(unread)})
        return {row.page for row in diagnose(replace(world, timeline=timeline)).ruled_out}

    assert "card" in names()
    assert "card" not in names(event("e2", gone, 10))
    assert "card" not in names(unread=[unknown])
    assert "card" not in names(event("e3", checked, 10, node="", anchors=[("cluster", "c")]))
    assert "card" not in names(unread=[by_name])
    assert "card" in names(unread=[other])


@pytest.mark.parametrize(
    ("job", "read", "names"),
    [((), "n1", 0), (("job", "j"), "n1", 0), (("job", "j"), "n2", 1)],
    ids=["of no known job", "one host of the job unread", "all hosts of the job read"],
)
def test_what_waits_for_others_is_cleared_by_the_logs_of_all_of_them(
    *, job: tuple[str, str] | tuple[()], read: str, names: int
) -> None:
    """One host's silence says nothing of the hosts of the other ranks."""
    waits = page("waits", "symptom", damage=2, entity={"kind": "rank"})
    died = page("died", effects=[{"effect": "waits", "scope": "job"}], signatures=[kernel("died")])
    ties = Ties()
    for host in ("n1", "n2"):
        ties.relate(("job", "j"), ("node", host))
    events = [event("e1", waits, 0, anchors=[job] if job else [])]
    found = diagnose(case((waits, died), events, ties=ties, sight=watched("n1", read)))
    assert len(found.ruled_out) == names


def test_lines_that_begin_with_the_fault_are_an_excerpt() -> None:
    """Somebody chose them: what they do not hold may have been there."""
    other = page("other", effects=[{"effect": "rebooted"}], signatures=[kernel("other")])

    def names(since: float) -> set[str]:
        log = build_sight([Stretch("kernel", "n1", "", since, T0.timestamp() + 7200, "E1")])
        found = diagnose(case((other, REBOOTED), [event("e1", REBOOTED, 0)], sight=log))
        return {row.page for row in found.ruled_out}

    assert names(T0.timestamp() - 600) == {"other"}
    assert names(T0.timestamp()) == set()


def test_only_what_would_have_told_clears() -> None:
    """An alert fires by its own rule: that none fired says nothing of the kernel's log."""
    alert = kernel("other") | {"source": "alert", "id": "alert"}
    other = page("other", effects=[{"effect": "rebooted"}], signatures=[kernel("other"), alert])
    since, until = T0.timestamp() - 600, T0.timestamp() + 7200
    alerts = Stretch("alert", "", "", since, until, "E2")
    found = diagnose(
        case((other, REBOOTED), [event("e1", REBOOTED, 0)], sight=build_sight([alerts]))
    )
    assert not found.ruled_out
