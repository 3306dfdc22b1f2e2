"""The chain: a table of its links, and the same as a tree for narrow places."""

from collections.abc import Mapping, Sequence

from assistant.diagnosis.result import ChainLink
from assistant.event import Event
from integrations.rendering.content import (
    Block,
    Chain,
    Limits,
    Line,
    Paragraph,
    Row,
    Section,
    Step,
    Table,
    bound,
    join,
    refs,
    soft,
    strong,
    tag,
    text,
)
from integrations.rendering.moments import write_delay
from integrations.rendering.view import View

_LEAST = 40
"""A chain holds each condition once, so that it is never long; cutting it would lose its end."""


def build_chain(view: View, limits: Limits) -> Section:
    """Build the section on how it spread."""
    words = view.words
    chain = view.diagnosis.chain if view.diagnosis else ()
    title = words("report.chain")
    if not chain:
        return Section("chain", title)
    shown = chain[: max(limits.rows, _LEAST)]
    columns = tuple(
        words(f"column.{name}") for name in ("from", "to", "delay", "status", "scope", "evidence")
    )
    table = Table(columns, tuple(_row(view, link) for link in shown))
    blocks: list[Block] = [Chain(table, tuple(_steps(view, shown)))]
    if len(chain) > len(shown):
        more = words("report.and_more", count=len(chain) - len(shown))
        blocks.append(Paragraph(soft(more)))
    return Section("chain", title, tuple(blocks))


def find_homes(view: View, links: Sequence[ChainLink]) -> Mapping[str, str]:
    """Map the source of each link to the event that stands for it in a drawing.

    Each condition is drawn once. A link that starts at another entity of a condition that is drawn
    already hangs below the one that is drawn.
    """
    drawn = {link.target for link in links}
    by_page: dict[str, str] = {}
    for link in links:
        by_page.setdefault(_page(view, link.target), link.target)
    return {
        link.source: link.source
        if link.source in drawn
        else by_page.get(_page(view, link.source), link.source)
        for link in links
    }


def longest_way(view: View) -> Sequence[ChainLink]:
    """Return the way from a first cause that passes most amplifiers, then most links."""
    links = view.diagnosis.chain if view.diagnosis else ()
    homes = find_homes(view, links)
    ways: dict[str, list[ChainLink]] = {}
    for link in _in_order(links, homes):
        way = [*ways.get(homes[link.source], []), link]
        ways[link.target] = max(ways.get(link.target, []), way, key=lambda w: _weight(view, w))
    return max(ways.values(), key=lambda way: _weight(view, way), default=[])


def _weight(view: View, way: Sequence[ChainLink]) -> tuple[int, int]:
    return (sum(view.amplifies(link.target) for link in way), len(way))


def _in_order(links: Sequence[ChainLink], homes: Mapping[str, str]) -> Sequence[ChainLink]:
    """Put causes before their effects; what turns in a circle comes last."""
    waiting, ordered = list(links), list[ChainLink]()
    while waiting:
        ahead = {link.target for link in waiting}
        ready = [link for link in waiting if homes[link.source] not in ahead] or waiting
        ordered += ready
        waiting = [link for link in waiting if link not in ready]
    return ordered


def tell_condition(view: View, event_id: str) -> Line:
    """Say a condition, of how many things it holds, and whether it amplifies."""
    event = view.event_by_id.get(event_id)
    if event is None:
        return ()
    alike = view.count_alike(event)
    many = soft(view.words("event.times", count=alike)) if alike > 1 else ()
    again = soft(f"· {restarts}") if (restarts := view.restarts(event)) else ()
    return join(strong(view.condition(event)), many, again, mark(view, event_id))


def mark(view: View, event_id: str) -> Line:
    """Return the mark of an amplifier, or nothing."""
    return tag(view.words("event.amplifies")) if view.amplifies(event_id) else ()


def _row(view: View, link: ChainLink) -> Row:
    return Row((
        _end(view, link.source),
        _end(view, link.target),
        bound(write_delay(link.delay_s, link.delay_uncertainty_s, view.words)),
        bound(view.words(f"edge.{link.status}")),
        bound(view.scope(link.scope)),
        refs(link.evidence),
    ))  # fmt: skip


def _end(view: View, event_id: str) -> Line:
    event = view.event_by_id.get(event_id)
    label = text(view.label(event)) if event else ()
    return join(_point(view, event_id), label, mark(view, event_id))


def brief_steps(view: View, links: Sequence[ChainLink]) -> Sequence[Step]:
    """Walk the tree with a line for each step: when, what and its evidence."""
    return _steps(view, links, brief=True)


def _steps(view: View, links: Sequence[ChainLink], *, brief: bool = False) -> Sequence[Step]:
    """Walk the tree depth first."""
    homes = find_homes(view, links)
    below: dict[str, list[ChainLink]] = {}
    for link in links:
        below.setdefault(homes[link.source], []).append(link)
    reached = {link.target for link in links}
    steps: list[Step] = []
    told: set[str] = set()

    def walk(event_id: str, depth: int) -> None:
        told.add(event_id)
        for link in below.get(event_id, ()):
            step = _brief_step(view, link) if brief else _step(view, link, homes)
            steps.append(Step(depth, step))
            if link.target not in told:
                walk(link.target, depth + 1)

    for start in below:
        if start not in reached or not told.issuperset(below):
            _begin(view, start, steps, told)
            if start not in told:
                walk(start, 1)
    return steps


def _begin(view: View, start: str, steps: list[Step], told: set[str]) -> None:
    event = view.event_by_id.get(start)
    if start in told or event is None:
        return
    steps.append(Step(0, _told(view, start, _when(view, event), _point(view, start))))


def _point(view: View, event_id: str) -> Line:
    """Point to an event; what was only inferred has no row to point to."""
    if event_id in view.inferred:
        return soft(view.words("edge.inferred"))
    return refs([event_id])


def _when(view: View, event: Event) -> str:
    return view.onset(event, day=not view.one_day)


def _step(view: View, link: ChainLink, homes: Mapping[str, str]) -> Line:
    words = view.words
    elsewhere = homes[link.source] != link.source
    grounds = join(
        soft(view.scope(link.scope)),
        soft(words("edge.inferred")) if link.status == "inferred" else (),
        join(soft(words("event.starting_at")), _point(view, link.source)) if elsewhere else (),
        join(refs([link.target]), refs(link.evidence, most=3)),
        by=" · ",
    )
    delay = write_delay(link.delay_s, link.delay_uncertainty_s, words)
    return _told(view, link.target, delay, grounds)


def _brief_step(view: View, link: ChainLink) -> Line:
    event = view.event_by_id.get(link.target)
    alone = event is not None and view.count_alike(event) == 1
    delay = write_delay(link.delay_s, link.delay_uncertainty_s, view.words)
    return join(
        text(delay),
        tell_condition(view, link.target),
        text(view.subject(event)) if event and alone else (),
        soft(view.words("edge.inferred")) if link.status == "inferred" else (),
        refs(link.evidence, most=2),
        by=" · ",
    )


def _told(view: View, event_id: str, lead: str, rest: Line) -> Line:
    event = view.event_by_id.get(event_id)
    subject = text(view.subject(event)) if event else ()
    return join(text(lead), tell_condition(view, event_id), subject, rest, by=" · ")


def _page(view: View, event_id: str) -> str:
    event = view.event_by_id.get(event_id)
    return event.page if event else event_id
