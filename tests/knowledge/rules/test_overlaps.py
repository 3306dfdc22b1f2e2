import pytest

from knowledge.rules.overlaps import check
from tests.knowledge.pages import NFS, catalog, page

LINE = "nfs: server 10.0.0.10 not responding, still trying"
OTHER = "kernel: nfs: server 10.9.9.9 not responding, still trying, for long"
NEGATIVE = {**NFS, "regex": "^nfs: server 10", "not_examples": [OTHER]}
LINK = {"effect": "b", "scope": "node", "strength": "often", "delay": {"max_s": 5}}


def test_a_foreign_negative_must_not_match() -> None:
    """A page's signature takes what another page says is not its fault."""
    pages = page("a", signatures=[{**NEGATIVE, "unit": "x"}]), page("b", signatures=[NFS])
    problems = [p for p in check(catalog(*pages)) if p.level == "error"]
    assert [(p.page, p.rule) for p in problems] == [("b", "not-example")]


def test_a_negative_may_belong_to_the_page_that_samples_it() -> None:
    """A line of the same shape among its own examples declares that it is this page's."""
    own = {**NFS, "examples": [OTHER.replace("10.9.9.9", "10.0.0.77")]}
    pages = page("a", signatures=[NEGATIVE]), page("b", signatures=[own])
    assert [p for p in check(catalog(*pages)) if p.rule == "not-example"] == []


@pytest.mark.parametrize(
    ("changes", "count"),
    [({}, 1), ({"causes": [LINK]}, 0), ({"collateral_of": ["b"]}, 0), ({"stands_for": ["b"]}, 0)],
)
def test_a_shared_line_is_a_warning_unless_linked(changes: dict[str, object], count: int) -> None:
    """Pages that know of each other may share a line."""
    wide = {**NFS, "regex": "nfs", "literal": "nfs: server", "examples": ["nfs: server gone"]}
    pages = page("a", signatures=[NFS], **changes), page("b", signatures=[wide])
    problems = list(check(catalog(*pages)))
    assert [(p.page, p.rule, p.level) for p in problems] == [("b", "overlap", "warning")] * count


@pytest.mark.parametrize(
    "change", [{"source": "app"}, {"unit": "etcd"}, {"reason": "Evicted"}, {"regex": "("}]
)
def test_only_one_writer_is_compared(change: dict[str, object]) -> None:
    """Other channels, units and reasons cannot carry the same line."""
    bound = {**NFS, "unit": "kubelet", "reason": "Failed"}
    pages = page("a", signatures=[bound]), page("b", signatures=[{**NFS, **change}])
    assert [p.page for p in check(catalog(*pages)) if p.page == "b"] == []


def test_a_fallback_claims_nothing_of_others() -> None:
    """It would match every line, and gets only those that nobody wants."""
    spare = {**NFS, "regex": "nfs", "literal": "", "fallback": True, "examples": ["nfs gone"]}
    assert (
        list(check(catalog(page("a", signatures=[NEGATIVE]), page("b", signatures=[spare])))) == []
    )
