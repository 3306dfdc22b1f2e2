"""Text that a command printed: its lines that matter, and the values that can be typed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tools.evidence import Instant, Item, Reading
from tools.gpu_values import Value
from tools.lines import LogReading
from tools.masks import masked
from tools.request import Request
from tools.source import Source, Writer
from tools.stamps import Dating
from tools.writers import program_of, writer_of

MAX_TYPED = 16 << 20


class Printed(NamedTuple):
    """A command's output, with what is known around it."""

    text: str
    host: str
    observed: Instant | None
    dating: Dating
    command: str = ""


class Typed(NamedTuple):
    """One thing that a command's output says, typed."""

    kind: str
    values: dict[str, Value]
    line: int = 0
    quotes: Mapping[str, tuple[int, str]] = {}
    """Value's name → line and words as printed, where these are not the value's own."""
    observed: Instant | None = None
    """When it was so, where the output says so; when a capture was taken is surer."""


def command_lines(source: Source, request: Request, program: str) -> Iterator[Item]:
    """Yield the lines of a command's output that carry a literal, and a span for its bytes."""
    host = host_of(source)
    writer = Writer("command", host=host, unit=program_of(source.capture.command) or program)
    yield from LogReading(source, request, (), writer, "command").items()


def host_of(source: Source) -> str:
    """Tell on which host a command ran."""
    return writer_of(source.capture, source.name).host or source.capture.target


@dataclass(frozen=True)
class CommandReader:
    """Reads one program's output: records for its lines, readings for what can be typed."""

    name: str
    recognise: Callable[[bytes], float]
    parse: Callable[[Printed], Iterator[Typed]]
    source: str = "host"

    def score(self, head: bytes, hint: str) -> float:  # noqa: ARG002  # the content decides
        """Ask the format's own test."""
        return self.recognise(head)

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read lines and values."""
        yield from command_lines(source, request, self.name)
        with source.open() as stream:
            text = stream.read(MAX_TYPED).decode("utf-8", "replace").replace("\r\n", "\n")
        host = host_of(source)
        moment = source.capture.ended or source.capture.started
        observed = Instant(moment) if moment else None
        dating = Dating(request, source.reference(request.now))
        command = source.capture.command
        for found in self.parse(Printed(text, host, observed, dating, command)):
            values = {"host": host, **found.values}
            quotes = {name: (line, masked(said)) for name, (line, said) in found.quotes.items()}
            seen = observed or found.observed
            yield Reading(source.evidence, found.kind, host, values, seen, found.line, quotes)
