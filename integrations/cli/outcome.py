"""What an investigation means for the command line: its exit code, and words to its reader."""

from collections.abc import Iterator, Mapping

from assistant.alarm import is_alarming
from assistant.investigation import Investigation
from assistant.scope import SOURCE, nothing_matches, tell
from assistant.sentences import say
from assistant.settings import Settings
from integrations.cli.fault import DECIDED_BY_UNSEEN, FAIL_ON, NOT_FOUND, OK, NotFoundFault
from integrations.cli.options import Form
from integrations.rendering.view import View
from integrations.wording.words import Words, load_words
from knowledge.page import Page
from knowledge.postmortem import Postmortem


def misses(found: Investigation) -> bool:
    """Tell whether nothing that was asked for is in the evidence."""
    return nothing_matches(found.incident.scope, found.gaps)


def list_unmet(found: Investigation, words: Words) -> Iterator[str]:
    """Say of each thing that was asked for and stands nowhere."""
    return (words.say(tell(gap)) for gap in found.gaps if gap.source == SOURCE)


def view_of(
    found: Investigation,
    pages: Mapping[str, Page],
    words: Words,
    *,
    past: tuple[Postmortem, ...] = (),
    form: Form = "text",
) -> View:
    """Return what is to be shown, beside incidents of the `past`.

    Raises:
        NotFoundFault: what was asked for stands nowhere, so that there is nothing to show.
    """
    if misses(found):
        words = load_words("en") if form == "json" else words
        unmet = dict.fromkeys(list_unmet(found, words))
        raise NotFoundFault(" ".join(unmet), words.say(say("scope-unmet-why")))
    return View(found, pages, words, past)


def exit_code(found: Investigation | None, settings: Settings) -> int:
    """Return the contract's code: 10 wins over 5, and findings alone change nothing."""
    diagnosis = found.diagnosis if found else None
    if found is None or diagnosis is None:
        return OK
    if misses(found):
        return NOT_FOUND
    if settings.fail_on and found.priority and found.priority.level <= settings.fail_on:
        hurt = diagnosis.verdict == "inconclusive" and any(map(is_alarming, found.timeline.events))
        if diagnosis.verdict == "fault" or hurt:
            return FAIL_ON
    return DECIDED_BY_UNSEEN if diagnosis.decided_by_unseen else OK
