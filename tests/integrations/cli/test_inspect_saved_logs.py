"""The checks on logs that were saved, without a manifest and without a metrics server."""

import json
from pathlib import Path

import pytest

from tests.integrations.cli.conftest import Run, load

FIRST = "2026-11-30T02:14:00.100000+00:00 gpu-01 kernel: "
XID = "NVRM: Xid (PCI:0000:97:00): {}, pid=412, name=python3, {}"
LINK = FIRST + "mlx5_core 0000:1a:00.0: firmware version: 28.39.1002\n"


def level(run: Run, text: str, folder: Path) -> tuple[str, str]:
    """Return the level and the words of the check of Xids over one log."""
    (folder / "a.log").write_text(text)
    _, out, _ = run("inspect", str(folder), "--only", "no-new-xid", "-o", "json")
    items = load(out)["items"]
    assert isinstance(items, list)
    return items[0]["level"], items[0]["findings"][0]["text"]


@pytest.mark.parametrize(
    "line",
    [
        XID.format(79, "GPU has fallen off the bus."),
        XID.format(94, "Contained: FB DED (0x3, 0x1). RST: No, D-RST: Yes"),
        XID.format(16, "Head 00000003 Count 0023070b"),
    ],
)
def test_an_xid_in_a_saved_kernel_log_is_found(run: Run, tmp_path: Path, line: str) -> None:
    """By the handbook, also one that it does not explain."""
    found, words = level(run, f"{FIRST}{line}\n", tmp_path)
    assert found == "critical"
    assert line in words


def test_a_kernel_log_without_one_was_read(run: Run, tmp_path: Path) -> None:
    """It needs no metrics server to be well."""
    assert level(run, LINK, tmp_path) == ("ok", "none")


def test_where_no_kernel_spoke_nothing_is_known(run: Run, tmp_path: Path) -> None:
    """A service's log, or a quotation in a ticket, is no kernel log."""
    service = "2026-11-30T02:14:00+00:00 gpu-01 sshd[77]: Accepted publickey for ann\n"
    assert level(run, service, tmp_path)[0] == "unknown"


def test_a_capture_that_hung_is_a_finding_whoever_took_it(run: Run, tmp_path: Path) -> None:
    """Also one whose manifest does not say by which probe."""
    line = {"path": "host/gpu-02/df.txt", "command": "df -h", "target": "gpu-02",
            "outcome": "hung", "started": "2026-11-30T02:10:00Z"}  # fmt: skip
    (tmp_path / "host" / "gpu-02").mkdir(parents=True)
    (tmp_path / "host" / "gpu-02" / "df.txt").write_text("")
    (tmp_path / "manifest.jsonl").write_text(json.dumps(line) + "\n")
    code, out, _ = run("inspect", str(tmp_path), "--only", "hung-commands")
    assert code == 2
    assert "df -h did not return\n" in out
