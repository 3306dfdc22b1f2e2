"""OpenMetrics and the older Prometheus text exposition, with or without time stamps."""

from collections.abc import Collection, Iterator
from datetime import UTC, datetime

from tools.evidence import Gap, Item, Series
from tools.late_patterns import compile_late
from tools.request import Request
from tools.samples import LATEST_S, Samples
from tools.source import Source

CLOCK = "scrape:prometheus"
MAX_SERIES = 200_000
LOOK = 80
"""So many lines tell whether it is this format."""
LINE = compile_late(
    r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<labels>(?:[^\"}]|\"(?:[^\"\\]|\\.)*\")*)\})?"
    r"[ \t]+(?P<value>[-+]?(?:\d[\d.eE+-]*|\.\d+|Inf|NaN|inf|nan))"
    r"(?:[ \t]+(?P<at>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?))?[ \t]*(?:# .*)?$"
)
_LABEL = compile_late(r"([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\]|\\.)*)\"")
_ESCAPE = compile_late(r"\\(.)")
_NUMERIC = "0123456789+-.eE \t"
_MILLISECONDS = 1e11
"""Above this a time stamp counts milliseconds, as the older format does."""


class OpenMetricsReader:
    """Yields a series per metric name and label set, its samples in the order of time."""

    name = "openmetrics"
    source = "prometheus"

    def score(self, head: bytes, hint: str) -> float:
        """Tell how many of the first lines are metrics or their comments."""
        first = b"\n".join(head.split(b"\n", LOOK)[:LOOK]).decode("utf-8", "replace")
        lines = [line for line in first.replace("\r", "").split("\n") if line.strip()]
        if len(lines) > 1:
            lines.pop()
        if not lines:
            return 0.0
        comments = sum(1 for line in lines if line.startswith(("# HELP ", "# TYPE ", "# UNIT ")))
        metrics = sum(1 for line in lines if LINE.match(line))
        share = (comments + metrics) / len(lines)
        return share * (0.97 if comments else 0.85) if metrics and share > 0.8 else 0.0  # noqa: PLR2004  # nearly all of its lines

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read all samples; lines that are none are counted in a gap."""
        series: dict[str, list[tuple[float, float]]] = {}
        now = (source.reference(None) or datetime.now(UTC)).timestamp()
        damaged = 0
        for line in _lines(source):
            key, at, value = split_known(line, series, now) or split_sample(line, now)
            if not key:
                damaged += bool(line.strip()) and not line.startswith("#")
            elif key in series or len(series) < MAX_SERIES:
                series.setdefault(key, []).append((at, value))
        for key, values in series.items():
            yield _finished(source.evidence, key, values)
        if damaged:
            why = f"{damaged} lines are no metrics"
            yield Gap(source="prometheus", target=source.name, why=why, evidence=source.evidence)


def _lines(source: Source) -> Iterator[str]:
    with source.open() as stream:
        rest = b""
        while block := stream.read(1 << 20):
            whole, _, rest = (rest + block).rpartition(b"\n")
            if whole:
                lines = whole.decode("utf-8", "replace").split("\n")
                yield from (line.rstrip("\r") for line in lines) if b"\r" in whole else lines
        if rest:
            yield rest.decode("utf-8", "replace").rstrip("\r")


def split_known(
    line: str, series: Collection[str], taken: float
) -> tuple[str, float, float] | None:
    """Split a line of a series that was read before, at a fraction of the cost; None: any other."""
    end = line.rfind("}") + 1
    key, told = (line[:end], line[end:]) if end else _parted(line)
    if key not in series or told.strip(_NUMERIC):
        return None
    words = told.split()
    if len(words) not in {1, 2}:
        return None
    try:
        value = float(words[0])
        at = float(words[1]) if len(words) > 1 else taken
    except ValueError:
        return None
    return key, at / (1000 if at > _MILLISECONDS else 1), value


def _parted(line: str) -> tuple[str, str]:
    """Split off the name of a series without labels."""
    key, told = (*line.split(None, 1), "", "")[:2]
    return key, told


def split_sample(line: str, taken: float) -> tuple[str, float, float]:
    """Split a line into series, time and value; an empty series where it is no sample."""
    match = LINE.match(line)
    if match is None:
        return "", 0.0, 0.0
    try:
        value = float(match["value"])
        at = float(match["at"]) if match["at"] else taken
    except ValueError:
        return "", 0.0, 0.0
    return line[: match.start("value")].rstrip(), at / (1000 if at > _MILLISECONDS else 1), value


def _finished(evidence: str, key: str, values: list[tuple[float, float]]) -> Series:
    name, _, labels = key.partition("{")
    pairs = {label: _unescaped(text) for label, text in _LABEL.findall(labels)}
    values.sort()
    times, numbers = zip(*values, strict=True)
    if times[0] < 0 or times[-1] > LATEST_S:
        times = tuple(min(max(at, 0), LATEST_S) for at in times)
    return Series(evidence, name, pairs, Samples(times, numbers), CLOCK)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: {"n": "\n"}.get(m.group(1), m.group(1)), text)


READER = OpenMetricsReader()
