"""The smaller commands answer in both forms and change only what they say."""

import json
import tarfile
from pathlib import Path

import pytest
import zstandard

from integrations.cli.demo_command import BUNDLE
from tests.integrations.cli.conftest import Run, load


def _items(out: str) -> list[dict[str, object]]:
    document = load(out)
    assert set(document) >= {"schema_version", "items"}
    items = document["items"]
    assert isinstance(items, list)
    return items


def test_settings_are_shown_with_their_origin(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Environment beats the project's file, which beats the user's."""
    user = home / ".config" / "firstfault"
    user.mkdir(parents=True)
    (user / "config.toml").write_text('tz = "UTC"\ncontext = "mine"\nlimit_s = 3\n')
    (home / "firstfault.toml").write_text('tz = "Asia/Tokyo"\ncontext = "project"\n')
    monkeypatch.setenv("FIRSTFAULT_TZ", "Asia/Shanghai")
    monkeypatch.setenv("FIRSTFAULT_MODEL_API_KEY", "sk-secret")

    items = {
        item["name"]: item for item in _items(run("config", "show", "--origin", "-o", "json")[1])
    }
    text = run("config", "show", "--origin")[1]

    assert items["tz"]["value"] == "Asia/Shanghai"
    assert items["tz"]["origin"] == "environment FIRSTFAULT_TZ"
    assert (items["context"]["value"], items["context"]["origin"]) == ("project", "firstfault.toml")
    assert items["limit_s"]["origin"] == str(user / "config.toml")
    assert "sk-secret" not in text
    assert "environment FIRSTFAULT_MODEL_API_KEY" in text


def test_a_bad_setting_fails_with_its_origin(run: Run, home: Path) -> None:
    """Exit 1, naming file and setting."""
    (home / "firstfault.toml").write_text('lang = "fr"\n')

    code, _, err = run("config", "show")

    assert code == 1
    assert "firstfault.toml" in err
    assert "'lang'" in err


def test_the_handbook_is_listed_with_the_contracts_keys(run: Run) -> None:
    """Id, codes, titles, layer, plane, family."""
    items = _items(run("kb", "list", "-o", "json")[1])

    keys = {"id", "codes", "titles", "layer", "plane", "family"}
    assert all(set(item) >= keys for item in items)
    assert "nfs-server-not-responding" in {item["id"] for item in items}


def test_a_page_is_shown_by_id_or_code(run: Run) -> None:
    """People know a condition by its number."""
    code, out, _ = run("kb", "show", "Xid 79")

    assert code == 0
    assert out.startswith("xid-79-fell-off-bus")
    assert load(run("kb", "show", "xid-79-fell-off-bus", "-o", "json")[1])["plane"] == "compute"
    assert run("kb", "show", "no-such-page")[0] == 3
    code, _, err = run("kb", "show", "79")
    assert (code, "Xid 79" in err) == (3, True)


def test_a_page_of_many_codes_leaves_its_line_readable(run: Run) -> None:
    """One page of a hundred codes must not push every title out of sight."""
    lines = run("kb", "list")[1].splitlines()
    assert any(" +" in line for line in lines)
    assert max(map(len, lines)) < 260


def test_search_and_coverage(run: Run) -> None:
    """Search puts the code's page first; coverage counts every layer and plane."""
    hits = _items(run("kb", "search", "xid 79", "-k", "3", "-o", "json")[1])
    assert hits[0]["id"] == "xid-79-fell-off-bus"
    assert len(hits) <= 3
    assert len(load(run("kb", "list", "--coverage", "-o", "json")[1])["matrix"]) == 20  # type: ignore[arg-type]  # a list
    assert "Compute" in run("kb", "list", "--coverage")[1]


def test_an_incident_is_noted_assigned_merged_split_and_closed(run: Run, log: Path) -> None:
    """Everything a person does to one, from the command line."""
    other = log.with_name("other.log")
    other.write_text(log.read_text().replace("astra-gpu-07", "astra-gpu-08"))
    run("diagnose", str(log))
    run("diagnose", str(other))
    first, second = "I-20250620-1", "I-20250620-2"

    assert run("incident", "note", first, "storage", "team", "called")[0] == 0
    assert "bo" in run("incident", "assign", first, "bo")[1]
    assert load(run("incident", "close", first, "-o", "json")[1])["status"] == "closed"
    assert load(run("incident", "reopen", first, "-o", "json")[1])["status"] == "open"
    assert load(run("incident", "merge", first, second, "-o", "json")[1])["id"] == first
    split = load(
        run("incident", "split", first, "node", "8", "-n", "astra-gpu-08", "-o", "json")[1]
    )

    assert (split["id"], split["title"]) == ("I-20250620-3", "node 8")
    listed = {item["id"]: item for item in _items(run("incident", "list", "-o", "json")[1])}
    assert listed[second]["merged_into"] == first
    timeline = run("incident", "timeline", first)[1]
    assert "storage team called" in timeline
    assert "2025-06-20 02:26:24Z" in timeline
    assert load(run("incident", "show", first, "-o", "json")[1])["incident"] == first


def test_a_part_without_a_title_says_what_it_is_part_of(run: Run, log: Path) -> None:
    """An empty row in the list would tell nobody anything."""
    run("diagnose", str(log))

    assert "NFS" in load(run("incident", "split", "I-20250620-1", "-o", "json")[1])["title"]  # type: ignore[operator]  # a text


def test_parts_without_a_title_can_be_told_apart(run: Run, log: Path) -> None:
    """Each says which part it is, of what, and which nodes it is about."""
    run("diagnose", str(log))
    split = ("incident", "split", "I-20250620-1", "-o", "json")
    first, second = (
        str(load(run(*split, *nodes)[1])["title"]) for nodes in ((), ("-n", "astra-gpu-07"))
    )

    assert first.startswith("Part 1 of I-20250620-1: ")
    assert second.startswith("Part 2 of I-20250620-1: ")
    assert second.endswith(", astra-gpu-07")


def test_a_node_that_the_incident_does_not_know_is_refused(run: Run, log: Path) -> None:
    """A part about nothing is a slip of the pen; the known names help to mend it."""
    run("diagnose", str(log))
    code, out, err = run("incident", "split", "I-20250620-1", "x", "--node", "nosuch")

    assert (code, out) == (3, "")
    assert "no node nosuch" in err
    assert "astra-gpu-07" in err
    assert len(_items(run("incident", "list", "-o", "json")[1])) == 1


def test_merging_what_is_merged_says_what_to_do(run: Run, log: Path) -> None:
    """There and back would leave nothing open."""
    other = log.with_name("other.log")
    other.write_text(log.read_text().replace("astra-gpu-07", "astra-gpu-08"))
    run("diagnose", str(log))
    run("diagnose", str(other))
    assert run("incident", "merge", "I-20250620-1", "I-20250620-2")[0] == 0
    code, _, err = run("incident", "merge", "I-20250620-2", "I-20250620-1")

    assert code == 1
    assert "incident reopen I-20250620-2" in err


def test_trouble_in_an_incident_that_is_not_open_is_said(run: Run, log: Path) -> None:
    """Else a P0 would lie closed in the list, and nobody would look."""
    run("diagnose", str(log))
    assert "closed" not in run("diagnose", str(log))[2]
    run("incident", "close", "I-20250620-1")

    code, out, err = run("diagnose", str(log), "-o", "json")
    assert load(out)["incident"] == "I-20250620-1"
    assert "I-20250620-1 is closed" in err
    assert "incident reopen I-20250620-1" in err
    run("incident", "reopen", "I-20250620-1")
    assert "is closed" not in run("diagnose", str(log))[2]
    assert code in (0, 5)


def test_a_folder_that_was_not_named_is_said(run: Run, home: Path) -> None:
    """`collect` without --out saves somewhere: on stdout the path, on stderr why there."""
    code, out, err = run("collect", "--since", "5m", "--deadline", "2")

    assert code == 0
    assert out.startswith(str(home))
    assert "--out" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "I-19990101-1"),
        ("note", "nonsense", "x"),
        ("close", "I-19990101-1"),
        ("timeline", "x"),
    ],
)
def test_an_unknown_incident_is_not_found(run: Run, arguments: tuple[str, ...]) -> None:
    """Exit 3."""
    assert run("incident", *arguments)[0] == 3


