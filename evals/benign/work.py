"""What developers' and packagers' programs print when asked to tell everything."""

import sys
from textwrap import dedent

from evals.benign.component import Component
from evals.benign.room import Room
from evals.replay.ports import find_port

_COMMITS = 150
_NODE = """
const http = require('http');
const server = http.createServer((q, a) => a.end('ok'));
let left = 40;
const next = (port) => http.get({ host: '127.0.0.1', port, path: '/step/' + left }, (a) => {
  a.resume();
  a.on('end', () => (left-- > 0 ? next(port) : server.close()));
});
server.listen(0, '127.0.0.1', () => next(server.address().port));
"""
_CLIENT = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout,
    format="%(asctime)s %(levelname)s %(name)s:%(lineno)d %(message)s")
import httpx
with httpx.Client() as talk:
    for step in range(700):
        talk.get(f"http://127.0.0.1:{sys.argv[1]}/runs/{step % 11}/loss?step={step}",
                 headers={"Connection": "close"} if step % 5 == 0 else {})
"""
_SERVER = """
import sys, uvicorn
async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="trace", lifespan="off")
"""
_TRAIN = """
import concurrent.futures, logging, math, random, sys, multiprocessing
multiprocessing.log_to_stderr(logging.DEBUG)
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout,
    format="%(asctime)s [rank%(process)d] %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("trainer")

def step(at):
    rng = random.Random(at)
    point = [rng.gauss(0, 1) for _ in range(200)]
    return math.fsum(x * x for x in point) / (1 + at)

if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as ranks:
        for at, loss in enumerate(ranks.map(step, range(3000), chunksize=50)):
            log.info("epoch %d step %d loss %.4f lr %.2e grad_norm %.3f tokens/s %.0f",
                     at // 500, at, loss, 3e-4 * math.exp(-at / 900), loss ** .5, 9e3 + at)
            if at % 500 == 499:
                log.info("saved checkpoint step-%d to out/step-%d.pt", at, at)
"""


def _git(room: Room) -> None:
    room.variables |= {
        "GIT_TRACE": "1",
        "GIT_TRACE_PACKET": "1",
        "GIT_TRACE_SETUP": "1",
        "GIT_TRACE_PERFORMANCE": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    mail = ("-c", "user.name=ops", "-c", "user.email=ops@rig.test", "-c", "gc.auto=0")
    ours = room.folder / "ours"
    room.run("git.log", "git", "init", "-q", "-b", "main", str(ours))
    for number in range(_COMMITS):
        argv = ("git", *mail, "-C", str(ours), "commit", "-q", "--allow-empty", "-m", f"{number}")
        room.run("git.log", *argv)
        room.run("git.log", "git", "-C", str(ours), "tag", f"v{number}")
    for number in range(14):
        theirs = room.folder / f"theirs-{number}"
        room.run("git.log", "git", "clone", "-q", f"file://{ours}", str(theirs))
        room.run("git.log", "git", "-C", str(theirs), "fetch", "--all", "--prune")


def _node(room: Room) -> None:
    room.variables["NODE_DEBUG"] = "http,net,stream,timer"
    room.run("node.log", "node", "-e", _NODE)


def _python(room: Room) -> None:
    port = find_port()
    room.write("server.py", dedent(_SERVER))
    room.write("client.py", dedent(_CLIENT))
    room.write("train.py", dedent(_TRAIN))
    room.start("uvicorn.log", sys.executable, "server.py", str(port))
    room.await_port(port)
    room.run("httpx.log", sys.executable, "client.py", str(port))
    room.run("train.log", sys.executable, "train.py")


def _apt(room: Room) -> None:
    debug = ("Marker", "AutoInstall")
    flags = [part for name in debug for part in ("-o", f"Debug::pkgDepCache::{name}=1")]
    flags += ["-o", "Debug::pkgProblemResolver=1", "-o", "Debug::pkgOrderList=1"]
    room.run("apt.log", "apt-get", "-s", *flags, "install", "--reinstall", "bash")


def _dpkg(room: Room) -> None:
    """Take what this machine's dpkg wrote while packages were installed."""
    room.run("dpkg.log", "cat", "/var/log/dpkg.log")


def _chromium(room: Room) -> None:
    page = room.write("page.html", "<h1>Runs</h1><script>console.log('drawn')</script>")
    room.run(
        "chromium.log", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
        "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--v=2",
        f"--user-data-dir={room.folder}/profile", "--dump-dom", f"file://{page}",
    )  # fmt: skip


COMPONENTS = (
    Component("git", ("git",), "git", _git),
    Component("node", ("node",), "nodejs", _node),
    Component("python", (), "python3", _python),
    Component("apt", ("apt-get",), "apt", _apt),
    Component("dpkg", ("dpkg",), "dpkg", _dpkg),
    Component("chromium", ("chromium",), "chromium", _chromium),
)
