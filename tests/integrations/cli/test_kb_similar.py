"""`kb` finds, shows and compares incidents of the past."""

from contextlib import closing
from pathlib import Path

import pytest

from assistant.store import open_store
from tests.integrations.cli.conftest import Run, load
from tests.integrations.sample import build_investigation

ASTRA = "2025-06-20-astra-storage-failover"
CHAIN = ("storage-server-unavailable", "nfs-server-not-responding",
         "health-check-coupled-to-storage", "node-tainted-by-health-check")  # fmt: skip


def _items(out: str) -> list[dict[str, object]]:
    items = load(out)["items"]
    assert isinstance(items, list)
    return items


def test_a_chain_of_pages_finds_the_incident_that_went_that_way(run: Run) -> None:
    """In order; another root is told apart by the check that the handbook has for it."""
    code, out, err = run("kb", "similar", *CHAIN, "-o", "json")
    (item,) = _items(out)

    assert (code, err) == (0, "")
    assert item["id"] == ASTRA
    assert item["shared"] == list(CHAIN[1:])
    assert item["extra"] == [CHAIN[0]]
    assert "failover" in str(item["difference"])
    assert isinstance(item["check"], dict)
    assert item["check"]["id"] == "controller-log"


def test_people_read_it_in_their_language(run: Run) -> None:
    """Title, what is shared, the difference."""
    english, chinese = (run("kb", "similar", *CHAIN, "--lang", lang)[1] for lang in ("en", "zh"))

    assert "Similar incidents" in english
    assert "They weigh nothing in the verdict." in " ".join(english.split())
    assert "相似的历史故障" in chinese
    assert "根因不同" in chinese


def test_a_code_stands_for_its_page(run: Run) -> None:
    """As in `kb show`."""
    (item,) = _items(run("kb", "similar", "Xid 31", "-o", "json")[1])

    assert item["id"] == "2026-07-26-request-crashes-any-gpu"


def test_a_kept_incident_is_compared_by_its_own_chain(run: Run, home: Path) -> None:
    """By the id under which `diagnose` saved it."""
    kept = _keep(home / ".local" / "share" / "firstfault")

    (item,) = _items(run("kb", "similar", kept, "-o", "json")[1])

    assert (item["id"], item["by"]) == (ASTRA, "chain")


def _keep(folder: Path) -> str:
    sample = build_investigation()
    unnamed = sample.incident.model_copy(update={"id": ""})
    with closing(open_store(folder)) as store:
        return store.save(sample.model_copy(update={"incident": unnamed})).incident.id


def test_too_little_in_common_is_none(run: Run) -> None:
    """Said on stderr; an empty list for programs."""
    code, out, err = run("kb", "similar", "xid-79-fell-off-bus", "job-failed")

    assert (code, out) == (0, "")
    assert "No past incident is like this." in err
    assert _items(run("kb", "similar", "job-failed", "-o", "json")[1]) == []


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((), 2, "Nothing to compare"),
        (("--words", "  "), 2, "Nothing to compare"),
        (("no-such-page",), 3, "There is no page 'no-such-page'"),
        (("storage-controler-failover",), 3, "Did you mean storage-controller-failover"),
        (("79",), 3, "is the number of several codes"),
        (("I-20250620-1", "node-not-ready"), 2, "stands beside other names"),
        (("I-19990101-7",), 3, "I-19990101-7"),
        (("\x1b[31mred",), 3, "There is no page"),
    ],
)
def test_bad_names_are_told_apart(
    run: Run, arguments: tuple[str, ...], code: int, told: str
) -> None:
    """By the contract's codes, with what to do."""
    found, out, err = run("kb", "similar", *arguments)

    assert (found, out) == (code, "")
    assert told in err
    assert "\x1b[31m" not in err


def test_bad_names_are_told_in_chinese(run: Run) -> None:
    """What is wrong, and what to do."""
    assert "没有可比较的对象" in run("kb", "similar", "--lang", "zh")[2]
    assert "没有这种类别" in run("kb", "search", "x", "--kind", "poem", "--lang", "zh")[2]


def test_words_find_an_incident(run: Run) -> None:
    """In either language, through the same search as `kb search`."""
    for words in (
        "deleting the agent pod clears the bad status at once",
        "删掉代理的 Pod 坏状态立刻就好",
    ):
        items = _items(run("kb", "similar", "--words", words, "-o", "json")[1])
        assert items[0]["id"] == "2026-09-18-health-agent-kept-an-old-alarm"
        assert items[0]["by"] == "words"


def test_search_finds_incidents_and_filters_by_kind(run: Run) -> None:
    """Pages and postmortems beside each other, or one kind alone."""
    query = "control plane keeps electing somebody new although pings are clean"
    both = {item["kind"] for item in _items(run("kb", "search", query, "-o", "json")[1])}
    told = _items(run("kb", "search", query, "--kind", "postmortem", "-o", "json")[1])

    assert both == {"page", "postmortem"}
    assert told[0]["id"] == "2026-08-09-etcd-leader-on-busy-disk"
    assert {item["kind"] for item in told} == {"postmortem"}
    assert run("kb", "search", query, "--kind", "poem")[0] == 2


def test_incidents_are_listed_apart_from_pages(run: Run) -> None:
    """The list of pages stays as it is."""
    told = _items(run("kb", "list", "--postmortems", "-o", "json")[1])
    pages = {item["id"] for item in _items(run("kb", "list", "-o", "json")[1])}

    assert ASTRA in {item["id"] for item in told}
    assert ASTRA not in pages
    assert "控制" in run("kb", "list", "--postmortems", "--lang", "zh")[1]
    assert run("kb", "list", "--postmortems", "--coverage")[0] == 2


def test_an_incident_is_shown_like_a_page(run: Run) -> None:
    """How it spread, what misled, what decided, what was learnt; whole for programs."""
    text = run("kb", "show", ASTRA)[1]
    for title in ("Propagation", "What misled", "What decided then", "Lessons", "Sources"):
        assert f"\n{title}\n" in text
    assert "approved by" in text
    assert "Storage controller failover → NFS client gets no answer" in text
    document = load(run("kb", "show", ASTRA, "-o", "json")[1])
    assert (document["kind"], document["root"]) == ("postmortem", "storage-controller-failover")
    assert load(run("kb", "show", "Xid 79", "-o", "json")[1])["kind"] == "page"
    assert "误导之处" in run("kb", "show", ASTRA, "--lang", "zh")[1]
    code, _, err = run("kb", "show", "2025-06-20-astra-storage-failovr")
    assert code == 3
    assert ASTRA in err