def test_collect_saves_a_folder_and_an_archive(run: Run, home: Path) -> None:
    """The path is printed; a second run on the folder resumes; the archive starts with its list."""
    folder, packed = home / "saved", home / "saved.tar.zst"
    code, out, _ = run("collect", "--out", str(folder), "--since", "5m", "--deadline", "8")
    assert (code, out.strip()) == (0, str(folder))
    assert (folder / "manifest.jsonl").exists()

    assert run("collect", "--out", str(packed), "--since", "5m", "--deadline", "8")[0] == 0
    with (
        packed.open("rb") as stream,
        zstandard.ZstdDecompressor().stream_reader(stream) as plain,
        tarfile.open(fileobj=plain, mode="r|") as archive,
    ):
        names = archive.getnames()
    assert names[0].endswith("manifest.jsonl")
    assert list(home.glob(".collect-*")) == []


@pytest.mark.parametrize("name", ["saved", "saved.tar.zst"])
def test_collect_says_where_it_may_not_write(run: Run, name: str) -> None:
    """Exit 4, in the language asked for: nothing hangs, and another user could."""
    code, _, err = run("collect", "--out", f"/sys/{name}", "--lang", "zh", "--deadline", "1")
    assert code == 4
    assert "/sys" in err
    assert "没有权限" in err or "不被允许" in err


