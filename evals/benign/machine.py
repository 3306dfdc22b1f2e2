"""A small virtual machine: the kernel with all its debug lines, and Debian's systemd on it.

It is a machine of its own, and not a container, since an init that shares the host's files clears
the host's /tmp and sets the owners of its devices.
"""

import os
import shutil
import subprocess
from pathlib import Path

from evals.benign.component import Component
from evals.benign.room import Room
from evals.errors import ReplayError

_BOOT_S = 240.0
_NOWHERE = Path("/dev/null")
_MODULES = (
    "kernel",
    "drivers/pci",
    "drivers/base",
    "drivers/acpi",
    "fs",
    "net",
    "mm",
    "lib",
    "block",
)
_PACKAGES = (
    "base-files base-passwd bash dash coreutils util-linux mount login passwd systemd systemd-sysv "
    "udev kmod dbus dbus-daemon dbus-bin dbus-system-bus-common libc6 libc-bin cron "
    "cron-daemon-common logrotate grep sed findutils hostname procps netbase debianutils "
    "libpam-modules libpam-runtime libpam-modules-bin openssh-server chrony rsyslog"
)
_LEFT_OUT = ("/usr/share/doc", "/usr/share/man", "/usr/share/locale", "/usr/share/zoneinfo")
_TELL = r"""[Unit]
Description=Tell the journal
After=basic.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'sleep 2; stty -F /dev/ttyS1 raw -echo clocal; \
systemctl restart cron; \
journalctl -b -a --no-pager -o short-precise >/dev/ttyS1; systemctl poweroff --force --force'
StandardOutput=journal
[Install]
WantedBy=multi-user.target
"""


def _kernel(room: Room) -> None:
    kernel = _find_kernel()
    watched = "; ".join(f"file {place}/* +p" for place in _MODULES)
    said = f'ignore_loglevel initcall_debug log_buf_len=16M panic=-1 dyndbg="{watched}"'
    _boot(room, kernel, _initrd(kernel), said, console=room.logs / "kernel-console.log")


def _systemd(room: Room) -> None:
    image = room.folder / "root.cpio"
    _pack(_lay_out(room), image)
    said = "rdinit=/lib/systemd/systemd systemd.log_level=debug udev.log_level=debug"
    _boot(room, _find_kernel(), image, said, journal=room.logs / "journal.log")


def _find_kernel() -> Path:
    found = sorted(Path("/boot").glob("vmlinuz-*"))
    if not found:
        raise ReplayError("no kernel in /boot: apt-get install linux-image-cloud-amd64")
    return found[-1]


def _initrd(kernel: Path) -> Path:
    return kernel.with_name(kernel.name.replace("vmlinuz", "initrd.img"))


def _boot(
    room: Room,
    kernel: Path,
    initrd: Path,
    said: str,
    *,
    console: Path = _NOWHERE,
    journal: Path = _NOWHERE,
) -> None:
    """Boot without network or disk until it powers off; the two serial ports are files."""
    room.run(
        "", "qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-m", "1536",
        "-nic", "none", "-display", "none", "-no-reboot", "-monitor", "none",
        "-serial", f"file:{console}", "-serial", f"file:{journal}",
        "-kernel", str(kernel), "-initrd", str(initrd),
        "-append", f"console=ttyS0 tsc=reliable {said}",
        limit_s=_BOOT_S,
    )  # fmt: skip


def _lay_out(room: Room) -> Path:
    """Copy the files of a minimal Debian, with the libraries that its programs need."""
    root = room.folder / "root"
    root.mkdir()
    listed = subprocess.run(
        ["dpkg", "-L", *_PACKAGES.split()], capture_output=True, text=True, check=False
    ).stdout
    names = {name for name in listed.splitlines() if name.startswith("/")}
    names = {name for name in names if not name.startswith(_LEFT_OUT)}
    programs = [name for name in names if Path(name).is_file() and _runs(name)]
    linked = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    libraries = {word for word in linked.split() if word.startswith("/") and ".so" in word}
    names |= libraries | {str(Path(name).resolve()) for name in libraries}
    chosen = {_straight(Path(name.rstrip(":"))) for name in names}
    pipe = f"tar --no-recursion --ignore-failed-read -cf - -T - | tar -xf - -C {root}"
    text = "\n".join(sorted({*chosen, "bin", "sbin", "lib", "lib64"} - {""}))
    subprocess.run(["sh", "-c", pipe], input=text, text=True, check=False, cwd="/")
    for name in ("passwd", "group", "nsswitch.conf", "debian_version"):
        shutil.copy2(Path("/etc") / name, root / "etc" / name)
    units = root / "etc/systemd/system"
    (units / "multi-user.target.wants").mkdir(parents=True, exist_ok=True)
    (units / "tell.service").write_text(_TELL)
    (units / "multi-user.target.wants/tell.service").symlink_to("../tell.service")
    (units / "multi-user.target.wants/cron.service").symlink_to("/lib/systemd/system/cron.service")
    (units / "default.target").symlink_to("/lib/systemd/system/multi-user.target")
    (root / "etc/hostname").write_text("gpu-n01\n")
    (root / "etc/machine-id").write_text("")
    return root


def _runs(name: str) -> bool:
    """Tell whether a file is a program or library that may need others."""
    return ("bin/" in name or "/systemd" in name or ".so" in name) and os.access(name, os.X_OK)


def _straight(path: Path) -> str:
    """Name a file by the folder that really holds it, below /."""
    return str(path.parent.resolve() / path.name).lstrip("/")


def _pack(root: Path, image: Path) -> None:
    subprocess.run(
        ["sh", "-c", f"find . | cpio -o -H newc --quiet > {image}"], cwd=root, check=True
    )


_PROGRAMS = ("qemu-system-x86_64", "cpio")
_PACKAGED = "qemu-system-x86 linux-image-cloud-amd64 cpio"
COMPONENTS = (
    Component("kernel", _PROGRAMS, _PACKAGED, _kernel),
    Component("systemd", (*_PROGRAMS, "dpkg"), _PACKAGED, _systemd, root=True),
)
