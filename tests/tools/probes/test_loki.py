"""Loki: a window of lines, page by page, from recorded answers over real HTTP."""

import json
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.tools.probes.loki_server import Logged, Recorded, Refusal, serve
from tools.bundle import Bundle
from tools.capture import Capture
from tools.context import ProbeContext
from tools.evidence import Record, Window
from tools.probes.loki import loki, queries, selectors
from tools.request import Request

START = datetime(2025, 6, 20, 2, tzinfo=UTC)
WINDOW = Window(since=START, until=START + timedelta(hours=1))
KERNEL = {"job": "systemd-journal", "host": "gpu-n07", "transport": "kernel"}
POD = {"job": "train/llm", "namespace": "train", "pod": "llm-0", "container": "trainer"}
XID = "NVRM: Xid (PCI:0000:9b:00): 79, pid=1234, GPU has fallen off the bus."
REQUEST = Request(literals=("NVRM: Xid", "(Watchdog) caught"), window=WINDOW)


def at(seconds: float) -> int:
    return int(START.timestamp()) * 10**9 + int(seconds * 10**9)


def lines(number: int) -> list[Logged]:
    """Give so many lines of one kind, two of each moment, and one of a workload."""
    logged: list[Logged] = [(KERNEL, at(10 + n // 2), f"{XID} line {n}") for n in range(number)]
    return [*logged, (POD, at(5), "step 100 loss 2.1"), (POD, at(900), "[(Watchdog) caught] it")]


def look(recorded: Recorded, context: ProbeContext, request: Request = REQUEST) -> list[Capture]:
    with serve(recorded) as url:
        return list(loki(request, replace(context, loki=url)))


def logged(context: ProbeContext, capture: Capture) -> list[str]:
    answer = json.loads((context.workspace.root / capture.path).read_text())
    return [line for each in answer["data"]["result"] for _, line in each["values"]]


def test_the_lines_of_the_window_that_hold_a_literal_are_read(context: ProbeContext) -> None:
    recorded = Recorded(lines(3))
    (capture,) = look(recorded, context)
    _, asked = recorded.asked

    assert (capture.outcome, capture.path) == ("ok", "loki/lines-1.json")
    assert len(logged(context, capture)) == 4
    assert asked["query"] == '{job=~".+"} |~ "NVRM: Xid|\\\\(Watchdog\\\\) caught"'
    assert int(asked["start"]) == at(-1800)
    assert asked["direction"] == "backward"
    assert capture.command == f"query_range {asked['query']}"
    assert "limit=5000 direction=backward" in capture.detail


def test_pages_are_followed_to_the_beginning_and_no_line_is_lost_or_told_twice(
    context: ProbeContext,
) -> None:
    recorded = Recorded(lines(25), most=6)
    (capture,) = look(recorded, context)
    found = logged(context, capture)

    assert sorted(set(found)) == sorted(found)
    assert len(found) == 26
    assert not capture.truncated
    assert [each.get("limit") for each in recorded.asked[:3]] == [None, "5000", "6"]


def test_what_is_more_than_the_bounds_is_cut_at_the_old_end_and_said(
    context: ProbeContext,
) -> None:
    (capture,) = look(Recorded(lines(200), most=4), context)
    found = logged(context, capture)

    assert capture.truncated
    assert "the newest lines only: 8 pages of 4" in capture.detail
    assert any("line 199" in line for line in found)
    assert not any(line.endswith("line 0") for line in found)


def test_more_lines_of_one_moment_than_a_page_holds_do_not_stop_it(context: ProbeContext) -> None:
    burst: list[Logged] = [(KERNEL, at(60), f"{XID} burst {n}") for n in range(9)]
    (capture,) = look(Recorded([*burst, (KERNEL, at(50), f"{XID} first")], most=4), context)

    assert f"{XID} first" in logged(context, capture)
    assert capture.truncated


def test_what_was_captured_live_is_read_like_any_bundle(context: ProbeContext) -> None:
    look(Recorded(lines(1)), context)
    items = list(Bundle.open([context.workspace.root]).read(REQUEST))
    records = {item.channel: item for item in items if isinstance(item, Record)}

    assert records["kernel"].host == "gpu-n07"
    assert records["kernel"].text == f"{XID} line 0"
    assert records["kernel"].time is not None
    assert records["kernel"].time.utc == START + timedelta(seconds=10)
    assert records["app"].fields["pod"] == "llm-0"
    text = (context.workspace.root / "loki/lines-1.json").read_text().splitlines()
    assert XID in text[records["kernel"].line - 1]


def test_a_busy_server_is_asked_again_after_the_pause_it_wants(context: ProbeContext) -> None:
    too_many: Refusal = (429, {"Retry-After": "1"}, "too many outstanding requests\n")
    recorded = Recorded(lines(1), refusals=[too_many, too_many])
    (capture,) = look(recorded, context)

    assert capture.outcome == "ok"
    assert [each["path"] for each in recorded.asked] == [
        "/loki/api/v1/labels",
        "/loki/api/v1/labels",
        "/loki/api/v1/labels",
        "/loki/api/v1/query_range",
    ]


def test_a_server_that_stays_busy_is_left_alone(
    context: ProbeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.budget._FIRST_PAUSE_S", 0.01)
    refusals: list[Refusal] = [(429, {}, "too many outstanding requests\n")] * 20
    recorded = Recorded(lines(1), refusals=refusals)
    (capture,) = look(recorded, context)

    assert (capture.outcome, capture.path) == ("failed", "")
    assert "HTTP 429: too many outstanding requests" in capture.detail
    assert len(recorded.asked) == 4


def test_token_and_tenant_are_sent_and_the_token_is_never_stored(context: ProbeContext) -> None:
    token = "s3cr3t-reading-token"
    context = replace(context, loki_token=token, loki_tenant="team-a")
    echoed: Refusal = (403, {}, f"who is {token}?")
    recorded = Recorded([(POD, at(9), f"NVRM: Xid printed with {token}")])
    look(recorded, context)
    recorded.refusals.append(echoed)
    (refused,) = look(recorded, context)
    stored = b"".join(
        file.read_bytes() for file in context.workspace.root.rglob("*") if file.is_file()
    )

    assert recorded.headers[0]["Authorization"] == f"Bearer {token}"
    assert recorded.headers[0]["X-Scope-OrgID"] == "team-a"
    assert token.encode() not in stored
    assert refused.outcome == "denied"
    assert "tenant" in refused.detail
    assert token not in repr(context)


def test_hosts_that_are_asked_for_come_first_and_all_others_after_them() -> None:
    request = REQUEST.model_copy(update={"nodes": ("gpu-n07", "gpu-n08")})
    first, others = selectors(request, ("filename", "host", "job"))

    assert first == '{host=~"(gpu-n07|gpu-n08)([.:].*)?"}'
    assert others == '{job=~".+",host!~"(gpu-n07|gpu-n08)([.:].*)?"}'
    assert selectors(request, ("team",)) == ['{team=~".+"}']
    assert selectors(request, ("job",), '{cluster="astra"}') == ['{cluster="astra"}']


def test_every_literal_is_asked_for_in_queries_that_fit_into_a_url() -> None:
    literals = tuple(f'literal "{n}" (of) [many] \\ 存储' for n in range(400))
    asked = queries(Request(literals=literals), ("job",))

    assert len(asked) > 1
    assert sum(each.count("literal") for each in asked) == 400
    assert max(len(each) for each in asked) < 4000
    assert len(queries(Request(), ("job",))) == 1


def test_quotes_and_patterns_in_literals_are_taken_literally(context: ProbeContext) -> None:
    literal = 'msg="[a+b] \\d" $1'
    recorded = Recorded([(POD, at(9), f"x {literal} y"), (POD, at(9), 'msg="[aab] 7" $1')])
    (capture,) = look(recorded, context, Request(literals=(literal,), window=WINDOW))

    assert logged(context, capture) == [f"x {literal} y"]


def test_a_window_without_streams_or_lines_is_empty(context: ProbeContext) -> None:
    (none,) = look(Recorded([]), context)
    (nothing,) = look(Recorded([(POD, at(5), "all is well")]), context)

    assert (none.outcome, none.detail) == ("empty", "no stream in the window: past its retention?")
    assert (nothing.outcome, nothing.path) == ("empty", "")


@pytest.mark.parametrize(
    "said", ["<html>sign in</html>", '{"status":"success","data":{"result":3}}']
)
def test_an_answer_of_something_else_is_no_evidence(context: ProbeContext, said: str) -> None:
    (capture,) = look(Recorded(lines(1), refusals=[(200, {}, said)]), context)

    assert capture.outcome == "failed"
    assert "not an answer of Loki" in capture.detail


def test_a_server_that_is_not_there_is_absent_and_one_that_never_answers_is_hung(
    context: ProbeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.loki_client._TIMEOUT_S", 0.3)
    (absent,) = loki(REQUEST, replace(context, loki="http://user:pw@127.0.0.1:9"))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        (hung,) = loki(REQUEST, replace(context, loki=url))

    assert absent.outcome == "absent"
    assert "http://127.0.0.1 does not answer" in absent.detail
    assert hung.outcome == "hung"


def test_without_a_server_nothing_is_asked(context: ProbeContext) -> None:
    assert list(loki(REQUEST, context)) == []
