"""Writes a round of checks: a table for people, one document for programs."""

from collections import Counter
from collections.abc import Mapping, Sequence

import typer

from assistant.inspection import Answer, Finding, Round
from assistant.settings import Settings
from integrations.cli.options import Plain
from integrations.cli.table import print_document, print_items, print_table
from integrations.rendering.document import SCHEMA_VERSION
from integrations.rendering.escaping import flatten
from integrations.rendering.moments import write_stamp
from integrations.wording.words import Words
from knowledge.inspection import Action, Inspection, Level

_MARKS: Mapping[Level, str] = {"critical": "■", "warning": "▲", "unknown": "?", "ok": "✓"}
_ORDER: Sequence[Level] = ("critical", "warning", "unknown", "ok")
_NAMES = 3
_OWN = "{python}"
"""The interpreter that firstfault is installed in: another on each machine, so no path is said."""


def print_round(found: Round, words: Words, form: Plain, *, whole: bool) -> None:
    """Print all answers, the worst first."""
    if form == "json":
        print_document(document_of(found, words))
        return
    counts = Counter(each.level for each in found.answers)
    typer.echo(
        words(
            "inspect.headline",
            level=words(f"inspect.{found.level}"),
            count=len(found.answers),
            at=write_stamp(found.as_of),
            **{level: counts[level] for level in _ORDER},
        )
    )
    typer.echo()
    answers = sorted(found.answers, key=lambda each: _ORDER.index(each.level))
    columns = ("", *(words(f"inspect.{name}") for name in ("check", "level", "found")))
    print_table(columns, [row for each in answers for row in _rows(each, words, whole=whole)])
    _print_mending(answers, words)
    if not whole:
        typer.echo(f"\n{words('inspect.full')}")


def _rows(answer: Answer, words: Words, *, whole: bool) -> list[tuple[str, str, str, str]]:
    title, level = words.say(answer.inspection.title), words(f"inspect.{answer.level}")
    shown = answer.findings if whole else answer.worst[:1]
    rows = [
        (
            _MARKS[each.level],
            title if not n else "",
            words(f"inspect.{each.level}"),
            _told(each, words),
        )
        for n, each in enumerate(shown)
    ]
    others = answer.worst[1:]
    if others and not whole:
        last = rows[-1]
        rows[-1] = (last[0], title, level, f"{last[3]} ({_others(others, words)})")
    return rows


def _told(finding: Finding, words: Words) -> str:
    text = _text(finding, words)
    return text if finding.subject == "-" else f"{finding.subject}: {text}"


def _text(finding: Finding, words: Words) -> str:
    text = words.say(finding.text)
    return words("inspect.because", text=text, why=words.tell(finding.why)) if finding.why else text


def _others(findings: Sequence[Finding], words: Words) -> str:
    subjects = list(dict.fromkeys(each.subject for each in findings))
    names = ", ".join(subjects[:_NAMES])
    if len(subjects) > _NAMES:
        names += ", …"
    key = "inspect.more_ok" if findings[0].level == "ok" else "inspect.more"
    return words(key, count=len(findings), names=names)


def _print_mending(answers: Sequence[Answer], words: Words) -> None:
    """Say why it matters and what to do, of what is known to be wrong."""
    wrong = [each for each in answers if each.level in ("critical", "warning")]
    if wrong:
        typer.echo(f"\n{words('inspect.mend')}")
    for each in wrong:
        typer.echo(f"  {_MARKS[each.level]} {words.say(each.inspection.title)}")
        typer.echo(f"    {words.say(each.inspection.why)}")
        typer.echo(f"    → {words.say(each.inspection.mend)}")


def document_of(found: Round, words: Words) -> dict[str, object]:
    """Return the round as one document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "level": found.level,
        "exit_code": found.exit_code,
        "as_of": found.as_of.isoformat().replace("+00:00", "Z"),
        "items": [_item(each, words) for each in found.answers],
        "evidence": [
            one.model_dump(
                mode="json",
                include={"id", "source", "command", "target", "observed_at", "outcome", "sha256"},
            )
            for one in found.evidence
        ],
    }


def _item(answer: Answer, words: Words) -> dict[str, object]:
    return {
        **_head(answer.inspection, words),
        "level": answer.level,
        "text": _told(answer.worst[0], words) if answer.worst else "",
        "findings": [
            {**each.model_dump(mode="json"), "text": _text(each, words)} for each in answer.findings
        ],
    }


def _head(inspection: Inspection, words: Words) -> dict[str, object]:
    return {
        "id": inspection.id,
        "title": inspection.title.model_dump(),
        "plane": inspection.plane,
        "phases": list(inspection.phases),
        "why": words.say(inspection.why),
        "mend": words.say(inspection.mend),
        "pages": list(inspection.pages),
    }


def print_explanation(
    chosen: Sequence[Inspection], settings: Settings, words: Words, form: Plain
) -> None:
    """Print which commands show what each check judges, and where they are run."""
    if form == "json":
        print_items(
            [{**_head(each, words), "commands": _commands(each, settings)} for each in chosen]
        )
        return
    typer.echo(words("inspect.explain"))
    for each in chosen:
        phases = ", ".join(words(f"inspect.phase_{phase}") for phase in each.phases)
        typer.echo(f"\n{each.id}  {words.say(each.title)} ({phases})")
        for look in each.looks:
            for action in look.actions:
                where = "own" if _OWN in action.command else action.where
                place = words(f"inspect.where_{where}")
                typer.echo(f"  {place}: {flatten(_typed(action, settings))}")
            if not look.probes:
                typer.echo(f"    ({words('inspect.manual')})")


def _commands(inspection: Inspection, settings: Settings) -> list[dict[str, object]]:
    return [
        {
            "command": _typed(action, settings),
            "where": action.where,
            "probes": list(look.probes),
            "runs": bool(look.probes),
        }
        for look in inspection.looks
        for action in look.actions
    ]


def _typed(action: Action, settings: Settings) -> str:
    """Write a command as it is run with these settings."""
    command = action.command.replace(_OWN, "python3")
    if command.startswith("kubectl "):
        command += f" --context={settings.context}" if settings.context else ""
        command += f" --kubeconfig={settings.kubeconfig}" if settings.kubeconfig else ""
    return command
