"""Pages in an organisation's folders: inert until approved, refused one by one where they fail."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from integrations.bootstrap import current_user
from tests.integrations.cli.conftest import Run, load

LINE = "2025-06-20T02:00:00Z n1 rulesd[1]: house rule 7 was broken\n"


@pytest.fixture(name="pages")
def _pages(home: Path) -> Path:
    folder = home / "pages"
    folder.mkdir()
    settings = f'handbook_dirs = ["{folder}"]\nadmins = ["{current_user()}"]\n'
    (home / "firstfault.toml").write_text(settings)
    (home / "house.log").write_text(LINE)
    return folder


def write(folder: Path, name: str, kind: str) -> Path:
    """Write a small page about a kind of thing."""
    path = folder / f"{name}.md"
    path.write_text(
        f"""---
title: {{en: House rule, zh: 内部规则}}
summary: {{en: A rule of this house., zh: 内部的一条规则。}}
layer: system
plane: compute
priority: P2
role: root
severity: error
entity: {{kind: {kind}}}
signatures:
  - id: rule
    source: service
    literal: "house rule"
    regex: "house rule (?P<rule>[0-9]+)"
    entity: {{{kind}: "{{host}}"}}
    examples: ["house rule 7", "the house rule 12 was broken"]
    not_examples: ["house rule seven"]
checks: [{{id: look, command: [uptime], tells: {{en: Is it up?, zh: 是否在线}}}}]
remedies: [{{id: fix, title: {{en: Obey, zh: 遵守}}, stage: recover, risk: R2}}]
traps: [{{en: It may be another., zh: 也可能是另一条。}}]
sources: [{{text: our wiki, trust: handbook}}]
---
"""
    )
    return path


def listed(run: Run) -> dict[str, tuple[str, str]]:
    """Return state and digest of each page by id."""
    items = load(run("kb", "list", "--own", "-o", "json")[1])["items"]
    assert isinstance(items, Sequence)
    return {each["id"]: (each["state"], each["digest"]) for each in items}


def test_a_page_of_a_folder_has_effect_once_it_was_approved(
    run: Run, home: Path, pages: Path
) -> None:
    """Until then one line says so; afterwards its mark stands wherever it shows."""
    write(pages, "house-rule", "node")
    write(pages, "odd", "toaster")
    log = str(home / "house.log")
    _, before, err = run("diagnose", log, "-o", "json")
    assert err.count("own pages without approval have no effect: house-rule, odd;") == 1
    assert load(before)["events"] == []
    state, digest = listed(run)["house-rule"]
    assert state == "pending"
    assert "House rule" in run("kb", "show", "house-rule")[1]

    code, _, err = run("approve", listed(run)["odd"][1])
    assert (code, "no entity kind is called 'toaster'" in err) == (1, True)
    assert run("approve", digest)[0] == 0

    _, text, err = run("diagnose", log)
    assert err.count("own pages without approval have no effect: odd;") == 1
    assert "House rule [own]" in text
    assert "R2 Obey [own]" in text
    _, out, _ = run("diagnose", log, "-o", "json", "--lang", "zh")
    told = load(out)
    remedies = told["remedies"]
    assert isinstance(remedies, list)
    assert remedies[0]["title"] == "遵守 [自有]"
    assert re.fullmatch(r"own · house-rule.md · \S+ · approved by \S+", remedies[0]["badge"])
    _, html, _ = run("diagnose", log, "-o", "html")
    assert "House rule [own]" in html


def test_a_changed_page_waits_again(run: Run, pages: Path) -> None:
    """Its earlier digest cannot be approved any more."""
    path = write(pages, "house-rule", "node")
    _, digest = listed(run)["house-rule"]
    path.write_text(path.read_text().replace("P2", "P1"))
    state, changed = listed(run)["house-rule"]

    assert (state, changed != digest) == ("pending", True)
    assert run("approve", digest)[0] == 3
    assert run("reject", changed, "--reason", "no")[0] == 0
    path.write_text(path.read_text().replace("P1", "P0"))
    code, _, err = run("approve", changed)
    assert (code, "is superseded: the page was changed or removed" in err) == (7, True)


def test_lint_judges_own_pages_as_if_all_were_approved(run: Run, pages: Path) -> None:
    """A page about no known kind of thing is an error, the page beside it is not."""
    write(pages, "sound", "node")
    write(pages, "odd", "toaster")
    (pages / "broken.md").write_text("no front matter")
    code, out, _ = run("kb", "lint")

    assert code == 1
    assert re.search(r"error: odd: vocabulary: no entity kind is called 'toaster'", out)
    assert "sound: vocabulary" not in out
    assert "skipped: page skipped: " in out
    assert "broken.md: not a valid page" in out


def test_an_approved_page_that_cannot_work_is_left_out(run: Run, home: Path, pages: Path) -> None:
    """As after an upgrade that knows a word no more; the rest works."""
    from integrations.bootstrap import load_settings, read_surroundings  # noqa: PLC0415 -- as above
    from integrations.own import open_decisions  # noqa: PLC0415 -- only here
    from tests.assistant.test_approval import draft  # noqa: PLC0415 -- as above

    write(pages, "odd", "toaster")
    _, digest = listed(run)["odd"]
    around = read_surroundings()
    decisions = open_decisions(load_settings({}, around).settings, around)
    decisions.record(draft().model_copy(update={"digest": digest}))
    _, out, err = run("diagnose", str(home / "house.log"), "-o", "json")

    assert err.count("page skipped: odd: no entity kind is called 'toaster'") == 1
    assert load(out)["events"] == []
    assert Path(home / ".local/share/firstfault/firstfault.db").exists()
