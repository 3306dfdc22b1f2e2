"""Facts about the house itself: whose names these are, and how big its rooms may be."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from statistics import median, quantiles

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("assistant", "tools", "knowledge", "integrations", "evals")
FORBIDDEN = {"utils", "helpers", "common", "manager", "base", "misc"}
SILENCED = re.compile(r"#\s*(?:noqa: [A-Z0-9, ]+|type: ignore\[[\w, -]+\])\s*$")
DOORS = ("langchain", "langgraph", "chromadb", "slack_bolt", "slack_sdk")


def _modules() -> Iterator[Path]:
    for room in ROOMS:
        yield from sorted((ROOT / room).rglob("*.py"))


def _functions() -> Iterator[tuple[str, int]]:
    for module in _modules():
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{module.relative_to(ROOT)}:{node.name}"
                yield name, (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("room", ROOMS)
def test_the_import_name_is_ours_alone(room: str) -> None:
    """No other installed distribution ships a package of this name."""
    assert set(packages_distributions().get(room, [])) <= {"firstfault"}


def test_no_module_has_a_name_that_says_nothing() -> None:
    """A module is a noun of the field."""
    assert [str(m) for m in _modules() if m.stem in FORBIDDEN] == []


def test_files_stay_readable() -> None:
    """No file exceeds 400 lines; half are around a hundred or shorter."""
    sizes = {str(m.relative_to(ROOT)): m.read_text("utf-8").count("\n") for m in _modules()}

    assert {name: size for name, size in sizes.items() if size > 400} == {}
    assert median(sizes.values()) <= 130


def test_functions_stay_short() -> None:
    """The median is ten lines at most, the 95th percentile forty."""
    sizes = [size for _, size in _functions()]

    assert median(sizes) <= 10
    assert quantiles(sizes, n=20)[-1] <= 40


def test_every_exception_from_a_rule_has_its_reason() -> None:
    """What silences the linter or the type checker says why, beside it."""
    bare = [
        f"{module.relative_to(ROOT)}:{number}"
        for module in (*_modules(), *sorted((ROOT / "tests").rglob("*.py")))
        for number, line in enumerate(module.read_text("utf-8").splitlines(), 1)
        if SILENCED.search(line)
    ]

    assert bare == []


def test_the_core_does_not_open_the_heavy_doors() -> None:
    """Importing the diagnosis loads no agent stack, no vector store, no chat."""
    code = (
        "import sys, assistant.diagnosis.diagnose; "
        f"print([m for m in {DOORS!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_every_package_is_typed_and_in_the_wheel() -> None:
    """Each room carries its marker for type checkers."""
    assert [room for room in ROOMS if not (ROOT / room / "py.typed").exists()] == []
