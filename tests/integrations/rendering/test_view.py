"""The headline never hides what was found."""

import pytest

from assistant.diagnosis.result import FirstFailing
from integrations.rendering.answer import build_answer
from integrations.rendering.terminal import LIMITS
from integrations.rendering.view import View
from integrations.wording.words import Language, load_words
from knowledge.bilingual import Bilingual
from tools.evidence import Evidence, Gap


def _inconclusive(view: View, **timeline: object) -> View:
    found = view.investigation
    assert found.diagnosis is not None
    changes = {
        "verdict": "inconclusive", "confidence": "INCONCLUSIVE", "hypotheses": (),
        "root_causes": (), "chain": (), "amplifiers": (), "contain_now": (),
    }  # fmt: skip
    diagnosis = found.diagnosis.model_copy(update=changes)
    timeline_now = found.timeline.model_copy(update=timeline)
    now = found.model_copy(update={"diagnosis": diagnosis, "timeline": timeline_now})
    return View(now, view.pages, view.words)


@pytest.mark.parametrize(
    ("lang", "start"),
    [
        ("en", "No cause seen yet: Training job failed on job train/llm-70b, ×3"),
        ("zh", "尚未看到原因：任务 train/llm-70b 上的“训练任务失败”, ×3"),
    ],
)
def test_the_worst_damage_is_the_headline(view: View, lang: Language, start: str) -> None:
    """Where no cause is known, what hurts most is named, and nobody says that all is contained."""
    found = _inconclusive(view)
    found = View(found.investigation, found.pages, load_words(lang))
    assert found.headline() == start
    told = str(build_answer(found, LIMITS))
    assert found.words("report.nothing_to_contain") not in told
    assert found.words("report.contain_unknown") in told


def test_without_an_alarm_nothing_was_recognised(view: View) -> None:
    """And nobody says that nothing needs to be contained: health was not shown either."""
    found = _inconclusive(view, events=())
    assert found.headline().startswith("Nothing alarming was recognised")
    assert found.words("report.contain_unseen") in str(build_answer(found, LIMITS))
    assert found.words("report.nothing_to_contain") not in str(build_answer(found, LIMITS))


def _given(view: View, *evidence: Evidence, gaps: tuple[Gap, ...] = ()) -> View:
    found = _inconclusive(view, events=())
    changes = {"evidence": evidence, "gaps": gaps}
    return View(found.investigation.model_copy(update=changes), found.pages, found.words)


def test_where_nothing_readable_was_given_the_verdict_says_so(view: View) -> None:
    """Nobody shall take an empty file, or one in an unknown format, for a look at something."""
    empty = Evidence(id="E1", source="file", command="a.log", outcome="empty", size=0)
    binary = Evidence(id="E2", source="file", command="b.bin", size=5000)
    unread = Gap(source="file", target="b.bin", why="binary", evidence="E2", offset=0, length=5000)
    plain = Evidence(id="E3", source="file", command="c.txt", size=25)

    assert _given(view, empty, binary, gaps=(unread,)).headline().startswith("Nothing readable")
    for read in (_given(view, empty, plain), _given(view, binary), _given(view)):
        assert read.headline().startswith("Nothing alarming was recognised")


def test_inconclusive_is_said_once(view: View) -> None:
    """The verdict and the confidence are one word there."""
    recap = _inconclusive(view).recap()
    assert recap.upper().count("INCONCLUSIVE") == 1
    assert view.recap().startswith("Fault found · LIKELY · ")


