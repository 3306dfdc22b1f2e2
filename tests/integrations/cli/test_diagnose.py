"""`diagnose` keeps stdout for the answer, saves the incident and ends by the contract."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistant.investigation import Investigation
from assistant.settings import Settings
from evals.scenarios.build import build
from integrations.cli.outcome import exit_code
from tests.integrations.cli.conftest import LOG, Run, load
from tests.integrations.sample import build_investigation
from tests.integrations.sample_diagnosis import build_diagnosis


def _with(**changes: object) -> Investigation:
    diagnosis = build_diagnosis().model_copy(update=changes)
    return build_investigation().model_copy(update={"diagnosis": diagnosis})


@pytest.mark.parametrize(
    ("changes", "fail_on", "code"),
    [
        ({}, None, 0),
        ({"decided_by_unseen": True}, None, 5),
        ({"decided_by_unseen": True}, "P0", 10),
        ({}, "P1", 10),
        ({"verdict": "inconclusive"}, "P3", 10),
        ({"verdict": "inconclusive", "decided_by_unseen": True}, "P0", 10),
        ({"verdict": "inconclusive", "decided_by_unseen": True}, None, 5),
        ({"verdict": "healthy"}, "P3", 0),
    ],
)
def test_exit_codes(changes: dict[str, object], fail_on: str | None, code: int) -> None:
    """Findings alone change nothing; unseen sources give 5; --fail-on gives 10 and wins."""
    settings = Settings.model_validate({"fail_on": fail_on})

    assert exit_code(_with(**changes), settings) == code


def test_only_damage_fails_where_no_cause_is_known() -> None:
    """A priority alone, without anything that hurts, is no reason to stop a pipeline."""
    found = _with(verdict="inconclusive")
    quiet = found.model_copy(update={"timeline": found.timeline.model_copy(update={"events": ()})})

    assert exit_code(quiet, Settings(fail_on="P3")) == 0


def test_what_is_named_nowhere_is_not_found(run: Run, log: Path) -> None:
    """Exit 3, and stderr says what the evidence does not name."""
    code, out, err = run("diagnose", str(log), "--node", "nosuch")

    assert (code, out) == (3, "")
    assert "No evidence names node nosuch." in err
    assert "alarming" not in err
    document = load(run("diagnose", str(log), "--node", "nosuch", "-o", "json")[1])
    assert document["error"]["code"] == "not_found"  # type: ignore[index]  # a mapping
    assert "没有任何证据提到" in run("diagnose", str(log), "--node", "nosuch", "--lang", "zh")[2]


def test_a_window_bounds_the_answer_of_a_file(run: Run, log: Path) -> None:
    """What began after it is not considered; where nothing is left, nothing was found."""
    before = ("--since", "2025-06-20T02:00:00Z", "--until", "2025-06-20T02:21:00Z")
    code, out, _ = run("diagnose", str(log), *before, "-o", "json")
    document = load(out)
    assert code != 3
    assert document["events"] == []
    assert document["window"] == {
        "since": "2025-06-20T02:00:00Z", "until": "2025-06-20T02:21:00Z"
    }  # fmt: skip

    known = load(run("incident", "list", "-o", "json")[1])["items"]
    assert run("diagnose", str(log), "--until", "2025-06-01T00:00:00Z")[0] == 3
    assert load(run("incident", "list", "-o", "json")[1])["items"] == known


def test_a_lower_priority_than_asked_for_does_not_fail() -> None:
    """P2 is not so urgent as P1."""
    found = _with()
    assert found.priority is not None
    mild = found.model_copy(update={"priority": found.priority.model_copy(update={"level": "P2"})})

    assert exit_code(mild, Settings(fail_on="P1")) == 0
    assert exit_code(mild, Settings(fail_on="P2")) == 10
    assert exit_code(None, Settings()) == 0


def test_any_file_is_diagnosed_and_saved(run: Run, log: Path) -> None:
    """The document is on stdout, progress on stderr, the incident in the store."""
    code, out, err = run("diagnose", str(log), "-o", "json")

    document = load(out)
    assert code in (0, 5)
    assert document["incident"] == "I-20250620-1"
    assert "NFS" in err or err
    assert run("incident", "list", "-o", "json")[1].count("I-20250620-1") == 1


def test_the_same_file_again_is_the_same_incident(run: Run, log: Path) -> None:
    """Whatever it is called."""
    other = log.with_name("renamed.txt")
    other.write_text(LOG)

    first = load(run("diagnose", str(log), "-o", "json")[1])["incident"]
    again = load(run("diagnose", str(other), "-o", "json")[1])["incident"]

    assert first == again == "I-20250620-1"


@pytest.mark.parametrize(
    ("form", "start"), [("markdown", "# **I-20250620-1**"), ("html", "<!doctype html>")]
)
def test_documents_go_to_stdout(run: Run, log: Path, form: str, start: str) -> None:
    """Each form begins as it must."""
    _, out, _ = run("diagnose", str(log), "-o", form)

    assert out.startswith(start)


def test_the_language_follows_flag_then_settings_then_locale(
    run: Run, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LANG is the last word."""
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "结论" in run("diagnose", str(log))[1]
    assert "Verdict" in run("diagnose", str(log), "--lang", "en")[1]
    monkeypatch.setenv("FIRSTFAULT_LANG", "en")
    assert "Verdict" in run("diagnose", str(log))[1]


