"""Says in a line or two what a collection did not get, and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from integrations.rendering.escaping import flatten
from integrations.wording.words import Words
from tools.capture import Capture
from tools.late_patterns import compile_late

_OVER_SSH = "ssh"
_NOT_INSTALLED = compile_late(r"(\S+) is not installed here")
_NAMES = 3
_REASONS = 2
_REASON_CHARS = 70
_SAID_BY = compile_late(r"\S+: (?:error|fatal|warning): ")
"""What a program puts before its reason."""


@dataclass
class Group:
    """The captures of one source."""

    total: int = 0
    missing: list[Capture] = field(default_factory=list)


def tell_shortfall(captures: Iterable[Capture], words: Words) -> Sequence[str]:
    """Count by source what is missing: first of what there is nothing, then of what a part.

    Of a capture that was tried again, the last try counts.
    """
    latest = {(each.source, each.command, each.target): each for each in captures}
    groups = _by_source(latest.values())
    missing = sum(len(group.missing) for group in groups.values())
    if not missing:
        return ()
    whole = [_tell(n, g, words) for n, g in groups.items() if len(g.missing) == g.total]
    partly = [_tell(n, g, words) for n, g in groups.items() if 0 < len(g.missing) < g.total]
    head = words("collect.missing", count=missing, total=len(latest))
    lines = [words("collect.nothing_of", what=words("report.join").join(whole))] if whole else []
    lines += [words("collect.part_of", what=words("report.join").join(partly))] if partly else []
    return (f"{head}{lines[0]}", *lines[1:])


def _by_source(captures: Iterable[Capture]) -> dict[str, Group]:
    groups: dict[str, Group] = {}
    for each in captures:
        name = _OVER_SSH if each.command.startswith("ssh ") else each.source
        group = groups.setdefault(name, Group())
        group.total += 1
        if _is_missing(each):
            group.missing.append(each)
    return dict(sorted(groups.items()))


def _is_missing(capture: Capture) -> bool:
    """Tell whether nothing is kept; what has nothing to say and says so is no loss."""
    return not capture.path and (capture.truncated or capture.outcome not in ("ok", "empty"))


def _tell(name: str, group: Group, words: Words) -> str:
    return words(
        "collect.whole" if len(group.missing) == group.total else "collect.part",
        name=words.table.get(f"collect.of_{name}", name),
        count=len(group.missing),
        total=group.total,
        why=_reasons(name, group.missing, words),
    )


def _reasons(name: str, missing: Sequence[Capture], words: Words) -> str:
    """Give the commonest reasons; programs and hosts that share one are named together."""
    counts: Counter[str] = Counter()
    names: dict[str, list[str]] = {}
    for each in missing:
        why, about = _reason(each, words)
        counts[why] += 1
        about = each.target if name == _OVER_SSH else about
        if about and about not in names.setdefault(why, []):
            names[why].append(about)
    told = [_with_names(why, names.get(why, ()), words) for why, _ in counts.most_common(_REASONS)]
    return "; ".join([*told, *(["…"] if len(counts) > _REASONS else [])])


def _reason(capture: Capture, words: Words) -> tuple[str, str]:
    """Return why a capture is missing, and the program that it is for want of."""
    detail = next((x for x in reversed(capture.detail.splitlines()) if x.strip()), "").strip()
    if found := _NOT_INSTALLED.fullmatch(detail):
        return words("collect.not_installed"), found[1]
    if capture.outcome == "ok":
        return words("collect.size_cap"), ""
    detail = _SAID_BY.sub("", detail).partition(" - ")[0].partition(". ")[0]
    why = flatten(words.tell(detail)) or words(f"outcome.{capture.outcome}")
    return why if len(why) <= _REASON_CHARS else f"{why[: _REASON_CHARS - 1]}…", ""


def _with_names(why: str, names: Sequence[str], words: Words) -> str:
    if not names:
        return why
    shown = ", ".join(names[:_NAMES]) + (", …" if len(names) > _NAMES else "")
    return words("collect.reason", why=why, names=shown)
