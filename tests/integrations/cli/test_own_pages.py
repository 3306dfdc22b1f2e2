"""An organisation's own pages: used like any other, refused one by one where they cannot work."""

import re
from pathlib import Path

import pytest

from tests.integrations.cli.conftest import Run

LINE = "2025-06-20T02:00:00Z INFO nothing to see\n"


@pytest.fixture(name="pages")
def _pages(home: Path) -> Path:
    folder = home / "pages"
    folder.mkdir()
    (home / "firstfault.toml").write_text(f'handbook_dirs = ["{folder}"]\n')
    (home / "quiet.log").write_text(LINE)
    return folder


def write(folder: Path, name: str, kind: str) -> None:
    """Write a small page about a kind of thing."""
    (folder / f"{name}.md").write_text(
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
---
"""
    )


@pytest.mark.uncounted  # of the lint of all pages, which has its own tests
def test_a_page_about_no_known_kind_of_thing_is_skipped_and_said(
    run: Run, home: Path, pages: Path
) -> None:
    """At start with one line, by lint with its rule; the page beside it works."""
    write(pages, "sound", "node")
    write(pages, "odd", "toaster")
    _, _, err = run("diagnose", str(home / "quiet.log"))
    assert err.count("page skipped: odd: no entity kind is called 'toaster'") == 1
    assert run("kb", "show", "sound")[0] == 0
    assert run("kb", "show", "odd")[0] == 3
    code, out, _ = run("kb", "lint")
    assert code == 1
    assert re.search(r"error: odd: vocabulary: no entity kind is called 'toaster'", out)
    assert "sound: vocabulary" not in out
