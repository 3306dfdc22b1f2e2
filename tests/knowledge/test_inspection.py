"""The shipped inspections hold together, and a broken one is refused by name."""

from collections.abc import Iterator

import pytest

from assistant.inspection_text import FORMS
from knowledge.bilingual import Bilingual
from knowledge.errors import InspectionInvalidError
from knowledge.inspection import (
    AnyLook,
    Inspection,
    LineLook,
    ReadingLook,
    TrendLook,
    load_inspections,
    queries_of,
    read_inspection,
)
from knowledge.pattern import compile_pattern
from knowledge.template import placeholders
from tests.assistant.handbook import shipped
from tools.registry import load_probes

SHIPPED = load_inspections()
MINIMAL = """\
title: {en: a, zh: 甲}
why: {en: a, zh: 甲}
mend: {en: a, zh: 甲}
plane: storage
phases: [before]
sources: [{text: x, trust: rule}]
looks:
  - source: hang
    actions: [{command: df -h, where: node}]
    good: {en: a, zh: 甲}
"""


def looks() -> Iterator[tuple[Inspection, AnyLook]]:
    for each in SHIPPED:
        for look in each.looks:
            yield each, look


def sentences(look: AnyLook) -> Iterator[Bilingual]:
    yield look.good
    yield from (rule.text for rule in look.rules)
    yield from (one for one in (look.none, look.untold) if one)


def test_the_checklists_of_the_sources_are_there() -> None:
    """Before, during and after an incident; each of what the sources list has its check."""
    names = {each.id for each in SHIPPED}
    assert names >= {
        "nfs-mount-options", "health-check-independent", "node-conditions", "etcd-wal-fsync",
        "checkpoint-age", "time-sync", "log-retention", "gpu-roster", "hung-commands",
        "stuck-processes", "pods-steady", "no-new-xid",
    }  # fmt: skip
    for phase in ("before", "during", "after"):
        assert sum(phase in each.phases for each in SHIPPED) > 10


def test_both_languages_say_the_same_values() -> None:
    """A hole that one language lacks would hide a value from its readers; all forms exist."""
    for each, look in looks():
        for sentence in sentences(look):
            holes = [sorted(set(placeholders(text))) for text in (sentence.en, sentence.zh)]
            assert holes[0] == holes[1], (each.id, sentence.en)
            forms = {hole.partition(":")[2] for hole in holes[0]} - {""}
            assert forms <= FORMS, each.id


def test_every_pattern_compiles_in_re2() -> None:
    """Also those of conditions."""
    for _, look in looks():
        tests = [*look.only, *look.skip, *(one for rule in look.rules for one in rule.when)]
        patterns = [str(one.value) for one in tests if one.op == "matches"]
        patterns += [look.regex] if isinstance(look, LineLook) else []
        patterns += [look.read_by] if isinstance(look, ReadingLook) and look.read_by else []
        for pattern in patterns:
            compile_pattern(pattern)


def test_probes_and_pages_that_are_named_exist() -> None:
    """A name that stands for nothing would be an unknown for ever."""
    probes, pages = {each.name for each in load_probes()}, shipped().pages
    for each, look in looks():
        assert set(look.probes) <= probes, each.id
        assert set(each.pages) <= set(pages), each.id


def test_a_query_means_the_same_as_in_the_handbook() -> None:
    """Bundles store one answer by name: two expressions of one name would mix."""
    theirs = dict(shipped().queries())
    ours = queries_of(SHIPPED)
    assert {name: expr for name, expr in ours.items() if theirs.get(name, expr) != expr} == {}


def test_the_explained_query_is_the_one_that_is_asked() -> None:
    """What `--explain` prints repeats the look."""
    told = queries_of(SHIPPED)
    for each, look in looks():
        for action in look.actions:
            if action.where == "metrics":
                name, _, expr = action.command.removeprefix("query_range ").partition(": ")
                assert told[name] == expr, each.id
                assert "prometheus-queries" in look.probes


def test_only_trends_look_over_weeks() -> None:
    """And every one of them is called so."""
    for each in SHIPPED:
        assert each.over_weeks == each.id.startswith("trend-")
        assert each.over_weeks == all(isinstance(look, TrendLook) for look in each.looks)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (MINIMAL.replace("[before]", "[later]"), "phases"),
        (MINIMAL.replace("source: hang", "source: guess"), "looks"),
        (MINIMAL + "threshold: 3\n", "threshold"),
        ("- a list", "mapping"),
        ("a: [", "expected"),
    ],
)
def test_a_broken_file_is_refused_by_name(text: str, why: str) -> None:
    """The message says which file and which field."""
    with pytest.raises(InspectionInvalidError, match=f"broken-one.*{why}"):
        read_inspection(text, "broken-one")
    assert read_inspection(MINIMAL, "fine").id == "fine"
