"""What a container said when it ended, as the state of its pod keeps it."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from tools.evidence import Instant, ObjectState, Record
from tools.masks import masked

_LISTS = ("initContainerStatuses", "containerStatuses")
_NEVER_RAN = frozenset({"StartError", "ContainerCannotRun"})


def last_words(state: ObjectState, cluster: str) -> Iterator[Record]:
    """Yield the message of each end of a pod's containers, with the time of that end.

    They are the program's own words, as its log would have them; of a program that never ran they
    are the runtime's, as an event would have them.
    """
    if state.kind != "Pod":
        return
    for path, container, end in _ends(state.content):
        if isinstance(message := end.get("message"), str) and message.strip():
            line = state.locate((*path, "message")) if state.locate else state.line
            yield _record(state, (end, message, container), line, cluster)


_Path = tuple[str | int, ...]


def _ends(content: object) -> Iterator[tuple[_Path, str, Mapping[str, object]]]:
    """Yield where the end of a container stands, whose it is, and what it holds."""
    status = _inner(content, "status")
    for name in _LISTS:
        rows = status.get(name)
        for number, row in enumerate(rows if isinstance(rows, list) else []):
            container = str(_inner({"row": row}, "row").get("name", ""))
            for key in ("lastState", "state"):
                path = ("status", name, number, key, "terminated")
                yield path, container, _inner(_inner(row, key), "terminated")


def _inner(thing: object, key: str) -> Mapping[str, object]:
    found = thing.get(key) if isinstance(thing, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _record(
    state: ObjectState, said: tuple[Mapping[str, object], str, str], line: int, cluster: str
) -> Record:
    end, message, container = said
    fields = {"namespace": state.namespace, "pod": state.name, "node": _node(state)}
    never_ran = end.get("reason") in _NEVER_RAN
    if never_ran:
        fields |= {"kind": "Pod", "name": state.name, "reason": "Failed", "type": "Warning"}
    return Record(
        state.evidence,
        "event" if never_ran else "app",
        masked(message.strip()),
        line,
        _moment(end.get("finishedAt")),
        f"api:{cluster}",
        "",
        "kubelet" if never_ran else container,
        {key: value for key, value in fields.items() if value},
    )


def _node(state: ObjectState) -> str:
    name = _inner(state.content, "spec").get("nodeName")
    return name if isinstance(name, str) else ""


def _moment(text: object) -> Instant | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return Instant(moment, original=str(text)) if moment.tzinfo else None