def test_a_store_that_cannot_be_written_does_not_stop_a_diagnosis(
    run: Run, log: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said once on stderr, and the incident has no id."""
    (home / "file").write_text("")
    monkeypatch.setenv("FIRSTFAULT_DATA_DIR", str(home / "file"))

    code, out, err = run("diagnose", str(log), "-o", "json")

    assert code in (0, 5)
    assert load(out)["incident"] is None
    assert "not saved" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--since", "yesterdayish"), "is not a time"),
        (("--since", "2h", "--until", "3h"), "does not come after"),
        (("--tz", "Mars/Olympus"), "is not a time zone"),
        (("--pod", "nameonly"), "not NAMESPACE/NAME"),
        (("-o", "pdf"), "'pdf' is not one of"),
        (("--fail-on", "P9"), "'P9' is not one of"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    run: Run, log: Path, arguments: tuple[str, ...], said: str
) -> None:
    """Exit 2, and the message repeats what was typed."""
    code, _, err = run("diagnose", str(log), *arguments)

    assert code == 2
    assert said in err


def test_a_time_that_leans_on_the_present_is_echoed(run: Run, log: Path) -> None:
    """The reader sees which moment was meant."""
    _, _, err = run("diagnose", str(log), "--since", "2025-06-20 10:00", "--tz", "Asia/Shanghai")

    assert "--since 2025-06-20 10:00 is 2025-06-20 02:00:00Z" in err


def test_no_colour_reaches_a_pipe(run: Run, log: Path) -> None:
    """Neither stdout nor stderr carries an escape."""
    _, out, err = run("diagnose", str(log))

    assert "\x1b" not in out + err


def test_ctrl_c_prints_what_is_known_and_exits_130(home: Path) -> None:
    """A pipe that never ends is read until the signal comes."""
    done = _interrupt(home, signal.SIGINT)

    assert done[0] == 130
    assert json.loads(done[1])["schema_version"] == "1"
    assert "Interrupted" in done[2]


def test_the_time_limit_prints_what_is_known_and_exits_124(home: Path) -> None:
    """So does --timeout, by itself."""
    done = _interrupt(home, None)

    assert done[0] == 124
    assert "Time limit of 3 s" in done[2]


def _interrupt(home: Path, number: signal.Signals | None) -> tuple[int, str, str]:
    """Run a diagnosis that waits in its reading step; end it by a signal or its own limit."""
    slow = home / "slow.py"
    slow.write_text(
        "import signal, sys, time\n"
        # A background job of a shell starts with the signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from assistant import investigate as module\n"
        "def wait(*a, **k):\n"
        "    print('waiting', file=sys.stderr, flush=True)\n"
        "    time.sleep(60)\n"
        "module.recognise = wait\n"
        "from integrations.cli.main import run\n"
        "run()\n",
    )
    log = home / "x.log"
    log.write_text(LOG)
    argv = [sys.executable, str(slow), "diagnose", str(log), "-o", "json"]
    argv += [] if number else ["--timeout", "3"]
    process = subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stderr is not None
    seen = ""
    deadline = time.monotonic() + 30
    while number and "waiting" not in seen and time.monotonic() < deadline:
        seen += process.stderr.readline()
    if number:
        process.send_signal(number)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, seen + err


def test_where_nothing_alarms_there_is_no_clock_to_respond_by(run: Run, home: Path) -> None:
    """It stays open, for health was not shown, and nothing is demanded of anybody."""
    quiet = home / "quiet.log"
    quiet.write_text("2025-06-20T02:20:00+00:00 n1 systemd[1]: Started Session 4 of user root.\n")

    document = load(run("diagnose", str(quiet), "-o", "json")[1])

    kept = load(run("incident", "list", "-o", "json")[1])["items"]
    assert [(item["id"], item["status"]) for item in kept] == [(document["incident"], "open")]
    priority = document["priority"]
    assert isinstance(priority, dict)
    assert priority["respond_by"] is None


def test_what_is_saved_is_said(run: Run, log: Path) -> None:
    """With the command that shows it again; programs read the id from the document."""
    assert "saved as I-20250620-1" in run("diagnose", str(log))[2]
    assert "saved as" not in run("diagnose", str(log), "-o", "json")[2]


def test_an_error_that_nobody_feels_yet_fails_too(run: Run, home: Path) -> None:
    """`--fail-on` counts whatever a person must look at, also while its cause is open."""
    log = home / "gpu.log"
    line = "NVRM: Xid (PCI:0000:1b:00): 48, pid=900, name=python3, DBE (double bit error)"
    log.write_text(f"2025-06-20T02:20:00+00:00 n1 kernel: {line}\n")

    assert run("diagnose", str(log), "--fail-on", "P3")[0] == 10


def test_the_list_says_what_each_incident_is(run: Run, log: Path) -> None:
    """Title, priority and verdict, in both languages; the same file twice is one incident."""
    run("diagnose", str(log))
    run("diagnose", str(log), str(log))
    items = load(run("incident", "list", "-o", "json")[1])["items"]
    assert isinstance(items, list)
    assert len(items) == 1
    assert items[0]["verdict"] == "inconclusive"
    assert items[0]["priority"].startswith("P")
    assert "NFS" in items[0]["title"]
    assert "NFS" in run("incident", "list")[1]
    assert "无法定论" in run("incident", "list", "--lang", "zh")[1]


def test_a_dash_reads_the_standard_input(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As other tools do; it is the same input as the file."""
    assert home
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))

    code, out, _ = run("diagnose", "-", "-o", "json")

    assert code in (0, 5)
    assert load(out)["incident"] == "I-20250620-1"


