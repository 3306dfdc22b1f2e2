"""What a new user gets wrong is told with what, which and what to do."""

import os
from pathlib import Path

import pytest

from tests.integrations.cli.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("diagnose", ""), 2, "unset"),
        (("diagnose", "/dev/null"), 2, "neither a file nor a folder"),
        (("diagnose", "empty"), 3, "no file in empty"),
        (("diagnose", "x.log", "--since", "2999-01-01T00:00:00Z"), 2, "lies in the future"),
        (("diagnose", "x.log", "--timeout", "-1"), 2, "--timeout"),
        (("collect", "--since", "2999-01-01T00:00:00Z"), 2, "lies in the future"),
        (("collect", "--out", "x.log"), 2, "x.log is a file"),
        (("collect", "--out", "x.tar.gz"), 2, ".tar.zst only"),
        (("collect", "--out", "none/x.tar.zst"), 3, "There is no folder none"),
        (("compare", "a", "a"), 2, "both a"),
        (("compare", "a", "b", "--from", ""), 2, "unset"),
        (("compare", "a", "b", "--from", "x.log"), 3, "Nothing was found of a and b"),
        (("kb", "show", "nfs-server-not-respondin"), 3, "Did you mean nfs-server-not-responding"),
        (("kb", "search", " "), 2, "QUERY is empty"),
        (("incident", "assign", "I-20250620-1", ""), 2, "USER is empty"),
        (("incident", "note", "I-20250620-1", ""), 2, "TEXT is empty"),
        (("incident", "merge", "I-1", "I-1"), 2, "cannot be merged into itself"),
        (("demo", "--out", "x.log"), 1, "x.log"),
    ],
)
def test_it_is_told_before_anything_is_done(
    run: Run, home: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """Code by the contract, nothing on stdout, a line on stderr and mostly one of advice."""
    (home / "empty").mkdir()
    (home / "x.log").write_text("hello\n")

    done, out, err = run(*arguments)

    assert (done, out) == (code, "")
    assert said in err
    assert err.startswith("firstfault: ")


def test_an_unknown_setting_is_told_with_the_nearest(run: Run, home: Path) -> None:
    """The advice names the file, since no command works until it is mended."""
    (home / "firstfault.toml").write_text("tzz = 1\n")

    code, _, err = run("config", "show")

    assert code == 1
    assert "did you mean tz" in err
    assert "Correct or remove it in firstfault.toml" in err


def test_no_page_found_is_no_table(run: Run) -> None:
    """It says what else to try, on stderr."""
    code, out, err = run("kb", "search", "zzzzqqq")

    assert (code, out) == (0, "")
    assert "No page matches 'zzzzqqq'" in err


@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 40_000, b"A" * 12_000_000, b"hello\n"])
def test_any_bytes_get_an_answer(run: Run, home: Path, content: bytes) -> None:
    """Empty, binary, one huge line, nothing known: inconclusive, never healthy, never a bug."""
    file = home / os.fsdecode(b"n\xff1.log")
    file.write_bytes(content)

    code, out, err = run("diagnose", str(file))

    assert code in (0, 5)
    assert "internal error" not in err
    assert "Healthy" not in out
    assert "INCONCLUSIVE" in out


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        (("--since", "2026-01-01T00:00:00Z"), "2025-06-20 02:20:00Z to 2025-06-20 02:28:24Z"),
        (("--until", "2025-06-01T00:00:00Z"), "2025-06-20 02:20:00Z to 2025-06-20 02:28:24Z"),
        (
            ("--since", "2025-07-30T00:00:00Z", "--until", "2025-07-31T00:00:00Z"),
            "2025-08-01 05:00:00Z to 2025-08-01 05:00:10Z",
        ),
    ],
)
def test_a_window_that_nothing_covers_is_told_what_is_covered(
    run: Run, log: Path, asked: tuple[str, ...], nearest: str
) -> None:
    """A slip in the year or the zone is seen at once."""
    later = log.with_name("later.log")
    later.write_text(
        "2025-08-01T05:00:00+00:00 n1 kernel: nfs: server 10.0.0.10 not responding, timed out\n"
        "2025-08-01T05:00:10+00:00 n1 kernel: nfs: server 10.0.0.10 OK\n"
    )
    paths = [log, later] if "--since" in asked and "--until" in asked else [log]
    code, _, err = run("diagnose", *map(str, paths), *asked)
    assert code == 3
    assert f"the nearest covers {nearest}." in err
    code, out, _ = run("diagnose", *map(str, paths), *asked, "-o", "json")
    assert f"the nearest covers {nearest}." in out


def test_a_verdict_on_nothing_readable_says_so(run: Run, home: Path) -> None:
    """Empty files and bytes that no reader knows are no look at anything."""
    (home / "empty.log").touch()
    (home / "junk.bin").write_bytes(bytes(range(256)) * 20)
    for names in (["empty.log"], ["junk.bin"], ["empty.log", "junk.bin"]):
        _, out, _ = run("diagnose", *names)
        assert "Nothing readable was given" in out
    (home / "plain.txt").write_text("hello world\n")
    assert "Nothing readable" not in run("diagnose", "empty.log", "plain.txt")[1]
