"""Changes to a scenario that must not change the answer, and changes that must.

An operator works on the recording before it is written, or on the bundle's files after. Each says
what it does to the truth: an invariant one nothing; a changing one leaves a case in which naming
the root is no longer demanded, but a wrong confident answer, or `healthy`, is a failure.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

from evals import background, bundle_edit
from evals.model import Body, Entry, PodLog, Recording, read_epoch, write_iso
from evals.scenarios import gpu_health, nfs_outage
from evals.truth import Truth

OnRecording = Callable[[Recording, Truth, random.Random], None]
OnBundle = Callable[[Path, Recording, random.Random], None]
SKEW_S = 90.0
EVENT_STAMPS = ("firstTimestamp", "lastTimestamp")
BENIGN_LINES = 100_000
OLD_S = 29 * 86400.0
SOURCES = ("journal", "kubernetes", "prometheus", "nvml", "host", "storage", "app", "alert")


@dataclass(frozen=True)
class Perturbation:
    """One named change."""

    name: str
    effect: Literal["invariant", "changing"]
    on_recording: OnRecording | None = None
    on_bundle: OnBundle | None = None
    may_weaken: bool = False
    """The confidence may fall, so that `healthy` may become `inconclusive`."""


def rename(folder: Path, recording: Recording, rng: random.Random) -> None:
    """Give every host and GPU another name, in all files and in the facts."""
    names = {
        host: f"{rng.choice(('zeus', 'ada', 'rig', 'comp'))}-{rng.getrandbits(20):05x}"
        for host in recording.hosts
    }
    for host in recording.hosts.values():
        for gpu in host.gpus:
            parts = "-".join(f"{rng.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12))
            names[gpu.uuid] = f"GPU-{parts}"
    bundle_edit.replace_words(folder, names)
    recording.facts = {
        key: bundle_edit.substitute(text, names) for key, text in recording.facts.items()
    }


def skew_clock(recording: Recording, _truth: Truth, rng: random.Random) -> None:
    """Put one host's clock 90 s ahead: journal, container stamps, its kubelet's events, chrony."""
    own = {file.target for file in recording.files}
    name = rng.choice([host for host in recording.hosts if host not in own])
    host = recording.hosts[name]
    recording.hosts[name] = replace(host, clock_offset_s=host.clock_offset_s + SKEW_S)
    for item in chain.from_iterable(recording.snapshots.values()):
        if item["kind"] == "Event" and _reporter(item) == name:
            item |= {key: write_iso(read_epoch(str(item[key])) + SKEW_S) for key in EVENT_STAMPS}
    recording.commands[:] = [
        nfs_outage.record_tracking(recording.hosts[name], command.started)
        if (command.host, command.name) == (name, "chronyc-tracking")
        else command
        for command in recording.commands
    ]


def _reporter(event: Body) -> str:
    source = event.get("source")
    return str(source.get("host", "")) if isinstance(source, dict) else ""


def drop_zone(folder: Path, recording: Recording, rng: random.Random) -> None:
    """Export one host's journal as short syslog lines in local time (+08:00), without a zone."""
    name = rng.choice([host for host in recording.hosts if recording.kept(host)])
    text = "".join(
        f"{nfs_outage.write_syslog_wall(recording.stamped(name, entry.at))} {name} "
        f"{_tag(entry)}: {line}\n"
        for entry in sorted(recording.kept(name), key=lambda entry: entry.at)
        for line in entry.text.splitlines()
    )
    bundle_edit.swap(
        folder,
        f"journal/{name}.export",
        f"journal/{name}.log",
        text.encode(),
        command="journalctl --no-pager -o short",
    )


def _tag(entry: Entry) -> str:
    return "kernel" if entry.unit == "kernel" else f"{entry.unit}[{entry.pid or 4242}]"


def add_noise(recording: Recording, _truth: Truth, rng: random.Random) -> None:
    """Add 100,000 benign lines."""
    span = (recording.since, recording.until)
    each = BENIGN_LINES // len(recording.hosts) + 1
    for host in recording.hosts.values():
        recording.journal[host.name] += background.draw_entries(rng, host, span, each)