def test_the_doctor_says_what_to_do(run: Run) -> None:
    """Each finding has a name, a state and where needed a remedy."""
    items = _items(run("doctor", "-o", "json")[1])

    assert all(set(item) == {"name", "state", "detail", "mend"} for item in items)
    assert all(item["mend"] for item in items if item["state"] == "fail")
    assert "→" in run("doctor")[1]


def test_compare_puts_nodes_side_by_side(run: Run, home: Path) -> None:
    """From captures; a host that was not seen is not said to be the same."""
    bundle = home / "bundle"
    bundle.mkdir()
    lines = []
    for host, kernel in (("a", "6.1.0"), ("b", "6.8.0")):
        (bundle / f"{host}.txt").write_text(f"Linux {host} {kernel} #1 SMP x86_64 GNU/Linux\n")
        capture = {"path": f"{host}.txt", "source": "host", "command": "uname -a", "target": host}
        lines.append(json.dumps(capture))
    (bundle / "manifest.jsonl").write_text("\n".join(lines) + "\n")

    document = load(run("compare", "a", "b", "--from", str(bundle), "-o", "json")[1])

    assert {"aspect", "name", "node", "peer", "differs"} <= set(document["items"][0])  # type: ignore[index]  # a list
    assert document["items"][0]["differs"] is True  # type: ignore[index]  # a list
    code, _, err = run("compare", "c", "d", "--from", str(bundle))
    assert code == 3
    assert "it speaks of: a, b." in err


def test_nodes_that_do_not_differ_are_said_to_be_the_same(run: Run, home: Path) -> None:
    """A table without rows would leave it open."""
    for host in ("a", "b"):
        (home / "in" / host).mkdir(parents=True)
        (home / "in" / host / "uname.txt").write_text(
            f"Linux {host} 6.1.0 #1 SMP x86_64 GNU/Linux\n"
        )

    assert "No differences" in run("compare", "a", "b", "--from", str(home / "in"))[1]
    assert "没有差异" in run("compare", "a", "b", "--from", str(home / "in"), "--lang", "zh")[1]


