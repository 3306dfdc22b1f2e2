"""What hung is told as a finding: which commands, where, for how long."""

import pytest

from integrations.rendering.content import plain
from integrations.rendering.hangs import find_hangs, read_wait, tell_hang
from integrations.wording.words import load_words
from tools.evidence import Evidence


def _hung(number: int, command: str, target: str, detail: str = "10") -> Evidence:
    return Evidence(
        id=f"E{number}",
        source="host",
        command=command,
        target=target,
        outcome="hung",
        detail=detail,
    )


def test_commands_that_hung_on_the_same_hosts_stand_together() -> None:
    """Thirty nodes are one line."""
    items = [
        _hung(2 * n + k, command, f"n{n}")
        for n in range(5)
        for k, command in enumerate(("df -h", "ls /data"))
    ]
    (hang,) = find_hangs([*items, Evidence(id="E99", source="host", command="uptime")])

    assert hang.commands == ("df -h", "ls /data")
    assert len(hang.targets) == 5
    said = plain(tell_hang(hang, load_words("en")))
    assert said.startswith("df -h, ls /data · no answer within 10 s · on 5 hosts: n0, n1, n2, …")
    assert "10 秒内无返回" in plain(tell_hang(hang, load_words("zh")))


def test_hosts_that_differ_stand_apart() -> None:
    """Each line is true as it stands."""
    found = find_hangs([_hung(1, "df", "a"), _hung(2, "ls", "b")])

    assert [hang.targets for hang in found] == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("detail", "waited"),
    [("10", "10"), ("given up after 10 s", "10"), ("not run again: still hung", ""), ("", "")],
)
def test_the_wait_is_read_from_either_form(detail: str, waited: str) -> None:
    """A manifest may hold a sentence, a bare number or neither."""
    assert read_wait(_hung(1, "df", "a", detail)) == waited


def test_an_unknown_wait_is_not_invented() -> None:
    """It then says that nothing came back."""
    (hang,) = find_hangs([_hung(1, "df", "a", "")])

    assert "did not return" in plain(tell_hang(hang, load_words("en")))