def test_a_limit_that_leaves_nothing_promises_nothing(run: Run, log: Path) -> None:
    """Nothing is printed, so nothing is announced."""
    code, out, err = run("diagnose", str(log), "--timeout", "0.000001")

    assert code == 124
    assert bool(out) == ("printing what is known" in err)


def test_stopped_before_anything_was_known_it_still_prints_one_document(
    run: Run, log: Path
) -> None:
    """A script that asked for JSON reads why, and the code says the rest."""
    code, out, _ = run("diagnose", str(log), "--timeout", "0.000001", "-o", "json")

    assert code == 124
    assert json.loads(out)["error"]["code"] == "stopped"


def test_help_lists_the_exit_codes(run: Run) -> None:
    """Whoever writes a script looks there."""
    out = run("diagnose", "--help")[1]

    for code in ("0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "10 ", "124 ", "130 "):
        assert f"\n    {code}" in out


def test_a_missing_path_among_others_is_told_and_the_rest_read(run: Run, log: Path) -> None:
    """stderr names it, the ledger lists it; only where nothing is left it is an error."""
    gone = log.with_name("nope.log")
    code, out, err = run("diagnose", str(gone), str(log), "-o", "json")

    assert code in {0, 5}
    assert f"There is no file or folder {gone}." in err
    ledger = json.loads(out)["coverage"]
    assert [row["state"] for row in ledger if row["target"] == str(gone)] == ["not_checked"]
    assert run("diagnose", str(gone), str(gone))[0] == 3
    assert "没有文件或文件夹" in run("diagnose", str(gone), str(log), "--lang", "zh")[2]


def test_one_content_given_twice_is_felt_once(run: Run, log: Path, tmp_path: Path) -> None:
    """A copy of the evidence is no second witness and no second victim."""
    copy = tmp_path / "copy.log"
    copy.write_bytes(log.read_bytes())
    once, twice = (
        json.loads(run("diagnose", *(str(path) for path in paths), "-o", "json")[1])
        for paths in ([log], [log, copy, log])
    )

    assert twice["confidence"] == once["confidence"]
    assert twice["impact"] == once["impact"]
    assert any("3 times, read once" in row["why"] for row in twice["coverage"])


def test_what_is_shown_to_be_healthy_is_kept_as_closed(run: Run, home: Path) -> None:
    """Nobody has to close an incident in which nothing was wrong."""
    bundle = home / "bundle"
    build("healthy-old-noise", 1, bundle, scale=0.002, stored_queries=False)

    document = load(run("diagnose", str(bundle), "-o", "json")[1])

    assert document["verdict"] == "healthy"
    (kept,) = load(run("incident", "list", "-o", "json")[1])["items"]
    assert (kept["id"], kept["status"]) == (document["incident"], "closed")
