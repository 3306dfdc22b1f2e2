"""What the kernels and multipathd say of a target whose disk has no path."""

import random

from evals.model import Recording
from evals.scenarios.lustre_ost_eviction.plan import Client, Plan, Target

TAINTED = "5.15.0-134-generic #145-Ubuntu"


def log_disk(recording: Recording, story: Plan, rng: random.Random) -> None:
    """Log how the paths of the disk go one by one, and how they come back."""
    target, server = story.target, story.target.server.name
    lost = (story.first_path, story.last_path)
    for left, (at, path) in zip((1, 0), zip(lost, target.paths, strict=True), strict=True):
        for offset, unit, text in _path_lost(target, path, left, rng):
            recording.log(server, at + offset, unit, text, priority=3 if unit == "kernel" else 5)
    for left, path in enumerate(target.paths, start=1):
        at = story.back + (left - 1) * rng.uniform(2, 6)
        for offset, unit, text in _path_back(target, path, left):
            recording.log(server, at + offset, unit, text, priority=5)


def _path_back(
    target: Target, path: tuple[str, str, str], left: int
) -> tuple[tuple[float, str, str], ...]:
    device, number, scsi = path
    mapped = f"device-mapper: multipath: 253:{target.minor}"
    return (
        (-0.4, "kernel", f"sd {scsi}: Power-on or device reset occurred"),
        (-0.1, "multipathd", f"{target.multipath}: {device} - tur checker reports path is up"),
        (-0.05, "multipathd", f"{number}: reinstated"),
        (-0.03, "kernel", f"{mapped}: Reinstating path {number}."),
        (0.0, "multipathd", f"{target.multipath}: remaining active paths: {left}"),
    )


def _path_lost(
    target: Target, path: tuple[str, str, str], left: int, rng: random.Random
) -> tuple[tuple[float, str, str], ...]:
    device, number, scsi = path
    disk = f"sd {scsi}: [{device}] tag#{rng.randrange(900)}"
    result = "hostbyte=DID_TRANSPORT_DISRUPTED driverbyte=DRIVER_OK cmd_age=31s"
    adapter = "log_info(0x31120303): originator(PL), code(0x12), sub_code(0x0303)"
    command = f"CDB: Write(16) 8a 00 {rng.randrange(10**8, 10**10):016x} 00 00 08 00 00 00"
    mapped = f"device-mapper: multipath: 253:{target.minor}"
    return (
        (-31.2, "kernel", f"mpt3sas_cm0: {adapter}"),
        (-0.4, "kernel", f"{disk} FAILED Result: {result}"),
        (-0.39, "kernel", f"{disk} {command}"),
        (-0.3, "kernel", f"{mapped}: Failing path {number}."),
        (-0.2, "multipathd", f"{target.multipath}: {device} - tur checker reports path is down"),
        (-0.15, "multipathd", f"checker failed path {number} in map {target.multipath}"),
        (0.0, "multipathd", f"{target.multipath}: remaining active paths: {left}"),
    )


def log_server(recording: Recording, story: Plan, rng: random.Random) -> None:
    """Log how the service threads wait, and which clients the server puts out meanwhile."""
    target, server, lost = story.target, story.target.server.name, story.last_path
    own = f"{target.address}@o2ib"
    recording.log(server, recording.since - 8e5, "kernel", f"LNet: Added LNI {own} [8/256/0/180]")
    _hung_task(recording, story, rng)
    for place, (thread, pid) in enumerate(target.threads):
        waited = rng.uniform(200, 202)
        tail = (
            "The thread might be hung, or it might only be slow and will resume later. Dumping the "
            "stack trace for debugging purposes:"
            if place < 3  # noqa: PLR2004 - what the kernel module allows in five minutes
            else "Watchdog stack traces are limited to 3 per 300 seconds, skipping this one."
        )
        text = f"Lustre: {thread}: service thread pid {pid} was inactive for {waited:.3f} seconds."
        begun = lost + rng.uniform(0, 9)
        recording.log(server, begun + waited, "kernel", f"{text} {tail}", priority=4)
        done = story.back + rng.uniform(0.5, 6) - begun
        over = (
            f"LNet: Service thread pid {pid} completed after {done:.2f}s. This indicates the "
            "system was overloaded (too many service threads, or there were not enough hardware "
            "resources)."
        )
        recording.log(server, begun + done, "kernel", over, priority=4)
    for client in story.clients.values():
        _meet(recording, story, client, rng)


