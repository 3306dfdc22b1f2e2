"""Progress and first partial answers, on stderr so that stdout stays the answer."""

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from integrations.rendering.escaping import flatten
from integrations.wording.words import Words
from knowledge.page import Page

if TYPE_CHECKING:
    from rich.status import Status

    from assistant.event import Event
    from assistant.investigation import Investigation
    from tools.collecting import Progress as Looked

_ALARMING = ("critical", "error")


class Progress:
    """Says what is being done: a spinner on a terminal, else one line per phase."""

    def __init__(self, words: Words, pages: Mapping[str, Page], *, colour: bool | None) -> None:
        self._words = words
        self._pages = pages
        self._spins = sys.stderr.isatty() and colour is not False
        self._status: Status | None = None
        self._said = ""
        self.latest: Investigation | None = None

    def __enter__(self) -> Self:
        if self._spins:
            from rich.console import Console  # noqa: PLC0415 -- only on a terminal

            self._status = Console(file=sys.stderr, markup=False).status(
                self._words("progress.opened")
            )
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status:
            self._status.stop()

    def step(self, investigation: "Investigation") -> None:
        """Remember the newest state and say what phase it reached."""
        self.latest = investigation
        self.say(self._phase(investigation))
        partial = self._partial(investigation)
        if partial and partial != self._said:
            self._said = partial
            self._print(self._words("progress.partial", text=partial))

    def follow(self, news: "Looked") -> None:
        """Show in the spinner which look just ended; lines would be too many."""
        if self._status:
            self.say(f"{news.done}/{news.total} {news.look} {news.host}".rstrip())

    def say(self, text: str) -> None:
        """Show a phase: in the spinner, or as a line."""
        if self._status:
            from rich.text import Text  # noqa: PLC0415 -- loaded with the spinner

            self._status.update(Text(flatten(text)))
        else:
            self._print(text)

    def _print(self, text: str) -> None:
        if self._status:
            self._status.console.print(flatten(text), markup=False, highlight=False)
        else:
            sys.stderr.write(f"{flatten(text)}\n")
            sys.stderr.flush()

    def _phase(self, investigation: "Investigation") -> str:
        return self._words(
            f"progress.{investigation.step}",
            evidence=len(investigation.evidence),
            gaps=len(investigation.gaps),
            events=len(investigation.timeline.events),
        )

    def _partial(self, investigation: "Investigation") -> str:
        """Say the best that is known: the verdict, else the earliest alarming event."""
        from integrations.rendering.naming import for_people  # noqa: PLC0415 -- with the first step
        from integrations.rendering.view import View  # noqa: PLC0415 -- as above

        view = for_people(View(investigation, self._pages, self._words))
        if investigation.diagnosis:
            return view.headline()
        within = investigation.window
        alarming = (event for event in view.shown_events if _alarms(event))
        first = next((event for event in alarming if within.contains(event.start.utc)), None)
        if first is None:
            return ""
        return self._words(
            "progress.partial_first",
            title=view.title(first.page),
            entity=view.subject(first),
            at=view.onset(first, day=True),
        )


def _alarms(event: "Event") -> bool:
    quiet = event.benign or event.chronic or event.known
    return event.severity in _ALARMING and not quiet
