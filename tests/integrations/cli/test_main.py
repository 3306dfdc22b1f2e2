"""The command line finds its commands lazily and ends by the contract."""

import importlib.metadata
import subprocess
import sys
import time

import pytest

from integrations.cli.main import GROUP, wants_json
from tests.integrations.cli.conftest import Run, load

_HELP = "from integrations.cli.main import run; import sys; sys.argv[1:] = ['--help']; run()"


def _seconds(code: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    return time.perf_counter() - began


def test_help_lists_every_registered_command(run: Run) -> None:
    """Each stands with the first line of its module's docstring."""
    code, out, _ = run("--help")

    names = {entry.name for entry in importlib.metadata.entry_points(group=GROUP)}
    assert code == 0
    assert {"diagnose", "demo", "collect", "doctor", "compare", "kb", "incident"} <= names
    assert all(f"\n  {name} " in out for name in names)
    assert "Diagnose files, bundles or the live system" in out


def test_help_imports_no_command() -> None:
    """Listing the commands loads neither pydantic nor any room below."""
    code = (
        f"{_HELP.replace('run()', '')}\ntry: run()\nexcept SystemExit: pass\n"
        "bad = {'pydantic', 'sqlalchemy', 'jinja2', 'hyperscan', 'assistant.investigate'}\n"
        "assert not bad & set(sys.modules), bad & set(sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_help_is_quick() -> None:
    """At most 2.5 times what importing the framework alone costs; best of five."""
    base = min(_seconds("import typer, rich") for _ in range(5))
    ours = min(_seconds(_HELP) for _ in range(5))

    assert ours <= 2.5 * base


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
