"""Records an admin's decision on a page of an organisation, by the digest of its content."""

from dataclasses import dataclass
from datetime import UTC, datetime

import typer

from assistant.approval import Approval, Decision, decide, make_draft
from assistant.contribution import Handbook, is_refused
from assistant.errors import DecidedError, UnknownDigestError
from assistant.people import require_admin
from assistant.settings import Settings
from integrations.bootstrap import (
    Surroundings,
    cache_dir,
    load_settings,
    read_surroundings,
    tells_system,
)
from integrations.cli.fault import CommandFault, UsageFault
from integrations.cli.kb_effect import print_effect
from integrations.cli.table import print_document
from integrations.own import (
    current_person,
    gather_own,
    open_collection,
    open_decisions,
    open_own,
    read_decisions,
)
from integrations.rendering.document import SCHEMA_VERSION
from integrations.rendering.escaping import flatten
from integrations.wording.words import Words
from knowledge.catalog import Catalog, load_catalog
from knowledge.own.effect import Effect, find_effect
from knowledge.own.page_file import OwnPage

_LEAST_DIGITS = 12
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Desk:
    """Where decisions are taken."""

    settings: Settings
    around: Surroundings

    def decide(
        self, digest: str, decision: Decision, reason: str = ""
    ) -> tuple[OwnPage, Approval, bool]:
        """Record a decision; return the page, the decision that counts, and whether it is new.

        Raises:
            ApprovalError: this person may not, nothing has this digest, or it was decided.
            CommandFault: the page cannot work, so there is nothing to approve.
        """
        page = self._find(digest, frozenset(read_decisions(self.settings, self.around)))
        person = current_person()
        role = require_admin(person, self.settings.admins)
        decisions = open_decisions(self.settings, self.around)
        history = decisions.history(page.digest)
        draft = make_draft(
            page.digest, decision, person, role=role, at=datetime.now(UTC), reason=reason
        )
        made = decide(history, draft)
        if made is None:
            return page, history[-1], False
        if decision == "approved":
            self._prove(page)
        decisions.record(made)
        return page, made, True

    def _find(self, digest: str, decided: frozenset[str]) -> OwnPage:
        """Find the page that has the digest now."""
        pages = {page.digest: page for page in open_own(self.settings, self.around).pages}
        gone = {kept.digest for kept in open_collection(self.settings, self.around).kept()}
        whole = _complete(digest, {*pages, *gone, *decided})
        if whole in pages:
            return pages[whole]
        raise DecidedError(
            f"{whole[:12]} is superseded: the page was changed or removed.",
            "`firstfault kb list --own` shows the digests of what is there now.",
        )

    def effect(self, page: OwnPage) -> Effect:
        """Tell what the page changes."""
        return find_effect(page.content, self._shipped().pages.get(page.target))

    def _shipped(self) -> Catalog:
        return load_catalog(cache=cache_dir(self.around))

    def _prove(self, page: OwnPage) -> None:
        """Prove it anew: what ships may have changed since, and rules with it."""
        own = gather_own(self.settings, self.around).pages
        problems = Handbook(self._shipped(), own).prove([page])
        told = problems[page.digest]
        if is_refused(told):
            reasons = "; ".join(f"{one.rule}: {one.text}" for one in told if one.level == "error")
            raise CommandFault(
                f"Page {page.id} cannot be approved: {reasons}", "Change it and add it again."
            )


def _complete(digest: str, known: set[str]) -> str:
    """Return the whole digest that begins so.

    Raises:
        UnknownDigestError: none does.
        UsageFault: several do, or too little of it was given to be sure.
    """
    if digest in known:
        return digest
    found = [each for each in known if each.startswith(digest)] if set(digest) <= _HEX else []
    if not found:
        raise UnknownDigestError(flatten(digest))
    if len(digest) < _LEAST_DIGITS or len(found) > 1:
        raise UsageFault(f"{digest} is too short for a digest", "Give all 64 digits of it.")
    return found[0]


def run(digest: str, decision: Decision, words: Words, *, reason: str = "", as_json: bool) -> None:
    """Decide and tell what holds now."""
    around = read_surroundings()
    resolved = load_settings({}, around)
    desk = Desk(resolved.settings, around)
    page, approval, new = desk.decide(digest.strip().lower(), decision, reason)
    effect = desk.effect(page)
    origin = resolved.origins["admins"]
    if not tells_system(origin):
        said = words.tell(f"admins come from {origin}, which whoever asks may be able to change.")
        typer.echo(flatten(said), err=True)
    if as_json:
        print_document({
            "schema_version": SCHEMA_VERSION,
            "page": page.id,
            "target": page.target,
            **approval.model_dump(mode="json"),
            "unchanged": not new,
            "title": page.kept.title if page.kept else page.id,
            "effect": effect.model_dump(),
        })  # fmt: skip
        return
    if decision == "approved":
        typer.echo(flatten(f"{page.id}  {page.kept.title if page.kept else ''}"))
        print_effect(effect, words)
    key = f"own.{decision}" if new else f"own.already_{decision}"
    told = {
        "who": approval.who,
        "at": f"{approval.at:%Y-%m-%d %H:%M} UTC",
        "reason": approval.reason,
    }
    typer.echo(flatten(words(key, id=page.id, digest=page.digest[:12], **told)))
