"""Errors speak the reader's language where somebody wrote it down."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from integrations.cli.main import call
from integrations.wording.errors import say_in_chinese


def test_what_varies_is_kept() -> None:
    """Names stay as they are, braces in them too."""
    assert say_in_chinese("There is no file or folder a{0}.log.") == "没有文件或文件夹 a{0}.log。"
    assert say_in_chinese("--since 2h lies in the future: X") == "--since 2h 在将来：X"


def test_an_unknown_sentence_stays_english() -> None:
    """Better than none."""
    assert say_in_chinese("Something else.") == "Something else."


@pytest.mark.parametrize("arguments", [("--lang", "zh"), ("--lang=zh",)])
def test_a_flag_chooses_the_language(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """The flag counts even though the command came to nothing."""
    assert call(["diagnose", "nosuch.log", *arguments]) == 3
    assert "没有文件或文件夹 nosuch.log" in capsys.readouterr().err


def test_the_locale_chooses_it_where_no_flag_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document for programs stays as it is."""
    monkeypatch.delenv("FIRSTFAULT_LANG", raising=False)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    call(["diagnose", "nosuch.log"])
    assert "没有文件或文件夹" in capsys.readouterr().err
    call(["diagnose", "nosuch.log", "-o", "json"])
    assert "There is no file" in capsys.readouterr().out
    call(["diagnose", "nosuch.log", "--lang", "en"])
    assert "There is no file" in capsys.readouterr().err


_CHECKS = ("source_checks", "site_checks", "survival_checks", "shared_checks")


def _said_by_the_doctor() -> Iterator[str]:
    """Every text that an examination gives to a check, with X for what varies."""
    for name in _CHECKS:
        source = (Path("assistant") / f"{name}.py").read_text("utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Check":
                yield from (t for k in node.keywords if k.arg != "state" for t in _texts(k.value))


def _texts(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.JoinedStr(values):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "X" for v in values)
        case ast.IfExp(_, body, orelse):
            yield from (*_texts(body), *_texts(orelse))


def test_all_that_the_doctor_says_is_said_in_chinese() -> None:
    """Names of products and of what varies may stay."""
    sentences = set(_said_by_the_doctor())

    assert len(sentences) > 40
    assert sorted(s for s in sentences if say_in_chinese(s) == s and s.strip("X: ")) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("diagnoze",),
        ("diagnose", "--nope"),
        ("diagnose", "-o", "pdf", "x"),
        ("kb", "show"),
        ("compare", "a", "b", "c"),
        ("collect", "--deadline", "x"),
        ("kb", "search", "a", "-k", "0"),
        ("compare", "a", "a"),
    ],
)
def test_what_is_wrong_with_a_command_line_is_said_in_chinese(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what the framework says of it."""
    monkeypatch.setenv("FIRSTFAULT_LANG", "zh")
    assert call(arguments) == 2
    assert re.search("[一-鿿]", capsys.readouterr().err.splitlines()[0])


def test_parts_of_a_sentence_are_said_in_chinese_too() -> None:
    """A reason in a reason."""
    said = say_in_chinese("read as UTC+08:00: 1 happening that a clock of known zone stamped too")

    assert said == "按 UTC+08:00 解读：有 1 件事，时区已知的时钟也记录了"