def add_old_xid(recording: Recording, _truth: Truth, rng: random.Random) -> None:
    """Add a GPU that fell off the bus a month ago, on a random host."""
    host = rng.choice([host for host in recording.hosts.values() if host.gpus])
    gpu = rng.choice(host.gpus)
    at = recording.since - OLD_S
    text = "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    recording.log(host.name, at, "kernel", f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}")
    recording.log(host.name, at + 1, "kernel", f"NVRM: Xid (PCI:{gpu.bdf}): {text}", priority=3)


def shuffle_names(folder: Path, _recording: Recording, rng: random.Random) -> None:
    """Give all files names that say nothing; the manifest keeps the old ones."""
    bundle_edit.scatter(folder, rng)


def drop_incident(folder: Path, _recording: Recording, _rng: random.Random) -> None:
    """Take the report away."""
    (folder / "incident.yaml").unlink()


def hide_source(source: str) -> OnBundle:
    """Make the operator that takes one source away."""

    def hide(folder: Path, _recording: Recording, _rng: random.Random) -> None:
        bundle_edit.drop(folder, source)

    return hide


def hide_root(recording: Recording, truth: Truth, rng: random.Random) -> None:
    """Take away every line, sample and reading that shows the root itself."""
    marks = truth.marks
    hidden = re.compile("|".join(marks.lines)) if marks.lines else None
    if hidden:
        _hide_lines(recording, hidden)
    recording.metrics[:] = [m for m in recording.metrics if m.name not in marks.metrics]
    for name in marks.readings:
        if name in recording.nvml:
            at, _ = recording.nvml[name]
            recording.nvml[name] = (at, gpu_health.read_host(rng, recording.hosts[name], at))
    recording.commands[:] = [
        command
        for command in recording.commands
        if command.name not in marks.commands
        and not (command.host in marks.readings and command.name == "nvidia-smi-q")
    ]


def _hide_lines(recording: Recording, hidden: re.Pattern[str]) -> None:
    for name, entries in recording.journal.items():
        recording.journal[name] = [e for e in entries if not hidden.search(e.text)]
    recording.pod_logs[:] = [
        PodLog(
            log.namespace,
            log.pod,
            log.container,
            log.host,
            tuple(line for line in log.lines if not hidden.search(line[1])),
            log.previous,
            log.refusal,
        )
        for log in recording.pod_logs
    ]
    recording.files[:] = [
        replace(
            file,
            text="".join(
                line for line in file.text.splitlines(keepends=True) if not hidden.search(line)
            ),
        )
        for file in recording.files
    ]
    for at, objects in recording.snapshots.items():
        recording.snapshots[at] = [
            item for item in objects if not hidden.search(str(item.get("message", "")))
        ]


INVARIANT: tuple[Perturbation, ...] = (
    Perturbation("renamed", "invariant", on_bundle=rename),
    Perturbation("skewed-clock", "invariant", on_recording=skew_clock),
    Perturbation("zoneless-source", "invariant", on_bundle=drop_zone, may_weaken=True),
    Perturbation("100000-benign-lines", "invariant", on_recording=add_noise),
    Perturbation("old-xid", "invariant", on_recording=add_old_xid),
    Perturbation("shuffled-names", "invariant", on_bundle=shuffle_names),
    Perturbation("no-incident", "invariant", on_bundle=drop_incident),
)
HIDDEN: tuple[Perturbation, ...] = tuple(
    Perturbation(f"without-{source}", "changing", on_bundle=hide_source(source))
    for source in SOURCES
)
ROOT_HIDDEN = Perturbation("root-hidden", "changing", on_recording=hide_root)


def list_all() -> dict[str, Perturbation]:
    """Return all perturbations by name."""
    return {p.name: p for p in (*INVARIANT, *HIDDEN, ROOT_HIDDEN)}