def test_the_demo_writes_all_forms_and_keeps_its_incident(run: Run, home: Path) -> None:
    """It needs no network, never exits 5, and can be shown again, with a Chinese headline."""
    code, out, err = run("demo", "--out", str(home / "out"), "--lang", "zh")

    assert code == 0
    assert "10.0.0.10" in out
    assert "结论" in out
    assert "训练任务失败" in out.splitlines()[0]
    assert {file.name for file in (home / "out").iterdir()} == {
        "astra.html",
        "astra.md",
        "astra.json",
    }
    assert load((home / "out" / "astra.json").read_text())["incident"] == "I-20250620-1"
    assert "astra.html" in err
    assert BUNDLE.endswith(".tar.zst")

    code, out, _ = run("incident", "show", "I-20250620-1", "--lang", "zh")
    assert code == 0
    assert "存储" in out.splitlines()[-1]


def test_an_unknown_code_is_said_and_no_neighbour_shown(run: Run) -> None:
    """A list of other codes would read as an answer."""
    _, out, err = run("kb", "search", "Xid 9999")

    assert "Xid 9999 is not in the handbook" in err
    assert out == ""
    assert "not in the handbook" not in run("kb", "search", "Xid 79")[2]


def test_a_search_is_filtered_and_says_why_it_found(run: Run) -> None:
    """By layer and plane; an unknown one is told with what there is."""
    document = load(run("kb", "search", "GPU lost", "--layer", "hardware", "-o", "json")[1])
    hits = _items(json.dumps(document))

    assert {hit["layer"] for hit in hits} == {"hardware"}
    assert all(hit["why"] and hit["text"] and hit["section"] for hit in hits)
    assert document["answered"] is True
    code, _, err = run("kb", "search", "x", "--plane", "networks")
    assert (code, "There is no plane 'networks'" in err) == (2, True)
    zh = run("kb", "search", "共享目录卡住不动", "--lang", "zh", "-k", "2")[1]
    assert "语义" in zh


def test_the_data_directory_in_effect_is_shown(run: Run, home: Path) -> None:
    """Also where it is the default."""
    rows = {row["name"]: row for row in _items(run("config", "show", "-o", "json")[1])}

    assert rows["data_dir"]["value"] == str(home / ".local/share/firstfault")


def test_an_unknown_variable_is_warned_of(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip of the pen would have no effect and go unseen."""
    monkeypatch.setenv("FIRSTFAULT_DATADIR", "/x")

    code, _, err = run("config", "show")

    assert code == 0
    assert "FIRSTFAULT_DATADIR is no setting" in err


def test_the_comparison_explains_its_marks(run: Run, home: Path) -> None:
    """A question mark alone explains nothing."""
    bundle = home / "bundle"
    bundle.mkdir()
    (bundle / "a.txt").write_text("Linux a 6.1.0 #1 SMP x86_64 GNU/Linux\n")
    capture = {"path": "a.txt", "source": "host", "command": "uname -a", "target": "a"}
    (bundle / "b.txt").write_text("")
    silent = capture | {"path": "b.txt", "target": "b"}
    lines = [json.dumps(one) for one in (capture, silent)]
    (bundle / "manifest.jsonl").write_text("\n".join(lines) + "\n")

    out = run("compare", "a", "b", "--from", str(bundle))[1]

    assert "? not seen on one of the two" in out


def test_all_that_people_read_is_in_their_language(run: Run, home: Path) -> None:
    """Labels, kinds and headings; where a page's text is English only, it says so."""
    assert home
    doctor = run("doctor", "--lang", "zh")[1]
    assert "没有设置 URL" in doctor
    assert "请" in doctor
    page = run("kb", "show", "Xid 79", "--lang", "zh")[1]
    assert "硬件 · 计算 · 机制" in page
    assert "以下正文只有英文" in page
    assert "处置" in page
    assert "代码" in run("kb", "list", "--lang", "zh")[1].splitlines()[0]
    assert "设置" in run("config", "show", "--lang", "zh")[1].splitlines()[0]
