"""Errors speak the reader's language where somebody wrote it down."""

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
