"""The report as one self-contained HTML page.

Nothing is fetched: a content security policy in the page refuses everything but its own style
sheet, which it names by digest. There is no script. Every value is escaped.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from integrations.rendering.answer import title_line
from integrations.rendering.axis import fit_axis
from integrations.rendering.content import Block, Card, Limits, collect_anchors
from integrations.rendering.escaping import make_visible
from integrations.rendering.graph import draw_graph
from integrations.rendering.heatmap import draw_heatmap
from integrations.rendering.moments import write_span
from integrations.rendering.naming import for_people
from integrations.rendering.sections import build_sections
from integrations.rendering.severity import SEVERITIES
from integrations.rendering.swimlanes import draw_swimlanes
from integrations.rendering.view import View

if TYPE_CHECKING:
    from jinja2 import Environment

LIMITS = Limits(events=100, hypotheses=20, rows=400, quotes=40)
_HEAT_KEY = (
    ("critical", "C"), ("error", "E"), ("warning", "W"), ("info", "i"), ("none", "·"),
    ("unknown", "?"),
)  # fmt: skip
_PRIORITY_ICONS = {"P0": "critical", "P1": "error", "P2": "warning", "P3": "info"}
_COVERAGE_ICONS = {
    "hung": "■", "abnormal": "▲", "not_checked": "?", "not_visible": "?", "normal": "✓",
}  # fmt: skip


def render_html(view: View) -> str:
    """Render the whole report as one page."""
    view = for_people(view)
    investigation, words = view.investigation, view.words
    axis = fit_axis(view)
    heat = draw_heatmap(view, axis) if axis else None
    style = _read("report.css")
    sections = build_sections(view, LIMITS)
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            words=words,
            incident=investigation.incident.id or words("report.title"),
            headline=view.headline(),
            title=title_line(view),
            sections=sections,
            anchors=collect_anchors(sections),
            lanes=draw_swimlanes(view, axis) if axis else None,
            heat=heat,
            heat_slice=write_span(heat.slice_s, words) if heat else "",
            heat_key=_HEAT_KEY,
            graph=draw_graph(view),
            severities=SEVERITIES,
            priority_icons=_PRIORITY_ICONS,
            coverage_icons=_COVERAGE_ICONS,
            style=Markup(style),  # noqa: S704 -- our own file, no value of the report in it
            style_hash=Markup(_digest(style)),  # noqa: S704 -- base64
            colophon=view.colophon(),
        )
    )


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415 -- only pages need it

    templates = Environment(
        loader=FunctionLoader(_read), autoescape=True, undefined=StrictUndefined, finalize=_clean,
    )  # fmt: skip
    templates.filters["anchor"] = make_anchor
    templates.filters["form"] = lambda block: type(block).__name__
    templates.filters["others"] = _others
    return templates


def make_anchor(name: str) -> str:
    """Return `name` as an id that is safe inside an attribute and a link."""
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_.")


def _others(blocks: tuple[Block, ...]) -> list[Card]:
    return [block for block in blocks if isinstance(block, Card) and not block.key]


def _clean(value: object) -> object:
    """Make hidden and steering characters visible in every value that a template prints."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return make_visible(value)
    return value


def _read(name: str) -> str:
    return files("integrations.rendering.templates").joinpath(name).read_text("utf-8")


def _digest(style: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
