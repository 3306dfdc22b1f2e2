"""Journal entries as `journalctl -o export` writes them."""

from evals.model import KERNEL, Entry, Host

_SYSLOG = frozenset({"CRON", "sshd", "smartd"})
"""Programs that log through syslog, not through their unit's standard output."""


def _carrier(host: Host, entry: Entry) -> str:
    if entry.unit == KERNEL:
        return "_TRANSPORT=kernel\nSYSLOG_FACILITY=0\nSYSLOG_IDENTIFIER=kernel\n"
    pid = entry.pid or 700 + (sum(entry.unit.encode()) * 7 + len(host.name)) % 3000
    unit = "init.scope" if entry.unit == "systemd" else f"{entry.unit}.service"
    transport = "syslog" if entry.unit in _SYSLOG else "stdout"
    return (
        f"_TRANSPORT={transport}\nSYSLOG_IDENTIFIER={entry.unit}\n_SYSTEMD_UNIT={unit}\n"
        f"_PID={pid}\n_UID=0\n_COMM={entry.unit[:15]}\n"
    )


def _boot(host: Host, at: float) -> tuple[str, float]:
    """Return the boot in which an entry was written, and when that began."""
    if host.before and at < host.booted:
        return host.before.id, host.before.booted
    return host.boot_id, host.booted


def _message(text: str) -> bytes:
    if "\n" not in text:
        return f"MESSAGE={text}\n".encode()
    body = text.encode()
    return b"MESSAGE\n" + len(body).to_bytes(8, "little") + body + b"\n"


def export(host: Host, entries: list[Entry]) -> bytes:
    """Return one host's journal in the export format, in the order of its stamps."""
    parts: list[bytes] = []
    for number, entry in enumerate(sorted(entries, key=lambda entry: entry.at), start=1):
        stamp = round((entry.at + host.clock_offset_s) * 1e6)
        boot, booted = _boot(host, entry.at)
        mono = max(round((entry.at - booted) * 1e6), 1)
        head = (
            f"__CURSOR=s={host.machine_id};i={number:x};b={boot};m={mono:x};t={stamp:x}\n"
            f"__REALTIME_TIMESTAMP={stamp}\n__MONOTONIC_TIMESTAMP={mono}\n"
            f"_BOOT_ID={boot}\n_MACHINE_ID={host.machine_id}\n_HOSTNAME={host.name}\n"
            f"PRIORITY={entry.priority}\n{_carrier(host, entry)}"
        )
        parts += (head.encode(), _message(entry.text), b"\n")
    return b"".join(parts)
