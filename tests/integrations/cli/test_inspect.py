"""Inspection from the command line: codes as Nagios has them, over bundles and live."""

import json
import sys
import time
from pathlib import Path

import pytest

from evals.model import open_stream
from evals.replay import prometheus as server
from evals.scenarios.build import load as load_scenario
from evals.trend_fleet import Ailment, make_fleet
from evals.trend_metrics import list_metrics
from evals.writers import bundle
from evals.writers.openmetrics import render
from integrations.cli.inspect_command import choose
from knowledge.inspection import load_inspections, queries_of
from tests.assistant import healthy_host as well
from tests.assistant.healthy_host import HOST, Host
from tests.integrations.cli.conftest import Run, load
from tools.commands import allowed

THIN = 0.002
"""Of a scenario's noise: what the checks read is no noise."""
WELL_ENOUGH = ("--skip", "clocks-agree")
"""One host's clock has none to agree with."""


@pytest.fixture(name="host")
def _host(tmp_path: Path) -> Host:
    return Host(tmp_path / "bundle")


def write_scenario(name: str, place: Path, *checks: str) -> str:
    """Write a scenario's bundle with the answers to what these checks ask, or all of a round."""
    asked = [
        each
        for each in load_inspections()
        if (each.id in checks if checks else not each.over_weeks)
    ]
    queries = tuple(queries_of(asked).items())
    return str(bundle.write(load_scenario(name).record(3, THIN), place, queries=queries))


def items_of(out: str) -> dict[str, dict[str, object]]:
    items = load(out)["items"]
    assert isinstance(items, list)
    return {item["id"]: item for item in items}


@pytest.mark.parametrize(
    ("mounted", "code", "word"),
    [
        ("hard,proto=tcp,timeo=600", 0, "OK"),
        ("hard,proto=tcp,timeo=1800", 1, "WARNING"),
        ("soft,proto=tcp,timeo=600", 2, "CRITICAL"),
    ],
)
def test_the_exit_code_is_the_worst_level(
    run: Run, host: Host, mounted: str, code: int, word: str
) -> None:
    """0, 1 and 2; the first line says it in one word for whoever shows only that."""
    usual = "hard,proto=tcp,timeo=600"
    host.say(f"host/{HOST}/mounts.txt", well.MOUNTS.replace(usual, mounted))
    exit_code, out, _ = run("inspect", str(host.write()), *WELL_ENOUGH)

    assert exit_code == code
    assert out.startswith(f"INSPECT {word}: ")


def test_a_source_that_was_not_seen_is_unknown(run: Run, host: Host) -> None:
    """3, and the reason stands beside it."""
    path = f"host/{HOST}/df.txt"
    host.outcomes[path] = "hung"
    host.say(path, "")
    exit_code, out, _ = run("inspect", str(host.write()), *WELL_ENOUGH, "--only", "disk-space")

    assert exit_code == 3
    assert "df -h -l -P" in out


def test_json_is_a_list_as_the_contract_has_it(run: Run, host: Host) -> None:
    """`schema_version` and `items`; each with its level, both titles, findings and evidence."""
    host.say(f"host/{HOST}/mounts.txt", well.MOUNTS.replace("hard", "soft"))
    exit_code, out, _ = run("inspect", str(host.write()), "-o", "json")
    document = load(out)
    item = items_of(out)["nfs-mount-options"]

    assert document["schema_version"] == "1"
    assert (document["exit_code"], document["level"]) == (exit_code, "critical")
    assert item["level"] == "critical"
    assert set(item["title"]) == {"en", "zh"}  # type: ignore[call-overload]  # a mapping
    findings = item["findings"]
    assert isinstance(findings, list)
    cited = {one["id"]: one["command"] for one in document["evidence"]}  # type: ignore[attr-defined]  # a list
    assert {cited[name] for name in findings[0]["evidence"]} == {"cat /proc/self/mounts"}


def test_the_checklist_can_be_read_in_chinese(run: Run, host: Host) -> None:
    """Table, reasons and what to do."""
    host.say(f"host/{HOST}/mounts.txt", well.MOUNTS.replace("hard", "soft"))
    _, out, _ = run("inspect", str(host.write()), "--lang", "zh")

    assert "NFS 挂载参数" in out
    assert "只读方式挂载" in out
    assert "CRITICAL" not in out


