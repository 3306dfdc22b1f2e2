"""On what the work runs, as far as the evidence shows it, and which looks that platform offers."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.diagnosis.case import Case

_OF_KUBERNETES = frozenset({"kubectl"})
_OF_SLURM = frozenset({"sinfo", "scontrol", "sacct", "squeue", "slurmd"})
_TOLD_BY_CLUSTER = frozenset({"event", "object"})
_FAMILIES = frozenset({"kubernetes", "container", "control"})
_WRAPPERS = frozenset({"timeout", "sudo"})


@dataclass(frozen=True)
class Platforms:
    """Which platforms the evidence shows; neither: plain hosts, of which nobody knows."""

    kubernetes: bool
    slurm: bool

    def offer(self, command: Sequence[str], *, whole: bool) -> bool:
        """Tell whether a look can be run there.

        Where no platform shows, one of Kubernetes may be right if it is `whole`: all that it names
        is known. Its namespace and pod that nobody named are not there to be asked for.
        """
        program = _program(command)
        if program in _OF_KUBERNETES:
            return self.kubernetes or (whole and not self.slurm)
        return program not in _OF_SLURM or self.slurm or not self.kubernetes


def find_platforms(case: Case) -> Platforms:
    """Tell the platforms from whom was asked, from who spoke and from what is named."""
    events = case.timeline.events
    anchors = [anchor for event in events for anchor in event.anchors]
    slurm = any(each.kind == "job" and each.id.startswith("slurm:") for each in anchors) or any(
        case.pages[event.page].family == "slurm" for event in events
    )
    kubernetes = (
        any(each.source == "kubernetes" for each in case.evidence)
        or any(each.kind == "pod" for each in anchors)
        or any(event.channels & _TOLD_BY_CLUSTER for event in events)
        or (not slurm and any(case.pages[event.page].family in _FAMILIES for event in events))
    )
    return Platforms(kubernetes, slurm)


def _program(command: Sequence[str]) -> str:
    """Return the program of a command, behind a limit of time."""
    words = [word for word in command if word not in _WRAPPERS and not word.isdecimal()]
    return words[0] if words else ""
