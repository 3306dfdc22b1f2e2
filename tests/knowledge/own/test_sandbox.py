"""What hangs or dies while it is read costs one file."""

import os
import signal

import pytest

from knowledge.errors import DocumentRefusedError
from knowledge.own.draft import Draft
from knowledge.own.sandbox import Sandbox, _answer, open_sandbox


def test_a_reader_that_hangs_or_dies_is_started_anew() -> None:
    """The file is refused with the reason, and the next one is read."""
    with open_sandbox() as sandbox:
        (found,) = sandbox.read(b"# One\n\ntext", "a.md")
        assert isinstance(found, Draft)
        assert found.title == "One"

        with pytest.raises(DocumentRefusedError, match="it is empty"):
            sandbox.read(b"", "a.md")

        assert sandbox._process is not None
        os.kill(sandbox._process.pid or 0, signal.SIGKILL)
        with pytest.raises(DocumentRefusedError, match="within the bounds on memory"):
            sandbox.read(b"# Two\n\ntext", "a.md")

        sandbox.limit_s = 0.0
        with pytest.raises(DocumentRefusedError, match="longer than 0 s"):
            sandbox.read(b"# Three\n\ntext", "a.md")

        sandbox.limit_s = 60.0
        assert sandbox.read(b"# Four\n\ntext", "a.md")


def test_what_is_sent_back_is_plain() -> None:
    """Drafts, or why there are none."""
    assert _answer(b"", "a.md") == {"why": "it is empty"}
    assert "drafts" in _answer(b"text", "a.md")


def test_a_sandbox_that_was_never_asked_starts_nothing() -> None:
    """A list of removals needs no reader."""
    sandbox = Sandbox()
    sandbox.close()
    assert sandbox._process is None
