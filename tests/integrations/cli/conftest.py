"""A command line whose home, data and configuration are its own."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from integrations.cli.main import call
from tests.kept_pages import cache_home

Run = Callable[..., tuple[int, str, str]]

LOG = """\
2025-06-20T02:20:00+00:00 astra-gpu-07 systemd[1]: Started Session 4 of user root.
2025-06-20T02:26:24+00:00 astra-gpu-07 kernel: nfs: server 10.0.0.10 not responding, still trying
2025-06-20T02:28:24+00:00 astra-gpu-07 kernel: nfs: server 10.0.0.10 OK
"""


@pytest.fixture(scope="session", name="cache")
def _cache() -> Path:
    """Where validated pages are kept: reading the handbook anew is not what each test is about."""
    return cache_home()


@pytest.fixture(name="home")
def _home(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith(("FIRSTFAULT_", "OPENAI_", "XDG_", "LC_", "LANG")):
            monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(name="run")
def _run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    assert home

    def run(*arguments: str) -> tuple[int, str, str]:
        code = call(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture(name="log")
def _log(home: Path) -> Path:
    file = home / "node7.log"
    file.write_text(LOG)
    return file


def load(out: str) -> dict[str, object]:
    """Read stdout as the one JSON document it must be."""
    document: dict[str, object] = json.loads(out)
    return document
