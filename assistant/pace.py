"""How fast work went on, when it fell far behind its own pace, and when it did not get ahead."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from typing import NamedTuple

from assistant.burst import PACE_S, STEP_S, quarter_of
from assistant.event import Event, Slowdown
from assistant.lanes import Writer, is_file, join_files
from assistant.tempo import LOSS

DIVERGED = 3.0
RISE = 1.0
"""A loss that is so many times, and by so much, above the least it had is no wavering."""
MANY = 10
"""Fewer steps than this in a quarter of an hour show no pace."""
SLOWER = 3.0
"""So many times slower than its best half hour is no longer the usual pace."""
STALLED = PACE_S // STEP_S
"""So many times five minutes without a new step are no pause of work any more."""
LONG = 2 * STALLED
"""So many times five minutes must be slow as a whole."""

Steps = Mapping[int, int]
"""How far a writer had come, by five minutes since the epoch."""
Numbers = Mapping[Writer, Steps]
Measured = Sequence[tuple[str, str, Mapping[int, float]]]
"""By job and kind of measure: the least of each five minutes."""


class Course(NamedTuple):
    """Where work did not go as it should, though it went on."""

    slowdowns: tuple[Slowdown, ...]
    stalls: tuple[Slowdown, ...]
    divergences: tuple[Slowdown, ...]


def find_course(events: Iterable[Event], working: Collection[str]) -> Course:
    """Find where work slowed down, stood still or learnt nothing any more."""
    work = [event for event in events if event.page in working and event.start.dated]
    lanes = join_files(work)
    numbers, measured = _numbers(work, lanes), _measured(work, lanes)
    return Course(
        (*find_slowdowns(work, numbers), *_told_slower(measured)),
        find_stalls(numbers),
        find_divergences(measured),
    )


def find_slowdowns(work: Iterable[Event], numbers: Numbers) -> tuple[Slowdown, ...]:
    """Return the stretches in which a job went on, but far slower than it had or has since.

    The measure is the job's best half hour, so that what began slow and stayed so has none. Half an
    hour must be slow as a whole: saving a checkpoint takes its minutes.
    """
    numbered = {at: _advance(steps) for at, steps in numbers.items()}
    told = {job for (job, _), advance in numbered.items() if advance}
    counted = _steps(work).items()
    paces = [*numbered.items(), *(((job, ""), n) for job, n in counted if job not in told)]
    found = []
    for (job, _), counts in sorted(paces, key=lambda pace: pace[0]):
        halves = [(a, counts[a] + counts[b]) for a, b in pairwise(sorted(counts)) if b == a + 1]
        best = max((steps for _, steps in halves), default=0)
        slow = [a for a, steps in halves if best >= 2 * MANY and steps * SLOWER < best]
        found += [_stretch(job, a, a + 2, PACE_S) for a in slow]
    found += [
        _stretch(job, a, a + LONG, STEP_S)
        for (job, _), steps in sorted(numbers.items())
        for a in _lagging(steps)
    ]
    return tuple(found)


def _lagging(steps: Steps) -> Iterable[int]:
    """Find where the number rose for half an hour far less than in each of three lots before.

    A log of an hour has no two quarters to compare; three lots of five minutes alike are a pace.
    """
    rises = {b: steps[b] - steps[a] for a, b in pairwise(sorted(steps)) if b == a + 1}
    best = 0
    for at in sorted(rises):
        rise = steps.get(at + LONG, steps[at]) - steps[at]
        whole = all(rises.get(at + n, -1) >= 0 for n in range(1, LONG + 1))
        if whole and best * STALLED >= MANY and rise * SLOWER < best * LONG:
            yield at
        lots = [rises.get(at - n, 0) for n in range(STALLED)]
        best = max(best, min(lots))


def _told_slower(measured: Measured) -> Iterable[Slowdown]:
    """Find where programs print themselves that a step takes several times what it took before.

    Twice five minutes must be so as a whole; a step that saved a checkpoint is not the fastest.
    """
    for job, kind, costs in measured:
        best = float("inf")
        for a, b in pairwise(sorted(costs) if kind != LOSS else ()):
            if min(costs[a], costs[b]) > SLOWER * best:
                yield _stretch(job, a, b + 1, STEP_S)
            best = min(best, max(costs[a], costs[b]))


def _measured(work: Iterable[Event], lanes: Mapping[Writer, str]) -> Measured:
    """Gather what programs print of their steps: by writer and kind, the least of five minutes."""
    found: dict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    for event in work:
        for (told, at), cost in event.tempos.items():
            head, joint, kind = told.rpartition("] ")
            row = found[event.worker, _lane(event, head + joint.strip(), lanes), kind.strip()]
            row[at] = min(cost, row.get(at, cost))
    return [(job, kind, row) for (job, _, kind), row in sorted(found.items())]


def _lane(event: Event, writer: str, lanes: Mapping[Writer, str]) -> str:
    """Name who writes: a process, or a file with what follows it where nothing is named.

    Of a pod there may be several captures, one of which ends sooner: they tell of one work.
    """
    if not is_file(writer):
        return writer
    return (
        ""
        if _is_named(event) or event.entity.kind == "pod"
        else lanes.get((event.worker, writer), writer)
    )


def _is_named(event: Event) -> bool:
    return any(anchor.kind == "job" for anchor in event.anchors)


def find_divergences(measured: Measured) -> tuple[Slowdown, ...]:
    """Return where a job's loss rose to several times what it had come down to, and stayed there.

    It must be so to the end of the log, for twice five minutes at least: a peak that passes is
    nothing unusual, and a small loss wavers.
    """
    found = []
    for job, kind, losses in measured:
        times = sorted(losses)
        lows = accumulate((losses[at] for at in times), min)
        limits = (max(DIVERGED * low, low + RISE) for low in lows)
        usual = [at for at, limit in zip(times, limits, strict=True) if losses[at] <= limit]
        above = times[times.index(usual[-1]) + 1 :] if usual else []
        if kind == LOSS and len(above) > 1:
            found.append(_stretch(job, above[0], above[-1] + 1, STEP_S))
    return tuple(found)


def find_stalls(numbers: Numbers) -> tuple[Slowdown, ...]:
    """Return the stretches in which lines of a job came, but its step numbers did not rise.

    Of several processes, or files, that no job is named for, each must go on while the others do.
    """
    found = []
    for (job, _), steps in sorted(numbers.items()):
        found += [_stretch(job, a, b, STEP_S) for a, b in _idle(steps)]
    return (*found, *_given_up(numbers))


def _stretch(job: str, since: int, until: int, unit_s: int) -> Slowdown:
    begin, end = (datetime.fromtimestamp(at * unit_s, UTC) for at in (since, until))
    return Slowdown(job=job, since=begin, until=end)


def _numbers(work: Iterable[Event], lanes: Mapping[Writer, str]) -> Numbers:
    """Gather how far each job had come; where no job is named, each process or file."""
    found: dict[Writer, dict[int, int]] = defaultdict(dict)
    for event in work:
        named = _is_named(event)
        for (writer, at), step in event.steps.items():
            row = found[event.worker, "" if named else _lane(event, writer, lanes)]
            row[at] = max(step, row.get(at, step))
    return found


def _idle(steps: Steps) -> list[tuple[int, int]]:
    """Return where the number stood still, or fell again before it had reached a new height.

    Falling once is a restart: what follows counts as work unless it falls back in its turn, or
    takes half an hour and more to come as far as before.
    """
    spans: list[tuple[int, int]] = []
    for begin, until in sorted([*_still(steps), *_lost(steps), *_undone(steps)]):
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], until))
        else:
            spans.append((begin, until))
    return [(a, b) for a, b in spans if b - a >= STALLED]


def _still(steps: Steps) -> list[tuple[int, int]]:
    return [(a + 1, b + 1) for a, b in pairwise(sorted(steps)) if steps[a] == steps[b]]


def _lost(steps: Steps) -> list[tuple[int, int]]:
    """Return the runs between two falls that came no further than one before them."""
    times = sorted(steps)
    falls = [i + 1 for i, (a, b) in enumerate(pairwise(times)) if steps[b] < steps[a]]
    heights = list(accumulate((steps[at] for at in times), max))
    return [
        (times[a], times[b])
        for a, b in pairwise(falls)
        if max(steps[at] for at in times[a:b]) <= heights[a - 1]
    ]


def _undone(steps: Steps) -> Iterable[tuple[int, int]]:
    """Find the falls that cost so much work that it was not done again for half an hour."""
    height, fell = 0, None
    for at in sorted(steps):
        if steps[at] >= height:
            if fell is not None and at + 1 - fell >= LONG:
                yield fell, at + 1
            height, fell = steps[at], None
        elif fell is None:
            fell = at
    if fell is not None and max(steps) + 1 - fell >= LONG:
        yield fell, max(steps) + 1


def _given_up(numbers: Numbers) -> Iterable[Slowdown]:
    """Find processes that fell silent while another of the same thing went on, with no heir."""
    jobs: dict[str, list[_Life]] = defaultdict(list)
    for (job, writer), steps in sorted(numbers.items()):
        jobs[job].append(_Life(writer, min(steps), max(steps)))
    for job, lives in jobs.items():
        ends = sorted(life.last for life in lives)
        heirs: dict[str, list[_Life]] = defaultdict(list)
        for life in sorted(lives, key=lambda each: each.first):
            heirs[_program(life.writer)].append(life)
        for life in lives if len(lives) > 1 else ():
            inherited = any(
                heir.first >= life.last and heir is not life
                for heir in heirs[_program(life.writer)][-2:]
            )
            if life.writer and ends[-1] - life.last > STALLED and not inherited:
                yield _stretch(job, life.last + 1, ends[-1] + 1, STEP_S)


class _Life(NamedTuple):
    """From when to when a writer had steps, by five minutes since the epoch."""

    writer: str
    first: int
    last: int


def _program(writer: str) -> str:
    return writer.partition("[")[0]


def _advance(steps: Steps) -> Counter[int]:
    """Return by how much the number rose in each quarter of an hour; not where it fell."""
    tops: dict[int, int] = {}
    for at, step in steps.items():
        quarter = at * STEP_S // PACE_S
        tops[quarter] = max(step, tops.get(quarter, step))
    rises = ((b, tops[b] - tops[a]) for a, b in pairwise(sorted(tops)) if b == a + 1)
    return Counter({quarter: rise for quarter, rise in rises if rise >= 0 and quarter < max(tops)})


def _steps(work: Iterable[Event]) -> Mapping[str, Counter[int]]:
    """Count each job's lines by quarter of an hour; its first and its last are rarely whole."""
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for event in work:
        found[event.worker].update(event.pace or _spread(event))
    return {
        job: Counter({at: counts[at] for at in sorted(counts)[1:-1]})
        for job, counts in found.items()
    }


def _spread(event: Event) -> Mapping[int, int]:
    """Share the steps of less than a quarter of an hour between the two that it may touch."""
    first, last = quarter_of(event.start.utc), quarter_of(event.last.utc)
    if first == last:
        return {first: event.count}
    begin, end = event.start.utc.timestamp(), event.last.utc.timestamp()
    early = round(event.count * (last * PACE_S - begin) / (end - begin))
    return {first: early, last: event.count - early}
