"""Expressions that wait to be compiled behave as compiled ones."""

import re
import subprocess
import sys

import pytest

from tools.late_patterns import compile_late


def test_a_late_pattern_answers_as_a_compiled_one() -> None:
    """Every question that is asked of an expression, at its first and at its second time."""
    for _ in range(2):
        late, now = compile_late(r"(?P<n>\d+)", re.ASCII), re.compile(r"(?P<n>\d+)", re.ASCII)
        found = late.search("ab 12 c 3")
        assert found is not None
        assert found["n"] == "12"
        assert late.findall("1 2") == now.findall("1 2")
        assert late.sub("x", "a1") == "ax"
        assert late.match("a") is None
        assert (late.pattern, late.flags, late.groupindex) == (
            now.pattern,
            now.flags,
            now.groupindex,
        )


def test_bytes_are_searched_too() -> None:
    """Readers look at bytes before they decode them."""
    assert compile_late(rb"^a", re.MULTILINE).findall(b"a\na") == [b"a", b"a"]


def test_a_broken_expression_is_told_when_it_is_used() -> None:
    """Nothing hides it."""
    late = compile_late("(")
    with pytest.raises(re.error):
        late.search("")


def test_a_module_compiles_nothing_until_its_reader_reads() -> None:
    """To find every reader must not cost what only reading needs."""
    code = (
        "import re._compiler as c, sys\n"
        "made = []\n"
        "compile = c.compile\n"
        "c.compile = lambda p, flags=0: made.append(p) or compile(p, flags)\n"
        "from tools.readers import nvidia_smi, nvidia_smi_rows, ibstat, perfquery\n"
        "print(any('FW_Ver' in str(p) or 'GPU-[0-9a-f]' in str(p) for p in made))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
