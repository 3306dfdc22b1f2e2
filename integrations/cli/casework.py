"""Works an incident through: shows each step as it is reached, and keeps it in the store."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.errors import StoreError
from assistant.gather import Live, Opened
from assistant.incident import Incident
from assistant.investigate import PRODUCT, investigate
from assistant.investigation import Investigation
from assistant.settings import Settings
from integrations.bootstrap import Surroundings, choose_words, open_incidents
from integrations.cli.outcome import exit_code, list_unmet, misses
from integrations.cli.progress import Progress
from knowledge.catalog import Catalog

if TYPE_CHECKING:
    from assistant.store import Store


@dataclass
class Casework:
    """One incident at work; `found` is the furthest that it came."""

    settings: Settings
    around: Surroundings
    progress: Progress
    found: Investigation | None = field(default=None, init=False)
    _store: "Store | None" = field(default=None, init=False)
    _last: Investigation | None = field(default=None, init=False)
    """The step that was kept last."""
    _fresh: bool = field(default=False, init=False)
    """Whether the incident is this run's own."""

    def work(self, source: Opened | Live, incident: Incident, catalog: Catalog) -> int:
        """Investigate and return the exit code."""
        done = investigate(source, incident, catalog, on_step=self._take)
        if not misses(done):
            for unmet in list_unmet(done, choose_words(self.settings, self.around)):
                self.progress.say(unmet)
        if done is not self._last:
            self.found = self._kept(done)
        self._tell_shut()
        return exit_code(self.found, self.settings)

    def close(self) -> None:
        """Close the store."""
        if self._store:
            self._store.close()

    def _take(self, investigation: Investigation) -> None:
        """Keep and show a step."""
        if self.found is None:
            # Not before: the evidence is being read while the store is opened.
            self._store = self._open_store()
        self._last = investigation
        self.found = self._kept(investigation)
        if not misses(self.found):
            self.progress.step(self.found)

    def _tell_shut(self) -> None:
        """Say that trouble lies in an incident that nobody has open any more."""
        found = self.found
        diagnosis = found.diagnosis if found else None
        if self._store is None or found is None or not found.incident.id or diagnosis is None:
            return
        kept = self._store.describe(found.incident.id)
        if kept.status != "open" and diagnosis.verdict != "healthy":
            words, key = choose_words(self.settings, self.around), f"progress.is_{kept.status}"
            self.progress.say(words(key, id=kept.id, whole=kept.merged_into))

    def _kept(self, found: Investigation) -> Investigation:
        """Keep a step under its incident's id; what is shown to be healthy begins as closed."""
        # Whether anything is of what was asked for is known once it is in order.
        if self._store is None or misses(found) or found.step in {"opened", "recognised"}:
            return found
        self._fresh = self._fresh or not self._store.holds(found)
        kept = self._store.save(found)
        if self._fresh and kept.diagnosis and kept.diagnosis.verdict == "healthy":
            self._store.close_incident(kept.incident.id, author=PRODUCT)
        return kept

    def _open_store(self) -> "Store | None":
        """Open the store; a diagnosis must not fail because it cannot be kept."""
        try:
            return open_incidents(self.settings, self.around)
        except StoreError as error:
            words = choose_words(self.settings, self.around)
            self.progress.say(words("progress.not_stored", why=str(error)))
            return None
