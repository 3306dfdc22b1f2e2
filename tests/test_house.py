"""Facts about the house itself: whose names these are, and how big its rooms may be."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).parents[1]
ROOMS = ("assistant", "tools", "knowledge", "integrations", "evals")
FORBIDDEN = {"utils", "helpers", "common", "manager", "base", "misc"}
SILENCED = re.compile(r"#\s*(?:noqa: [A-Z0-9, ]+|type: ignore\[[\w, -]+\])\s*$")
Function = ast.FunctionDef | ast.AsyncFunctionDef
DOORS = ("langchain", "langgraph", "chromadb", "slack_bolt", "slack_sdk")


def _modules() -> Iterator[Path]:
    for room in ROOMS:
        yield from sorted((ROOT / room).rglob("*.py"))


def _tests() -> Iterator[Path]:
    yield from sorted((ROOT / "tests").rglob("*.py"))


@cache
def _told(module: Path) -> tuple[Function | ast.ExceptHandler, ...]:
    """Return what the facts here are about; each module is parsed once, for all of them."""
    nodes = ast.walk(ast.parse(module.read_text("utf-8")))
    return tuple(node for node in nodes if isinstance(node, Function | ast.ExceptHandler))


def _functions(modules: Iterable[Path]) -> Iterator[tuple[str, Function]]:
    for module in modules:
        for node in _told(module):
            if isinstance(node, Function):
                yield f"{module.relative_to(ROOT)}:{node.name}", node


def _lines(function: Function, first: ast.stmt | None = None) -> int:
    return (function.end_lineno or 0) - (first or function).lineno + 1


def _statements(function: Function) -> int:
    """Count the lines of what is done; a command's signature is the list of its options."""
    told = ast.get_docstring(function) is not None and len(function.body) > 1
    return _lines(function, function.body[told])


def _catches(module: Path) -> bool:
    """Tell whether a module catches whatever comes."""
    kinds = [node.type for node in _told(module) if isinstance(node, ast.ExceptHandler)]
    names = [n for kind in kinds if kind for n in ast.walk(kind) if isinstance(n, ast.Name)]
    return None in kinds or any(n.id in ("Exception", "BaseException") for n in names)


def test_the_import_names_are_ours_alone() -> None:
    """No other installed distribution ships a package of one of these names."""
    shipped_by = packages_distributions()
    assert {name for room in ROOMS for name in shipped_by.get(room, [])} <= {"firstfault"}


def test_no_module_has_a_name_that_says_nothing() -> None:
    """A module is a noun of the field."""
    assert [str(m) for m in _modules() if m.stem in FORBIDDEN] == []


def test_files_stay_readable() -> None:
    """No file exceeds 400 lines; half are around a hundred or shorter."""
    sizes = {m: m.read_text("utf-8").count("\n") for m in (*_modules(), *_tests())}

    assert {str(m.relative_to(ROOT)): size for m, size in sizes.items() if size > 400} == {}
    assert median(sizes[module] for module in _modules()) <= 130


def test_functions_stay_short() -> None:
    """The median is ten lines at most, the 95th percentile forty; none does more than forty."""
    sizes = [_lines(function) for _, function in _functions(_modules())]
    all_of_them = _functions((*_modules(), *_tests()))

    assert median(sizes) <= 10
    assert quantiles(sizes, n=20)[-1] <= 40
    assert [name for name, function in all_of_them if _statements(function) > 40] == []


def test_whatever_comes_is_caught_at_the_rim_only() -> None:
    """Around one probe, a command line, and where Nagios takes a code for a finding."""
    found = {str(module.relative_to(ROOT)) for module in _modules() if _catches(module)}

    assert found == {
        "tools/collecting.py",
        "integrations/cli/main.py",
    }


def test_every_exception_from_a_rule_has_its_reason() -> None:
    """What silences the linter or the type checker says why, beside it."""
    bare = [
        f"{module.relative_to(ROOT)}:{number}"
        for module in (*_modules(), *_tests())
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
