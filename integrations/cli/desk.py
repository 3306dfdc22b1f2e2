"""One run of the main job: opens the evidence, and has it worked through within its limits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.gather import Live, open_evidence
from assistant.incident import Incident
from assistant.settings import Settings
from integrations.bootstrap import Surroundings, choose_words, open_live
from integrations.cli.fault import INTERRUPTED, TIME_LIMIT
from integrations.cli.progress import Progress
from integrations.cli.stopping import TimeLimitReached, limit_time
from knowledge.catalog import Catalog

if TYPE_CHECKING:
    from assistant.investigation import Investigation
    from integrations.cli.casework import Casework


@dataclass
class Desk:
    """One run: what it works with, and the furthest it came."""

    settings: Settings
    around: Surroundings
    catalog: Catalog
    colour: bool | None
    _case: "Casework | None" = field(default=None, init=False)

    @property
    def found(self) -> "Investigation | None":
        """What is known so far."""
        return self._case.found if self._case else None

    def work(self, paths: Sequence[Path], incident: Incident, timeout_s: float = 0) -> int:
        """Investigate and return the exit code; what is known stays in `found`."""
        words = choose_words(self.settings, self.around)
        with Progress(words, self.catalog.pages, colour=self.colour) as progress:
            for warning in self.catalog.warnings:
                progress.say(warning)
            try:
                with limit_time(timeout_s):
                    return self._run(paths, incident, progress)
            except TimeLimitReached:
                key = "time_limit" if self.found else "time_limit_nothing"
                progress.say(words(f"progress.{key}", seconds=f"{timeout_s:g}"))
                return TIME_LIMIT
            except KeyboardInterrupt:
                progress.say(words(f"progress.interrupted{'' if self.found else '_nothing'}"))
                return INTERRUPTED
            finally:
                if self._case:
                    self._case.close()

    def _run(self, paths: Sequence[Path], incident: Incident, progress: Progress) -> int:
        source = (
            open_evidence(paths, incident, self.catalog)
            if paths
            else self._live(progress, incident.scope.nodes)
        )
        from integrations.cli.casework import Casework  # noqa: PLC0415 -- a second process reads

        self._case = Casework(self.settings, self.around, progress)
        return self._case.work(source, incident, self.catalog)

    def _live(self, progress: Progress, hosts: Sequence[str]) -> Live:
        live = open_live(self.settings, self.around, hosts)
        live.on_progress = progress.follow
        return live
