from knowledge.search.glossary import Glossary, load_glossary


def test_a_term_gives_the_others_of_its_group() -> None:
    """In both languages, in the plural too, and never itself."""
    known = Glossary.of([["gpu", "graphics card", "显卡"], ["card", "卡"]])

    assert known.translate("two GPUs are gone") == ("graphics card", "显卡")
    assert known.translate("显卡坏了") == ("gpu", "graphics card")
    assert known.translate("cardinal") == ()


def test_the_longest_term_is_meant() -> None:
    """A graphics card is no card of a group of its own."""
    known = Glossary.of([["card", "卡"], ["graphics card", "显卡"]])

    assert known.translate("graphics card") == ("显卡",)


def test_every_shipped_group_has_two_terms_that_differ() -> None:
    """A group of one term would say nothing."""
    assert [g for g in load_glossary().groups if len(set(g)) < 2] == []
