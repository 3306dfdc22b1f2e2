"""Comparing by name: a node that the evidence does not know is no node to compare with."""

from pathlib import Path

from tests.integrations.cli.conftest import Run

LINE = "2026-03-02T04:00:00+00:00 {} kernel: {}\n"
BOOT = "Linux version 5.15.0-107-generic (buildd@lcy02) (gcc 11.4.0) #1 SMP"


def test_a_peer_that_is_nowhere_is_an_error(run: Run, tmp_path: Path) -> None:
    """Its sameness is not unknown: there is no such host."""
    (tmp_path / "a.log").write_text(LINE.format("gpu-01", BOOT) + LINE.format("gpu-02", "x"))
    code, _, err = run("compare", "gpu-01", "gpu-99", "--from", str(tmp_path))

    assert code == 3
    assert "Nothing was found of gpu-99." in err
    assert "it speaks of: gpu-01" in err


def test_two_that_are_only_named_cannot_be_compared(run: Run, tmp_path: Path) -> None:
    """Their logs name them and tell nothing of how they are made."""
    for host in ("gpu-01", "gpu-09"):
        (tmp_path / f"{host}.log").write_text(LINE.format(host, "docker0: port 1(veth1) up"))
    code, _, err = run("compare", "gpu-01", "gpu-09", "--from", str(tmp_path))

    assert code == 3
    assert "Nothing to compare was found of gpu-01 and gpu-09." in err


def test_a_peer_that_is_named_but_tells_nothing_is_unknown(run: Run, tmp_path: Path) -> None:
    """It exists; what it is made of was not seen."""
    (tmp_path / "a.log").write_text(LINE.format("gpu-01", BOOT))
    (tmp_path / "b.log").write_text(LINE.format("gpu-02", "docker0: port 1(veth1) up"))
    code, out, _ = run("compare", "gpu-01", "gpu-02", "--from", str(tmp_path))

    assert code == 0
    assert "?" in out
