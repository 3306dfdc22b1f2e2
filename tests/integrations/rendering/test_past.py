"""Past incidents stand beside a diagnosis in every form, and weigh nothing in it."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from integrations.rendering.document import build_document
from integrations.rendering.markdown import render_markdown
from integrations.rendering.naming import for_people
from integrations.rendering.page import render_html
from integrations.rendering.past import find_past, trace_course
from integrations.rendering.terminal import open_console, print_report
from integrations.rendering.view import View
from integrations.wording.words import load_words
from knowledge.past import load_postmortems
from tests.assistant.handbook import shipped
from tests.integrations.sample import build_investigation
from tests.kept_pages import cache_home

ASTRA = "2025-06-20-astra-storage-failover"
_IMPORTED = re.compile(r"knowledge\.(past|postmortem|similar)\b|from knowledge import")
PAST = load_postmortems(cache_home() / "firstfault")


def _view(lang: str = "en") -> View:
    return View(build_investigation(), shipped().pages, load_words(lang), PAST)  # type: ignore[arg-type]  # one of both


def _terminal(view: View, *, whole: bool = False) -> str:
    stream = io.StringIO()
    print_report(view, open_console(stream, colour=False), whole=whole)
    return stream.getvalue()


def test_the_sample_outage_is_like_the_one_of_the_past() -> None:
    """It begins at the same root; the JSON names what is shared and what only one had, by page."""
    (item,) = build_document(_view())["similar"]  # type: ignore[misc,attr-defined]  # a list of one

    assert item["id"] == ASTRA
    assert item["date"] == "2025-06-20"
    assert set(item["title"]) == {"en", "zh"}
    assert "storage-controller-failover" in item["shared"]
    assert not set(item["missing"]) & set(item["shared"])
    assert not set(item["extra"]) & set(item["shared"])
    assert item["difference"]
    assert item["check"]["command"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_form_tells_of_it_in_both_languages(lang: str) -> None:
    """With what decided then, and the check that tells the two apart."""
    view = _view(lang)
    (found,) = find_past(view)
    words, check = view.words, found.difference.check
    assert check
    for text in (
        _terminal(view).replace("\n", " "),
        _terminal(view, whole=True),
        render_markdown(view),
        render_html(view),
    ):
        assert words("past.title") in text
        assert words.say(found.past.title)[:20] in text
        assert words("past.difference") in text
        assert check.command[0] in text


def test_they_weigh_nothing() -> None:
    """With and without them the document is the same but for its own key."""
    beside, alone = build_document(_view()), build_document(replace(_view(), past=()))

    assert beside.pop("similar")
    assert alone.pop("similar") == []
    assert beside == alone


def test_nothing_that_diagnoses_reads_them() -> None:
    """No module below the entrances imports them, so that they can weigh nothing."""
    readers = [
        str(path)
        for package in ("assistant", "tools")
        for path in Path(package).rglob("*.py")
        if _IMPORTED.search(path.read_text("utf-8"))
    ]

    assert readers == []


def test_without_a_chain_nothing_is_similar() -> None:
    """No diagnosis yet, or one that links nothing."""
    found = build_investigation()
    bare = found.model_copy(update={"diagnosis": None})
    assert found.diagnosis
    loose = found.model_copy(update={"diagnosis": found.diagnosis.model_copy(update={"chain": ()})})

    for investigation in (bare, loose):
        view = replace(_view(), investigation=investigation)
        assert trace_course(view) is None
        assert find_past(view) == ()
        assert load_words("en")("past.title") not in render_markdown(view)


def test_it_says_what_nobody_could_have_seen() -> None:
    """A missing step counts as looked for only where something of its source was read."""
    found = build_investigation()
    deaf = found.timeline.model_copy(
        update={
            "events": tuple(
                event.model_copy(update={"channels": frozenset({"metric"})})
                for event in found.timeline.events
            )
        }
    )
    view = replace(_view(), investigation=found.model_copy(update={"timeline": deaf}))

    (item,) = build_document(view)["similar"]  # type: ignore[misc,attr-defined]  # a list of one

    assert item["not_looked_at"]
    assert set(item["not_looked_at"]) <= set(item["missing"])
    assert view.words("past.unlooked") in render_markdown(view)


def test_pages_that_this_handbook_lacks_are_named_by_their_id(view: View) -> None:
    """An incident may be older than a page's name."""
    told = render_markdown(replace(view, past=PAST))

    assert "kubelet-pleg-unhealthy" in told.replace("\\", "")


def test_naming_hosts_keeps_the_past() -> None:
    """What people read is the same view, with names put in."""
    assert for_people(_view()).past == PAST
