from knowledge.lint import lint
from knowledge.problem import Problem
from tests.knowledge.pages import NFS, XID, catalog, page

KINDS = ("node", "gpu", "storage_server")


def test_sound_pages_have_no_problem() -> None:
    """Two pages that know of each other pass every rule."""
    link = {"effect": "nfs", "scope": "node", "strength": "often", "delay": {"max_s": 5}}
    nfs = {**NFS, "entity": {"node": "{host}"}}
    xid = {**XID, "entity": {"node": "{host}", "gpu": "{host}/{bdf}"}}
    pages = page("xid", signatures=[xid], causes=[link]), page("nfs", signatures=[nfs])
    assert lint(catalog(*pages), KINDS) == []


def test_problems_come_in_order_of_page() -> None:
    """So that two runs print the same."""
    pages = [page(name, traps=[], checks=[]) for name in ("b", "a")]
    assert [(p.page, p.rule) for p in lint(catalog(*pages))] == [
        ("a", "check"),
        ("a", "trap"),
        ("b", "check"),
        ("b", "trap"),
    ]


def test_an_unknown_kind_is_found_only_if_kinds_are_given() -> None:
    """The kinds are plain words from outside."""
    strange = catalog(page("a", entity={"kind": "toaster", "anchors": ["shelf"]}))
    assert lint(strange) == []
    assert lint(strange, KINDS) == [
        Problem("a", "kinds", "entity: no entity kind is called 'shelf'"),
        Problem("a", "kinds", "entity: no entity kind is called 'toaster'"),
    ]


def test_some_pages_can_be_judged_beside_the_others() -> None:
    """Their problems are those that they have among all; the others' are left out."""
    every = catalog(
        page("a", traps=[]), page("b", traps=[], signatures=[XID]), page("c", signatures=[XID])
    )
    alone = lint(every, only={"b"})

    assert alone == [each for each in lint(every) if each.page == "b"]
    assert alone