def test_a_phase_or_a_name_chooses_checks(run: Run, host: Host) -> None:
    """The check-list of the first minutes is not that of the regular round."""
    place = str(host.write())
    during = items_of(run("inspect", place, "--phase", "during", "-o", "json")[1])
    one = items_of(run("inspect", place, "--only", "ib-ports", "-o", "json")[1])

    assert "hung-commands" in during
    assert "log-retention" not in during
    assert set(one) == {"ib-ports"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--only", "no-such"),
        ("--nonsense",),
        ("/nowhere/at/all",),
        ("--only", "ib-ports", "--skip", "ib-ports"),
    ],
)
def test_a_failure_of_its_own_is_unknown_to_nagios(run: Run, arguments: tuple[str, ...]) -> None:
    """1 and 2 would read as a finding."""
    exit_code, out, err = run("inspect", *arguments)

    assert exit_code == 3
    assert out == ""
    assert err.startswith("firstfault: ")


@pytest.fixture(name="broken")
def _broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check-lists whose loading fails in a way that nobody foresaw."""

    def fail() -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("integrations.cli.inspect_command.load_inspections", fail)


@pytest.mark.usefixtures("broken")
def test_a_bug_is_unknown_to_nagios(run: Run) -> None:
    """A crash is no warning: 3, one line, and how to see more."""
    exit_code, out, err = run("inspect")
    as_json = run("inspect", "-o", "json")

    assert (exit_code, out) == (3, "")
    assert err.splitlines() == [
        "firstfault: internal error: ZeroDivisionError: a bug",
        "  Run again with --debug for the traceback, and please report it.",
    ]
    assert as_json[0] == 3
    assert load(as_json[1])["error"]["code"] == "internal"  # type: ignore[index]  # a mapping


@pytest.mark.usefixtures("broken")
def test_the_traceback_of_a_bug_is_shown_on_demand(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the option as well as by the environment."""
    monkeypatch.setattr("sys.argv", ["firstfault", "--debug", "inspect"])
    assert "Traceback" in run("inspect", "--debug")[2]
    monkeypatch.setattr("sys.argv", ["firstfault", "inspect"])
    assert "Traceback" not in run("inspect")[2]
    monkeypatch.setenv("FIRSTFAULT_DEBUG", "1")
    assert "Traceback" in run("inspect")[2]


def test_explain_prints_commands_that_only_read(run: Run) -> None:
    """Each stands in the grammar of what may be run at all, or reads a file or the metrics."""
    exit_code, out, _ = run("inspect", "--explain", "-o", "json")
    commands = [c for item in items_of(out).values() for c in item["commands"]]  # type: ignore[attr-defined]  # a list

    assert exit_code == 0
    assert {one["where"] for one in commands} <= {"node", "control", "metrics", "storage"}
    for one in commands:
        words = _split(one["command"])
        known = allowed(words) or words[0] in {"cat", "query_range", "ps"} or "{" in one["command"]
        assert known or not one["runs"], one


def _split(command: str) -> list[str]:
    import shlex  # noqa: PLC0415 -- only here

    own = command.replace("python3", sys.executable) if command.startswith("python3 ") else command
    return shlex.split(own) if not command.startswith("query_range") else ["query_range"]


def test_explain_tells_people_where(run: Run) -> None:
    """And that nothing was run."""
    _, out, _ = run("inspect", "--explain", "--only", "nfs-mount-options")

    assert "nothing was run" in out
    assert "on each node: cat /proc/self/mounts" in out


def test_explain_names_no_path_of_this_machine(run: Run) -> None:
    """Its reader's Python lies elsewhere on each node; nvidia-smi answers there too."""
    for form in ("text", "json"):
        _, out, _ = run("inspect", "--explain", "-o", form)
        assert sys.executable not in out
        assert "nvidia-smi -q" in out
        assert "python3 -m tools.probes.nvml_reader" in out
    _, out, _ = run("inspect", "--explain")
    (line, *_) = [line for line in out.splitlines() if "nvml_reader" in line]
    assert "that firstfault is installed in: python3 -m" in line


def test_a_phase_that_does_not_exist_is_told_which_there_are(run: Run) -> None:
    """Without the framework's own words for it."""
    code, _, err = run("inspect", "--phase", "foo")

    assert code == 3
    assert "'foo' is not one of 'before', 'during', 'after'" in err
    assert "Value error" not in err


