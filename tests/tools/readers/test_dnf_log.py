"""The transactions that dnf and yum write to files of their own."""

from tests.tools.readers.conftest import Read

DNF = """\
2026-03-02T06:20:58+0000 INFO --- logging initialized ---
2026-03-02T06:21:45+0100 SUBDEBUG Upgrade: kmod-nvidia-latest-dkms-3:550.127.05-1.el9.x86_64
2026-03-02T06:21:52Z SUBDEBUG Upgraded: kmod-nvidia-latest-dkms-3:550.90.07-1.el9.x86_64
"""
YUM = """\
Mar 02 06:21:44 Updated: 3:kmod-nvidia-latest-dkms-550.127.05-1.el7.x86_64
Mar 02 06:21:48 Updated: 3:nvidia-driver-latest-libs-550.127.05-1.el7.x86_64
"""


def test_a_level_of_dnf_is_no_host(read: Read) -> None:
    """dnf.rpm.log has a level where syslog has a host."""
    reads = read(DNF, literals=("Upgrade",))
    told = [(r.channel, r.unit, r.text.split("-")[0]) for r in reads.records]
    assert told == [("service", "dnf", "Upgrade: kmod"), ("service", "dnf", "Upgraded: kmod")]
    assert reads.records[0].host != "SUBDEBUG"
    times = [r.time.utc.isoformat() for r in reads.records if r.time]
    assert times == ["2026-03-02T05:21:45+00:00", "2026-03-02T06:21:52+00:00"]


def test_an_action_of_yum_is_no_host(read: Read) -> None:
    """yum.log has an action where syslog has a host."""
    reads = read(YUM, now="2026-03-03T00:00:00Z", literals=("Updated",))
    first = reads.records[0]
    assert (first.channel, first.unit) == ("service", "yum")
    assert first.text.startswith("Updated: 3:kmod-nvidia")
    assert first.host != "Updated:"
    assert first.time is not None
    assert first.time.utc.year == 2026


def test_a_program_that_logs_levels_is_not_dnf(read: Read) -> None:
    """A trainer writes INFO behind a stamp too, and says nothing of packages."""
    trainer = "2026-03-02T06:21:52Z INFO Upgraded the learning rate\n" * 4
    (first, *_) = read(trainer, literals=("Upgrade",)).records
    assert first.unit != "dnf"
