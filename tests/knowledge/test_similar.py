"""An incident is like one of the past by how it spread, and what differs is named with a check."""

import pytest

from knowledge.similar import Course, Similar, find_similar
from tests.knowledge.incidents import NAME, incident, known

SAME = (("server-gone", "mount-hangs"), ("mount-hangs", "check-fails"), ("check-fails", "job-dies"))


def _one(course: Course, **more: object) -> Similar:
    (found,) = find_similar(course, [incident()], known(), **more)  # type: ignore[arg-type]  # as the test says
    return found


def _score(*edges: tuple[str, str], root: str = "server-gone") -> float:
    found = find_similar(Course((root,), edges), [incident()], known(), told=[NAME])
    return found[0].score


def test_the_same_course_is_the_most_alike() -> None:
    """All is shared, nothing is missing, and what decided then is what to look at again."""
    found = _one(Course(("server-gone",), SAME))

    assert found.by == "chain"
    assert found.shared == ("server-gone", "mount-hangs", "check-fails", "job-dies")
    assert (dict(found.missing), found.extra) == ({}, ())
    assert found.difference.kind == "none"
    assert found.difference.check == known()["server-gone"].checks[0]


def test_only_a_common_end_is_nothing_in_common() -> None:
    """Everything ends in dead jobs; that is no likeness, not even a weak one."""
    course = Course(("other-1",), (("other-1", "job-dies"),))

    assert find_similar(course, [incident()], known()) == ()


@pytest.mark.parametrize("course", [Course(()), Course(("other-1",)), Course(("no-page",))])
def test_without_anything_shared_there_is_nothing(course: Course) -> None:
    """An empty chain, a strange root, a page that no handbook has."""
    assert find_similar(course, [incident()], known()) == ()


def test_a_rare_condition_weighs_more_than_a_common_one() -> None:
    """A hung mount says more than a dead job."""
    rare = _score(("network-gone", "mount-hangs"), root="network-gone")

    assert rare > _score(("other-1", "job-dies"), root="other-1")


def test_the_root_weighs_most() -> None:
    """The same root and one step weigh more than three steps below another root."""
    below = (("network-gone", "mount-hangs"), *SAME[1:])

    assert _score(SAME[0]) > _score(*below, root="network-gone")


def test_the_order_counts() -> None:
    """The same conditions the other way round are less alike."""
    reversed_ = tuple((effect, cause) for cause, effect in SAME[1:])

    assert _score(*SAME[1:], root="mount-hangs") > _score(*reversed_, root="job-dies")


def test_a_step_in_between_does_not_break_the_order() -> None:
    """Another account of the same way may leave a step out or add one."""
    longer = (("server-gone", "mount-hangs"), ("mount-hangs", "job-dies"))

    assert _one(Course(("server-gone",), longer)).score > 0.7


def test_an_incident_that_just_began_is_found_already() -> None:
    """What has not come yet does not count against it."""
    found = _one(Course(("server-gone",), SAME[:1]))

    assert set(found.missing) == {"check-fails", "job-dies"}


def test_another_root_is_told_apart_as_the_handbook_says() -> None:
    """By the check of whichever page tells the two apart."""
    found = _one(Course(("network-gone",), (("network-gone", "mount-hangs"), *SAME[1:])))

    assert found.extra == ("network-gone",)
    assert (found.difference.kind, found.difference.page) == ("root", "server-gone")
    assert found.difference.text
    assert found.difference.text.en == "Its log tells."
    assert found.difference.check == known()["server-gone"].checks[0]


def test_what_decided_then_is_asked_for_where_it_is_not_seen() -> None:
    """The root is not known yet; the past knows how it was found."""
    found = _one(Course(("mount-hangs",), SAME[1:]))

    assert (found.difference.kind, found.difference.page) == ("decided", "server-gone")
    assert found.difference.check


def test_a_step_that_only_the_past_took_is_the_difference() -> None:
    """The mechanism where the ways part, not what followed from it."""
    found = _one(Course(("server-gone",), SAME[:1]))

    assert (found.difference.kind, found.difference.page) == ("missing", "check-fails")


def test_a_mechanism_that_only_this_incident_has_is_the_difference() -> None:
    """A trigger as well as a step."""
    triggered = Course(("server-gone",), (("other-1", "server-gone"), *SAME))

    assert (_one(triggered).difference.kind, _one(triggered).difference.page) == (
        "extra",
        "other-1",
    )


def test_it_says_whether_what_is_missing_was_looked_for() -> None:
    """Only where the caller knows; else nobody knows."""
    course = Course(("server-gone",), SAME[:1])
    found = _one(course, looked={"check-fails": False, "mount-hangs": True})

    assert dict(found.missing) == {"check-fails": False, "job-dies": None}


def test_words_add_what_no_chain_finds_behind_what_it_does() -> None:
    """In the order in which the search found them."""
    past = [incident(), *(incident(f"2025-06-20-{n}", root="other-1", chain=[
        {"cause": "other-1", "effect": "job-dies"}
    ]) for n in ("a", "b"))]  # fmt: skip
    told = ["2025-06-20-b", "2025-06-20-a"]

    found = find_similar(Course(("server-gone",), SAME), past, known(), told=told)

    assert [(each.past.id, each.by) for each in found] == [
        (NAME, "chain"),
        ("2025-06-20-b", "words"),
        ("2025-06-20-a", "words"),
    ]


def test_words_alone_find_too() -> None:
    """Without any chain: somebody remembers a sentence."""
    assert _one(Course(()), told=[NAME]).by == "words"


def test_a_circle_ends() -> None:
    """Conditions that bring each other about are followed once."""
    circle = Course(("server-gone",), (*SAME, ("job-dies", "server-gone")))

    assert _one(circle).score > 0