def test_a_live_look_runs_what_explain_says(run: Run, home: Path) -> None:
    """On this machine: every explained node command that has no placeholder was recorded so."""
    chosen = ("--only", "disk-space", "--only", "nfs-mount-options", "--only", "stuck-processes")
    _, told, _ = run("inspect", "--explain", "-o", "json", *chosen)
    exit_code, out, _ = run("inspect", "-o", "json", *chosen)
    (manifest,) = home.rglob("manifest.jsonl")
    ran = {json.loads(line)["command"] for line in manifest.read_text().splitlines()}
    explained = {c["command"] for item in items_of(told).values() for c in item["commands"]}  # type: ignore[attr-defined]  # a list

    assert explained <= ran
    assert exit_code == load(out)["exit_code"]


def test_the_astra_bundle_shows_what_made_it_an_outage(run: Run, tmp_path: Path) -> None:
    """The health check that leans on storage, the hung commands and the nodes lost to them."""
    place = write_scenario("astra-storage-failover", tmp_path / "astra")
    exit_code, out, _ = run("inspect", place, "-o", "json")
    found = {name: item["level"] for name, item in items_of(out).items()}

    assert exit_code == 2
    for name in ("health-check-independent", "hung-commands", "node-conditions", "gpu-allocatable"):
        assert found[name] == "critical", name
    assert found["nfs-mount-options"] == found["row-remap"] == "ok"
    assert found["log-retention"] == found["certificates"] == "unknown"


@pytest.mark.parametrize(
    ("scenario", "check", "level"),
    [
        ("etcd-slow-disk", "etcd-wal-fsync", "critical"),
        ("device-plugin-not-back", "gpu-allocatable", "critical"),
        ("ecc-contained-remap", "row-remap", "critical"),
        ("healthy-old-noise", "row-remap", "ok"),
    ],
)
def test_a_scenario_fails_its_own_check(
    run: Run, tmp_path: Path, scenario: str, check: str, level: str
) -> None:
    """The same bundle that is diagnosed is inspected."""
    place = write_scenario(scenario, tmp_path / "b", check)
    _, out, _ = run("inspect", place, "-o", "json", "--only", check)

    assert items_of(out)[check]["level"] == level


@pytest.mark.skipif(not server.is_available(), reason="Prometheus is not installed")
def test_a_rise_over_weeks_is_found_in_a_real_prometheus(
    run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Live, and again in the bundle that the live look left; no other device is blamed."""
    ill = Ailment("trend-pcie-replays", 5, 20.5, 11.0)
    fleet = make_fleet(open_stream("trend", 1, "prometheus"), 4, 28, ill)
    named = list(fleet.values[ill.signal])[ill.device]
    text = tmp_path / "weeks.om"
    text.write_text(render(list_metrics(fleet, time.time() - 600)))
    server.create_blocks(text, tmp_path / "data")
    with server.serve(tmp_path / "data", tmp_path) as url:
        monkeypatch.setenv("FIRSTFAULT_PROMETHEUS_URL", url)
        live = run("inspect", "--trend", "-o", "json")
    monkeypatch.delenv("FIRSTFAULT_PROMETHEUS_URL")
    (manifest,) = home.rglob("manifest.jsonl")
    stored = run("inspect", "--trend", str(manifest.parent), "-o", "json")

    for exit_code, out, _ in (live, stored):
        items = items_of(out)
        warned = {
            finding["subject"]
            for item in items.values()
            for finding in item["findings"]  # type: ignore[attr-defined]  # a list
            if finding["level"] == "warning"
        }
        assert exit_code == 1
        assert warned == {" ".join(named)}
        assert items["trend-ecc-correctable"]["level"] == "ok"
        assert items["trend-memory-temperature"]["level"] == "unknown"


def test_hours_of_samples_make_no_trend(run: Run, tmp_path: Path) -> None:
    """A bundle of an incident holds no weeks: unknown, not well."""
    weekly = [each.id for each in load_inspections() if each.over_weeks]
    place = write_scenario("healthy-old-noise", tmp_path / "b", *weekly)
    exit_code, _, _ = run("inspect", "--trend", place)

    assert exit_code == 3


def test_trends_are_asked_for_by_name_or_by_flag() -> None:
    """The regular round does not wait for weeks of samples."""
    usual = {each.id for each in choose(trend=False, only=(), skip=(), phase=None)}
    weekly = {each.id for each in choose(trend=True, only=(), skip=(), phase=None)}

    assert not usual & weekly
    assert all(name.startswith("trend-") for name in weekly)
