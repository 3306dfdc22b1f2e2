"""The page stands alone, can be read by everyone, and runs nothing that a log line brings."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from integrations.rendering.page import render_html
from integrations.rendering.view import View
from tools.evidence import Window

CHROMIUM = Path("/usr/bin/chromium")
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
_VOID = {"meta", "br", "col", "link", "img", "input", "hr"}


class _Reader(HTMLParser):
    """Collects tags, ids and links, and checks that elements close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        values = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [str(values["href"])] if "href" in values else []
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _read(view: View) -> _Reader:
    reader = _Reader()
    reader.feed(render_html(view))
    assert reader.open == []
    return reader


def test_nothing_is_fetched_and_nothing_runs(hostile: tuple[str, View]) -> None:
    """No script, image, frame, handler or address; links lead inside the page."""
    _, view = hostile
    reader = _read(view)

    forbidden = {"script", "img", "iframe", "object", "embed", "link", "form", "base", "audio"}
    assert not forbidden & set(reader.tags)
    assert not any(name.startswith("on") or name in ("src", "style") for name in reader.attributes)
    assert all(link.startswith("#") for link in reader.links)


def test_hostile_lines_leave_the_structure_alone(hostile: tuple[str, View], view: View) -> None:
    """No line of evidence opens or closes a part of the page."""
    _, poisoned = hostile

    spoilt, clean = Counter(_read(poisoned).tags), Counter(_read(view).tags)
    assert {tag: spoilt[tag] for tag in _PARTS} == {tag: clean[tag] for tag in _PARTS}
    assert spoilt.keys() <= clean.keys() | {"path"}


_PARTS = (
    "html",
    "head",
    "body",
    "section",
    "article",
    "h1",
    "h2",
    "h3",
    "dl",
    "figure",
    "table",
    "pre",
)


def test_no_control_character_is_in_the_page(hostile: tuple[str, View]) -> None:
    """What steers or hides is shown by name."""
    _, view = hostile

    assert not re.search(
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", render_html(view)
    )


def test_every_link_leads_somewhere_and_ids_are_unique(view: View, chinese: View) -> None:
    """Permalinks to evidence, events, hypotheses and checks hold."""
    for each in (view, chinese):
        reader = _read(each)

        assert len(reader.ids) == len(set(reader.ids))
        assert {link[1:] for link in reader.links} <= set(reader.ids)
        assert {"E4", "E6", "ev2", "h1", "c1"} <= set(reader.ids)


def test_the_graph_has_a_table_with_the_same_links(view: View) -> None:
    """Who cannot see the figure reads the table."""
    page = render_html(view)

    assert page.count('<path class="edge ') == 10
    assert page.count('class="edge inferred"') == 2
    chain = page[page.index('<section id="chain"') : page.index('<section id="differential"')]
    assert chain.count("<tr>") == 11


def test_both_languages_are_declared(view: View, chinese: View) -> None:
    """Screen readers need to know."""
    assert '<html lang="en">' in render_html(view)
    assert '<html lang="zh-CN">' in render_html(chinese)
    assert "各平面发生了什么" in render_html(chinese)


@pytest.fixture(name="browser", scope="module")
def _browser() -> Iterator[object]:
    if not CHROMIUM.exists():
        pytest.skip("chromium is not installed")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(_FLAGS))
        yield browser
        browser.close()


def test_a_browser_shows_it_without_a_request_or_a_complaint(
    browser: object, chinese: View, tmp_path: Path
) -> None:
    """At 1280 px and on a phone, in both themes, nothing overflows and the policy holds."""
    file = tmp_path / "report.html"
    file.write_text(render_html(chinese), "utf-8")
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})  # type: ignore[attr-defined]  # imported late
        said: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("request", lambda asked, said=said: said.append(asked.url))
        page.goto(file.as_uri())

        assert said == [file.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("getComputedStyle(document.querySelector('main')).display") == "block"
        page.close()


def test_on_a_phone_only_the_figures_are_wider_than_the_screen_and_say_so(
    browser: object, view: View, tmp_path: Path
) -> None:
    """Tables become a card for each row, every cell under its column's name."""
    file = tmp_path / "report.html"
    file.write_text(render_html(view), "utf-8")
    wide = (
        "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => !!e.querySelector('svg.lanes, table.heat'))"
    )
    hints = "[...document.querySelectorAll('.swipe')].map(e => e.checkVisibility())"
    for width, figures in ((390, [True, True]), (1280, [])):
        page = browser.new_page(viewport={"width": width, "height": 800})  # type: ignore[attr-defined]  # imported late
        page.goto(file.as_uri())
        assert page.evaluate(wide) == figures
        assert page.evaluate(hints) == [bool(figures)] * 2
        page.close()


def test_a_heatmap_of_few_slices_fits_a_phone(browser: object, view: View, tmp_path: Path) -> None:
    """What happened within minutes must not lie beyond the edge."""
    event = view.event_by_id["ev8"]
    short = event.model_copy(update={"end": None, "last": event.start})
    window = Window(since=event.start.utc, until=event.start.utc + timedelta(seconds=8))
    timeline = view.investigation.timeline.model_copy(update={"events": (short,)})
    found = view.investigation.model_copy(update={"timeline": timeline, "window": window})
    file = tmp_path / "report.html"
    file.write_text(render_html(View(found, view.pages, view.words)), "utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 800})  # type: ignore[attr-defined]  # imported late
    page.goto(file.as_uri())
    table = "document.querySelector('table.heat')"

    assert page.evaluate(f"{table}.classList.contains('few')")
    assert page.evaluate(f"{table}.scrollWidth <= {table}.parentElement.clientWidth")
    page.close()


def test_a_link_to_evidence_opens_it_without_a_script(
    browser: object, view: View, tmp_path: Path
) -> None:
    """Cards are folded, so that the page stays short; the one that is asked for is readable."""
    file = tmp_path / "report.html"
    file.write_text(render_html(view), "utf-8")
    page = browser.new_page()  # type: ignore[attr-defined]  # imported late
    shown = "document.querySelector('#E3 pre').checkVisibility({contentVisibilityAuto: true})"
    page.goto(file.as_uri())
    assert not page.evaluate(shown)
    page.goto(f"{file.as_uri()}#E3")
    assert page.evaluate(shown)
    page.close()


def test_amplifiers_are_marked_in_the_graph(view: View) -> None:
    """By a word and a rim, not by colour alone."""
    page = render_html(view)

    assert page.count('class="box amplifier"') == 2
    assert page.count('class="badge-text"') == 2


def test_everything_is_reached_by_keyboard(browser: object, view: View, tmp_path: Path) -> None:
    """The first stop skips to the verdict; figures, tables and links follow."""
    file = tmp_path / "report.html"
    file.write_text(render_html(view), "utf-8")
    page = browser.new_page()  # type: ignore[attr-defined]  # imported late
    page.goto(file.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#verdict"

    stops = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
    page.close()

    assert any('role="region"' in stop for stop in stops)
    assert any('href="#ev2"' in stop for stop in stops)
