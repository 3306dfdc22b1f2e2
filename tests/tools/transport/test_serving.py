"""A node's agent gives its bundle to whoever brings the token, and nothing else to anybody."""

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from tools.capture import Capture
from tools.collecting import collect
from tools.context import ProbeContext
from tools.errors import AgentRefusedError
from tools.evidence import Window
from tools.hangs import Hangs
from tools.request import Request
from tools.shell import Shell
from tools.transport.agent import Agent as Caller
from tools.transport.port import Look
from tools.transport.serving import Agent, Offer
from tools.workspace import Workspace

TOKEN = "a-long-random-word"
SINCE = datetime(2025, 6, 20, 2, tzinfo=UTC)
WINDOW = Window(since=SINCE)


class Scripted:
    """A host with one look."""

    name = "scripted"

    def __init__(self, act: Callable[[], bytes] = lambda: b"password=hunter2\n") -> None:
        self.act = act
        self.windows: list[Window] = []

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        self.windows.append(request.window)
        yield Look("notes", "host", context.host, 0, partial(self._run, context))

    def _run(self, context: ProbeContext) -> Iterator[Capture]:
        yield context.store(
            self.act(), source="host", path=f"host/{context.host}/notes.txt", command="cat notes"
        )


@pytest.fixture(name="token")
def _token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    return file


@contextmanager
def serving(host: Scripted, token: Path | None, **limits: float) -> Iterator[Agent]:
    def context(folder: Path) -> ProbeContext:
        return ProbeContext(Workspace(folder), host="n7", shell=Shell(Hangs()))

    offer = Offer(
        lambda window: Request(window=window),
        context,
        token_file=token,
        transports=(host,),
        **limits,  # type: ignore[arg-type]  # mixed keywords
    )
    with Agent("127.0.0.1", 0, offer) as agent:
        threading.Thread(target=agent.serve_forever, args=(0.02,), daemon=True).start()
        yield agent
        agent.shutdown()


def ask(
    agent: Agent, path: str = "/bundle", method: str = "GET", token: str = TOKEN
) -> tuple[int, bytes]:
    call = http.client.HTTPConnection("127.0.0.1", agent.server_port, timeout=20)
    try:
        call.request(method, path, headers={"Authorization": f"Bearer {token}"} if token else {})
        answer = call.getresponse()
        return answer.status, answer.read()
    finally:
        call.close()


def fetch(agent: Agent, folder: Path, token: Path | None) -> list[Capture]:
    """Ask as the product does."""
    context = ProbeContext(Workspace(folder), shell=Shell(Hangs()))
    place = f"http://127.0.0.1:{agent.server_port}/bundle"
    caller = Caller({"n7": place}, token_file=str(token or ""), limit_s=8)
    collect(Request(window=WINDOW), context, transports=[caller])
    return list(context.workspace.captures())


def test_the_agents_bundle_arrives_masked_and_for_the_window_asked_for(
    token: Path, tmp_path: Path
) -> None:
    host = Scripted()
    with serving(host, token) as agent:
        notes, verdict = fetch(agent, tmp_path / "look", token)

    assert (notes.target, notes.outcome, verdict.outcome) == ("n7", "ok", "ok")
    assert (tmp_path / "look" / notes.path).read_bytes() == b"password=<masked>\n"
    assert host.windows == [WINDOW]


@pytest.mark.parametrize("given", ["", "wrong", TOKEN[:-1]])
def test_without_the_token_nothing_is_collected(token: Path, tmp_path: Path, given: str) -> None:
    host = Scripted()
    other = tmp_path / "other"
    other.write_text(given)
    with serving(host, token) as agent:
        assert ask(agent, token=given)[0] == 401
        (verdict,) = fetch(agent, tmp_path / "look", other if given else None)

    assert verdict.outcome == "denied"
    assert host.windows == []


def test_a_token_can_be_changed_under_way(token: Path) -> None:
    with serving(Scripted(), token) as agent:
        token.write_text("another")

        assert ask(agent)[0] == 401
        assert ask(agent, token="another")[0] == 200
        token.unlink()
        assert ask(agent, token="")[0] == 401


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
def test_nothing_but_get_is_understood(token: Path, method: str) -> None:
    host = Scripted()
    with serving(host, token) as agent:
        assert ask(agent, method=method)[0] == 405

    assert host.windows == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/healthz", 200),
        ("/", 404),
        ("/bundle/../etc/passwd", 404),
        ("/bundle?since=yesterday", 400),
        ("/bundle?since=2025-06-20T02:00:00", 400),
        ("/bundle?deadline=soon", 400),
    ],
)
def test_only_what_is_served_is_served(token: Path, path: str, status: int) -> None:
    host = Scripted()
    with serving(host, token) as agent:
        assert ask(agent, path)[0] == status

    assert host.windows == []


def test_one_collection_at_a_time(token: Path) -> None:
    entered, release = threading.Event(), threading.Event()

    def slow() -> bytes:
        entered.set()
        release.wait(10)
        return b"x"

    with serving(Scripted(slow), token) as agent:
        first: list[int] = []
        caller = threading.Thread(target=lambda: first.append(ask(agent)[0]))
        caller.start()
        assert entered.wait(5)
        assert ask(agent)[0] == 429
        assert ask(agent, "/healthz")[0] == 200
        release.set()
        caller.join(5)
        assert first == [200]
        assert ask(agent)[0] == 200


def test_a_collection_ends_at_the_deadline_and_gives_what_there_is(
    token: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.collecting._GRACE_S", 0.1)
    monkeypatch.setattr("tools.transport.serving._LEAST_S", 0.2)
    release, over = threading.Event(), threading.Event()

    def stuck() -> bytes:
        release.wait()
        over.set()
        return b"late"

    with serving(Scripted(stuck), token, deadline_s=0.5) as agent:
        captures = fetch(agent, tmp_path / "look", token)
        waited = over.is_set()
        release.set()

    assert not waited, "the answer came while the look still hung"
    assert [each.outcome for each in captures] == ["hung", "ok"]
    assert "deadline" in captures[0].detail


def test_the_size_cap_holds(token: Path, tmp_path: Path) -> None:
    with serving(Scripted(lambda: b"y" * 5000), token, size_cap=1000) as agent:
        notes, _ = fetch(agent, tmp_path / "look", token)

    assert notes.truncated
    assert (tmp_path / "look" / notes.path).stat().st_size == 1000


def test_an_open_address_without_a_token_is_refused(tmp_path: Path, token: Path) -> None:
    token.write_text(" \n")
    for address, file in (("0.0.0.0", None), ("127.0.0.1", token), ("::", tmp_path / "missing")):
        offer = Offer(lambda window: Request(window=window), ProbeContext, token_file=file)  # type: ignore[arg-type]  # mixed keywords
        with pytest.raises(AgentRefusedError, match="token"):
            Agent(address, 0, offer)


def test_on_loopback_no_token_is_needed() -> None:
    with serving(Scripted(), None) as agent:
        assert ask(agent, token="")[0] == 200


def test_a_caller_that_says_nothing_holds_up_nobody(token: Path) -> None:
    with serving(Scripted(), token) as agent:
        silent = [
            http.client.HTTPConnection("127.0.0.1", agent.server_port, timeout=5) for _ in range(5)
        ]
        for call in silent:
            call.connect()
        assert ask(agent)[0] == 200
        for call in silent:
            call.close()