def test_an_event_shows_only_codes_that_its_evidence_prints(view: View) -> None:
    """A reading of `nvidia-smi -q` shows a remapped row; no line of it says Xid 63."""
    event = view.events[0]
    page = view.pages[event.page].model_copy(
        update={
            "codes": ("Xid 63", "Xid 64"),
            "title": Bilingual(en="Xid 63: row marked for remapping", zh="Xid 63：显存行待重映射"),
        }
    )
    pages = {**view.pages, event.page: page}

    def told(text: str, lang: Language) -> tuple[str, tuple[str, ...]]:
        quote = event.citations[0].model_copy(update={"text": text})
        one = event.model_copy(
            update={
                "citations": (quote,),
                "text": text,
                "fields": {},
                "channels": frozenset({"reading"}),
            }
        )
        shown = View(view.investigation, pages, load_words(lang))
        return shown.condition(one), shown.printed(one)

    assert told("NVRM: Xid (PCI:0000:c4:00): 63, pid=1", "en")[0].startswith("Xid 63")
    assert told("NVRM: Xid (PCI:0000:c4:00): 63, pid=1", "en")[1] == ("Xid 63",)
    assert told("Remapping : Pending : Yes", "en") == ("Row marked for remapping", ())
    assert told("Remapping : Pending : Yes", "zh")[0] == "显存行待重映射"


def test_a_crash_loop_is_told_with_its_count(view: View, chinese: View) -> None:
    """How often it was started anew is said where the condition is."""
    fields = {"restarts": 7, "waiting": "CrashLoopBackOff"}
    event = view.events[0].model_copy(update={"fields": fields})

    assert view.restarts(event) == "CrashLoopBackOff, restarted 7 times"
    assert view.restarts(event) in view.remarks(event)
    assert "7 次" in chinese.restarts(event)


def test_the_lead_of_the_headline_is_that_of_the_verdict(view: View) -> None:
    """The headline is what people copy: it must not name another than where and why do."""
    assert view.diagnosis
    root, other = view.diagnosis.root_causes[0], view.diagnosis.hypotheses[-1]
    open_ = view.diagnosis.model_copy(
        update={"verdict": "inconclusive", "root_causes": (root,), "hypotheses": (other,)}
    )
    changed = view.investigation.model_copy(update={"diagnosis": open_})
    headline = View(changed, view.pages, view.words).headline()
    assert view.words.say(root.title) in headline
    assert view.words.say(other.title) not in headline


def test_the_headline_tells_what_its_root_does_not_explain(view: View, chinese: View) -> None:
    """Whoever reads no further must not take the root for the cause of that."""
    assert view.diagnosis
    event = view.events[-1]
    update = {"verdict": "fault", "gravest_open": event.id, "unexplained": (event.id,)}
    diagnosis = view.diagnosis.model_copy(update=update)
    changed = view.investigation.model_copy(update={"diagnosis": diagnosis})
    assert f"this does not explain “{view.condition(event)}”" in (
        View(changed, view.pages, view.words).headline()
    )
    assert View(changed, view.pages, chinese.words).headline().count("这不能解释") == 1


def test_what_is_still_to_mend_is_told_with_healthy(view: View, chinese: View) -> None:
    """Whoever reads no further must not take a clock that is off for one that is right."""
    assert view.diagnosis
    event = view.events[-1]
    update = {"verdict": "healthy", "root_causes": (), "standing": (event.id,)}
    diagnosis = view.diagnosis.model_copy(update=update)
    changed = view.investigation.model_copy(update={"diagnosis": diagnosis})
    said = f"Still to mend: {view.condition(event)} on {view.subject(event)}."
    assert said in View(changed, view.pages, view.words).headline()
    assert "仍待处理：" in View(changed, view.pages, chinese.words).headline()


def test_who_failed_first_is_the_lead_where_no_cause_is_named(view: View) -> None:
    """The report must not say that nothing is seen and name the first to fail below it."""
    assert view.diagnosis
    event = view.events[0]
    why = Bilingual(en="first", zh="最先")
    first = FirstFailing(job="train", entity=event.entity, event=event.id, why=why)
    bare = _inconclusive(view).investigation
    assert bare.diagnosis
    diagnosis = bare.diagnosis.model_copy(update={"first_failing": (first,)})
    changed = bare.model_copy(update={"diagnosis": diagnosis})
    headline = View(changed, view.pages, view.words).headline()
    assert "strongest lead" in headline
    assert view.title(event.page) in headline
