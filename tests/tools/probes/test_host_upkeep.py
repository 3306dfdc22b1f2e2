"""What keeps a host watched is read where operators put it."""

from collections.abc import Callable
from pathlib import Path

from tools.context import ProbeContext
from tools.probes.host_upkeep import host_health_checks, host_journal_reach, host_packages
from tools.request import Request

Program = Callable[[str, str], Path]


def test_health_checks_are_read_and_links_are_not_followed(
    context: ProbeContext, tmp_path: Path
) -> None:
    """A link may lead to the very mount that hangs."""
    root = tmp_path / "root"
    (root / "usr/local/bin").mkdir(parents=True)
    (root / "etc/systemd/system").mkdir(parents=True)
    (root / "usr/local/bin/gpu-healthcheck.sh").write_text("#!/bin/sh\n")
    (root / "usr/local/bin/nodehealth").symlink_to("/nowhere")
    (root / "etc/systemd/system/gpu-health.service").write_text("[Service]\nExecStart=/bin/true\n")
    context.root = root
    commands = {each.command for each in host_health_checks(Request(), context)}

    assert commands == {
        "cat /usr/local/bin/gpu-healthcheck.sh", "cat /etc/systemd/system/gpu-health.service",
    }  # fmt: skip


def test_the_journal_and_the_packages_are_asked_by_read_only_commands(
    context: ProbeContext, program: Program
) -> None:
    """The exact commands are kept, for anyone to repeat."""
    program("journalctl", "#!/bin/sh\necho File path: x\n")
    program("dpkg-query", "#!/bin/sh\necho nvidia-x 1\n")
    captures = [*host_journal_reach(Request(), context), *host_packages(Request(), context)]

    assert [each.command.split(" ")[:2] for each in captures] == [
        ["journalctl", "--header"], ["dpkg-query", "-W"],
    ]  # fmt: skip
    assert {each.outcome for each in captures} == {"ok"}
