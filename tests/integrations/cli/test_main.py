"""The command line finds its commands lazily and ends by the contract."""

import importlib.metadata
import subprocess
import sys

import pytest

from integrations.cli import start
from integrations.cli.main import GROUP, take_debug, wants_json
from tests.integrations.cli.conftest import Run, load

_HELP = "from integrations.cli.main import run; import sys; sys.argv[1:] = ['--help']; run()"


def test_help_lists_every_registered_command(run: Run) -> None:
    """Each stands with the first line of its module's docstring."""
    code, out, _ = run("--help")

    names = {entry.name for entry in importlib.metadata.entry_points(group=GROUP)}
    assert code == 0
    assert {"diagnose", "demo", "collect", "doctor", "compare", "kb", "incident"} <= names
    assert all(f"\n  {name} " in out for name in names)
    assert "Diagnose files, bundles or the live system" in out


def test_help_imports_no_command() -> None:
    """Listing the commands loads no heavy library and of the rooms below only their errors."""
    code = (
        f"{_HELP.replace('run()', '')}\ntry: run()\nexcept SystemExit: pass\n"
        "heavy = {'pydantic', 'sqlalchemy', 'httpx', 'jinja2', 'hyperscan', 're2', 'yaml'}\n"
        "rooms = ('assistant', 'tools', 'knowledge', 'evals')\n"
        "below = {m for m in sys.modules if m.partition('.')[0] in rooms}\n"
        "bad = below - {*rooms, *(f'{room}.errors' for room in rooms)} | heavy & set(sys.modules)\n"
        "assert not bad, bad"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["diagnose", "demo", "collect", "doctor", "compare", "config"])
def test_every_command_has_help(run: Run, name: str) -> None:
    """`-h` works everywhere."""
    code, out, _ = run(name, "-h")

    assert code == 0
    assert out.startswith(f"Usage: firstfault {name}")


def test_no_arguments_show_the_help_and_are_a_usage_error(run: Run) -> None:
    """Nothing was asked, so nothing was done."""
    code, out, _ = run()

    assert code == 2
    assert "Commands:" in out


def test_an_unknown_command_suggests_the_nearest(run: Run) -> None:
    """Exit 2, on stderr."""
    code, out, err = run("diagnoze")

    assert (code, out) == (2, "")
    assert "Did you mean 'diagnose'?" in err


@pytest.mark.parametrize("form", [("-o", "json"), ("-ojson",), ("--output=json",)])
def test_errors_are_json_when_json_was_asked_for(run: Run, form: tuple[str, ...]) -> None:
    """One document on stdout, with code, message and hint."""
    code, out, err = run("diagnose", "no-such-file", *form)

    assert (code, err) == (3, "")
    error = load(out)["error"]
    assert isinstance(error, dict)
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == "not_found"
    assert "no-such-file" in error["message"]


def test_a_broken_command_line_is_json_too(run: Run) -> None:
    """Even what cannot be parsed answers in the form it asked for."""
    code, out, _ = run("diagnose", "--no-such-option", "-o", "json")

    assert code == 2
    assert load(out)["error"]["code"] == "usage"  # type: ignore[index]  # a mapping


def test_json_is_told_from_other_words() -> None:
    """A file called json is not a form."""
    assert wants_json(["diagnose", "-o", "json"])
    assert not wants_json(["diagnose", "json", "-o", "html"])


def test_the_version_is_printed(run: Run) -> None:
    """`--version` names the product."""
    code, out, _ = run("--version")

    assert code == 0
    assert out.startswith("firstfault ")


@pytest.fixture(name="broken")
def _broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handbook whose loading fails in a way that nobody foresaw."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("knowledge.catalog.load_catalog", fail)


@pytest.mark.usefixtures("broken")
def test_a_bug_is_one_line_and_not_a_traceback(run: Run) -> None:
    """Exit 1; it says how to see more and asks to be reported."""
    code, out, err = run("kb", "list")

    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "firstfault: internal error: ZeroDivisionError: a bug",
        "  Run again with --debug for the traceback, and please report it.",
    ]


@pytest.mark.usefixtures("broken")
def test_a_bug_is_json_where_json_was_asked_for(run: Run) -> None:
    """Programs can tell it from what the user did."""
    code, out, err = run("kb", "list", "-o", "json")

    assert (code, err) == (1, "")
    assert load(out)["error"]["code"] == "internal"  # type: ignore[index]  # a mapping


@pytest.mark.usefixtures("broken")
def test_the_traceback_is_shown_on_demand(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the option, wherever it stands, or by the environment."""
    assert "Traceback" in run("kb", "list", "--debug")[2]
    assert "Traceback" in run("--debug", "kb", "list")[2]
    assert "Traceback" not in run("kb", "list")[2]
    monkeypatch.setenv("FIRSTFAULT_DEBUG", "1")
    assert "Traceback" in run("kb", "list")[2]


def test_debug_after_two_dashes_is_a_name() -> None:
    """A file may be called so."""
    assert take_debug(["diagnose", "--", "--debug"]) == (["diagnose", "--", "--debug"], False)
    assert take_debug(["diagnose", "--debug", "x"]) == (["diagnose", "x"], True)


@pytest.mark.parametrize("place", ["knowledge.catalog.load_catalog", "integrations.cli.main.call"])
def test_ctrl_c_before_anything_is_known_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Exit 130 and a line, no traceback, wherever it comes."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)
    if place.endswith(".call"):
        with pytest.raises(SystemExit) as ended:
            start.run()
        assert ended.value.code == 130
        return
    code, out, err = run("kb", "list")
    assert (code, out) == (130, "")
    assert "interrupted" in err
    assert "已中断" in run("kb", "list", "--lang", "zh")[2]


def test_a_reader_who_leaves_early_is_no_error() -> None:
    """`| head` ends the command without a word."""
    code = "from integrations.cli.main import run; import sys; sys.argv[1:] = ['kb', 'list']; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()

    said = process.stderr.read()
    process.wait(timeout=30)
    process.stderr.close()

    assert said == ""
