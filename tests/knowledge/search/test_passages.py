from knowledge.search.passages import MOST_CHARACTERS, passages_of
from tests.assistant.handbook import shipped
from tests.knowledge.search.shelf import shelf


def test_every_passage_stands_under_both_titles() -> None:
    """Sections in both languages, ids unique, samples in one language without a vector."""
    found = list(passages_of(shelf().page("xid-79")))

    assert {each.heading for each in found} == {"GPU has fallen off the bus / GPU 掉卡"}
    assert len({each.id for each in found}) == len(found)
    assert {each.lang for each in found if each.section == "phrases"} == {"en", "zh"}
    (signs,) = {each.embedded for each in found if each.section == "signs"}
    assert not signs


def test_a_passage_holds_whole_sentences_up_to_its_size() -> None:
    """No sentence of a page is lost or cut, whatever its length."""
    page = shipped().page("storage-controller-failover")
    traps = [each for each in passages_of(page) if (each.section, each.lang) == ("traps", "en")]
    longest = max(len(trap.en) for trap in page.traps)

    assert all(any(trap.en in each.text for each in traps) for trap in page.traps)
    assert all(
        len(each.text) <= max(MOST_CHARACTERS, longest) + len(page.title.en) + len(page.traps)
        for each in traps
    )


def test_every_shipped_page_says_how_people_ask() -> None:
    """Three phrases a language at least, or only those find it who know its words."""
    bare = [
        page.id
        for page in shipped().pages.values()
        if page.role not in ("context", "unread")
        and min(len(page.phrases.en), len(page.phrases.zh)) < 3
    ]

    assert bare == []