def _hung_task(recording: Recording, story: Plan, rng: random.Random) -> None:
    target = story.target
    thread, pid = rng.choice((*target.threads, (f"jbd2/dm-{target.minor}-8", 2210)))
    lines = (
        f"INFO: task {thread}:{pid} blocked for more than 120 seconds.",
        f"      Tainted: P           OE     {TAINTED}",
        '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
        f"task:{thread} state:D stack:    0 pid:{pid} ppid:     2 flags:0x00004000",
    )
    at = story.last_path + rng.uniform(122, 240)
    for offset, text in enumerate(lines):
        recording.log(target.server.name, at + offset * 1e-4, "kernel", text, priority=3)


def _meet(recording: Recording, story: Plan, client: Client, rng: random.Random) -> None:
    """Log what the server says of one client: that it comes again, or that its time is over."""
    target, server = story.target, story.target.server.name
    who = f"Client {client.uuid} (at {client.address}@o2ib) reconnecting"
    recording.log(server, client.timed_out + 0.02, "kernel", f"Lustre: {target.name}: {who}")
    if client.evicted is None:
        return
    text = (
        "LustreError: 0:0:(ldlm_lockd.c:259:expired_lock_main()) ### lock callback timer expired "
        f"after {rng.choice((100, 150, 151))}s: evicting client at {client.address}@o2ib  ns: "
        f"filter-{target.name}_UUID lock: {rng.getrandbits(64):016x}/0x{rng.getrandbits(64):016x} "
        f"lrc: 3/0,0 mode: PW/PW res: [0x{rng.getrandbits(24):x}:0x0:0x0].0x0 rrc: 4 type: EXT "
        "[0->18446744073709551615] (req 0->1048575) flags: 0x60000400000020 nid: "
        f"{client.address}@o2ib remote: 0x{rng.getrandbits(64):016x} expref: "
        f"{rng.randrange(9, 900)} pid: {target.threads[0][1]} timeout: {rng.getrandbits(32)} "
        "lvb_type: 0"
    )
    recording.log(server, client.evicted, "kernel", text, priority=3)


def log_client(recording: Recording, story: Plan, client: Client, rng: random.Random) -> None:
    """Log a client's side: a slow reply, a lost connection, and how it ends."""
    target, name = story.target, client.host.name
    nid, here = f"{target.address}@o2ib", f"{target.name}-{client.device}"
    sent = round(story.last_path + rng.uniform(0, 3))
    deadline = round(client.timed_out)
    slow = (
        f"Lustre: {rng.randrange(2000, 9000)}:0:(client.c:2295:ptlrpc_expire_one_request()) @@@ "
        f"Request sent has timed out for slow reply: [sent {sent}/real {sent}]  "
        f"req@{rng.getrandbits(64):016x} x{rng.randrange(10**15, 10**16)}/t0(0) "
        f"o4->{here}@{nid}:6/4 lens 488/448 e 2 to 1 dl {deadline} ref 2 fl Rpc:X/0/ffffffff "
        "rc 0/-1 job:''"
    )
    lost = (
        f"Lustre: {here}: Connection to {target.name} (at {nid}) was lost; in progress operations "
        "using this service will wait for recovery to complete"
    )
    back = f"Lustre: {here}: Connection restored to {nid} (at {nid})"
    lines = [
        (client.timed_out, slow),
        (client.timed_out + 0.001, lost),
        (client.timed_out + 0.06, back),
    ]
    if client.evicted is not None:
        failed = f"LustreError: 11-0: {here}: operation ost_write to node {nid} failed: rc = -107"
        evicted = (
            f"LustreError: 167-0: {here}: This client was evicted by {target.name}; in progress "
            "operations using this service will fail."
        )
        lines += [
            (client.told - 0.02, failed),
            (client.told - 0.01, lost),
            (client.told, evicted),
            (client.told + 0.2, back),
        ]
    for at, text in lines:
        recording.log(name, at, "kernel", text, priority=3 if "Error" in text else 4)


def write_paths(target: Target) -> str:
    """Write what `multipath -ll` shows afterwards: both paths, one of them with a history."""
    wwid = "360080e50001f5b2c000003a955f0b1c4"
    rows = "".join(
        f"{'`' if place else '|'}- {scsi} {device} {number} active ready running\n"
        for place, (device, number, scsi) in enumerate(target.paths)
    )
    return (
        f"{target.multipath} ({wwid}) dm-{target.minor} NETAPP,INF-01-00\n"
        "size=87T features='3 queue_if_no_path pg_init_retries 50' hwhandler='1 alua' wp=rw\n"
        f"`-+- policy='service-time 0' prio=50 status=active\n{rows}"
    )
