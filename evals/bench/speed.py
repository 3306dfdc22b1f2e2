"""How fast the command is, each time beside a program that does the least that could be done."""

import os
import sys
import tempfile
from pathlib import Path

from evals import background, fleet
from evals.bench.measure import Figure, Figures, Run, run, run_beside
from evals.model import Entry, Host, open_stream, read_epoch, write_iso
from evals.replay import journal as journals
from evals.replay import prometheus as server
from evals.scenarios.build import build
from evals.writers import journal as export
from knowledge.catalog import load_catalog

MILLION = 1_000_000
CHUNK = 20_000
START, SPAN_S = read_epoch("2025-06-20T00:00:00Z"), 4 * 3600.0
JOURNAL_HOSTS = 8


def build_argv(*words: str) -> list[str]:
    """Return the argv of the command line in this interpreter."""
    return [sys.executable, "-m", "integrations.cli.main", *words]


def make_environment(scratch: Path) -> dict[str, str]:
    """Give the product a data directory and a cache of its own."""
    own = {"FIRSTFAULT_DATA_DIR": scratch / "data", "XDG_CACHE_HOME": scratch / "cache"}
    return {**os.environ, **{name: str(folder) for name, folder in own.items()}}


def measure(scratch: Path) -> Figures:
    """Measure everything that has a bound in time or memory."""
    figures: Figures = {}
    parts = (measure_log, measure_journal, measure_astra_bundle, measure_start_up)
    for part in parts:
        found = part(scratch)
        for name, figure in found.items():
            sys.stderr.write(f"  {name}: {figure.value:.3f} {figure.unit}\n")
        figures |= found
    return figures


def make_fault_entry(at: float) -> Entry:
    """Write one line that is worth diagnosing."""
    text = "NVRM: Xid (PCI:0000:9a:00): 79, pid=4711, name=python3, GPU has fallen off the bus."
    return Entry(at, "kernel", text, 3)


def draw_noise(host: Host, count: int, seed: int) -> list[Entry]:
    """Draw benign entries; a block of them is repeated, for speed, at other times."""
    rng = open_stream("bench", seed, host.name)
    block = background.draw_entries(rng, host, (0.0, 1.0), CHUNK)
    step = SPAN_S / count
    return [
        Entry(START + index * step, entry.unit, entry.text, entry.priority)
        for index in range(count)
        for entry in (block[index % CHUNK],)
    ]


def _host(number: int) -> Host:
    rng = open_stream("bench", number, "host")
    return fleet.draw_hosts(rng, [f"bench-{number:02d}"], subnet="10.9", booted=START - 1e6)[0]


def measure_log(scratch: Path) -> Figures:
    """Diagnose a plain log with the whole handbook, beside `rg -c -F` over its literals."""
    log, literals = scratch / "million.log", scratch / "literals.txt"
    host = _host(0)
    with log.open("w") as sink:
        entries = draw_noise(host, MILLION, 1)
        entries[MILLION // 2] = make_fault_entry(entries[MILLION // 2].at)
        for entry in entries:
            tag = entry.unit if entry.unit == "kernel" else f"{entry.unit}[812]"
            sink.write(f"{write_stamp(entry.at)} {host.name} {tag}: {entry.text}\n")
    literals.write_text("\n".join(load_catalog().literals()) + "\n")
    env = make_environment(scratch)

    def ours() -> Run:
        return run(build_argv("diagnose", str(log), "-o", "json"), env=env)

    def theirs() -> Run:
        return run(["rg", "-c", "-F", "-f", str(literals), str(log)])

    ratio, best, _ = run_beside(ours, theirs)
    against = "rg -c -F -f LITERALS of the same file"
    log.unlink()
    return {
        "log-1m-lines": Figure(ratio, "ratio", 3.0, against),
        "log-1m-lines-memory": Figure(best.peak_mib, "MiB", 300.0, "peak resident set"),
    }


def write_stamp(at: float) -> str:
    """Write a syslog stamp with zone."""
    return write_iso(at, digits=6).replace("Z", "+00:00")


def measure_journal(scratch: Path) -> Figures:
    """Diagnose a folder of journal files, beside `journalctl -o json` over it."""
    if not journals.is_available():
        return {}
    folder = scratch / "journal"
    for number in range(JOURNAL_HOSTS):
        host = _host(number + 1)
        entries = draw_noise(host, MILLION // JOURNAL_HOSTS, number)
        if number == 0:
            entries[len(entries) // 2] = make_fault_entry(entries[len(entries) // 2].at)
        text = scratch / f"{host.name}.export"
        text.write_bytes(export.export(host, entries))
        journals.build([text], folder)
        text.unlink()
    env = make_environment(scratch)

    def ours() -> Run:
        return run(build_argv("diagnose", str(folder), "-o", "json"), env=env)

    def theirs() -> Run:
        return run(["journalctl", "-D", str(folder), "-q", "--no-pager", "-o", "json"])

    ratio, _, _ = run_beside(ours, theirs, times=2)
    return {"journal-1m-entries": Figure(ratio, "ratio", 0.5, "journalctl -o json >/dev/null")}


def measure_astra_bundle(scratch: Path) -> Figures:
    """Diagnose the Astra bundle at full size, less the command's own start.

    What it takes for one quiet line is its start: interpreter, libraries, handbook and store.
    """
    folder, line = scratch / "astra", scratch / "line.log"
    build("astra-storage-failover", 1, folder, stored_queries=server.is_available())
    line.write_text(f"{write_stamp(START)} bench-00 systemd[1]: Started Session 1.\n")
    env = make_environment(scratch)

    def measure(path: Path) -> float:
        argv = build_argv("diagnose", str(path), "-o", "json")
        return min(run(argv, env=env).seconds for _ in range(5))

    idle, whole = measure(line), measure(folder)
    queries = sum(f.stat().st_size for f in (folder / "prometheus").glob("*.json")) / (1 << 20)
    return {
        "astra-bundle": Figure(whole - idle, "s", 1.5, "its run less that over one quiet line"),
        "astra-query-results": Figure(queries, "MiB", 20.0, "size of the stored query results"),
    }


def measure_start_up(scratch: Path) -> Figures:
    """Show the help, beside Python importing the two libraries that any command line needs."""
    env = make_environment(scratch)

    def ours() -> Run:
        return run(build_argv("--help"), env=env)

    def theirs() -> Run:
        return run([sys.executable, "-c", "import typer, rich"])

    ratio, _, _ = run_beside(ours, theirs, times=7)
    return {"help": Figure(ratio, "ratio", 2.5, 'python -c "import typer, rich"')}


def open_scratch() -> "tempfile.TemporaryDirectory[str]":
    """Make a folder for everything that is measured."""
    return tempfile.TemporaryDirectory(prefix="firstfault-bench-")
