"""Names for people where evidence gave none: a nameless host, a place to be filled in."""

import json
import re
from dataclasses import replace

from assistant.event import Event
from assistant.identity import UNNAMED
from assistant.investigation import Investigation
from integrations.rendering.view import View
from tools.late_patterns import compile_late

_HOST = compile_late(rf"{UNNAMED}(e\d+)(/?)", re.IGNORECASE | re.ASCII)
_PLACE = compile_late(
    r"\{(node|old_node|gpu|pod|namespace|service|volume|server|mount|job|host|bdf|device|disk|nic"
    r"|interface)\}"
)


def for_people(view: View) -> View:
    """Name hosts that no line names after the file that shows them; machines keep the short id."""
    found = view.investigation
    if not any(_is_unnamed(event) for event in found.timeline.events):
        return view
    alone = len(_unnamed_hosts(found)) == 1
    files = {item.id.lower(): item.path or item.command for item in found.evidence}

    def tell(match: re.Match[str]) -> str:
        file = files.get(match[1].lower(), match[1]).rpartition("/")[2]
        if match[2]:  # something of the host: the file alone tells which, where there are several
            return "" if alone else json.dumps(f"{file}/", ensure_ascii=False)[1:-1]
        return json.dumps(view.words("event.unnamed_host", file=file), ensure_ascii=False)[1:-1]

    text = _HOST.sub(tell, _blank_commands(found).model_dump_json())
    return replace(view, investigation=Investigation.model_validate_json(text))


def show_places(command: str) -> str:
    """Show what is still to be filled into a command as such."""
    return _PLACE.sub(r"<\1>", command)


def _is_unnamed(event: Event) -> bool:
    ids = (event.entity.id, *(anchor.id for anchor in event.anchors))
    return any(one.startswith(UNNAMED) for one in ids)


def _unnamed_hosts(found: Investigation) -> set[str]:
    return {
        anchor.id
        for event in found.timeline.events
        for anchor in event.anchors
        if anchor.kind == "node"
    }


def _blank_commands(found: Investigation) -> Investigation:
    """A command for a host without a name is one with a place to fill in."""
    if found.diagnosis is None:
        return found
    checks = tuple(
        check.model_copy(
            update={
                "command": _HOST.sub(r"{node}\2", check.command),
                "where": _HOST.sub("node", check.where),
            }
        )
        for check in found.diagnosis.next_checks
    )
    return found.model_copy(
        update={"diagnosis": found.diagnosis.model_copy(update={"next_checks": checks})}
    )
