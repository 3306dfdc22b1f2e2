"""The JSON document keeps the contract's keys, whatever is known."""

import json

from assistant.event import Anchor
from integrations.rendering.document import build_document, render_json
from integrations.rendering.markdown import render_markdown
from integrations.rendering.view import View
from integrations.wording.words import load_words
from tests.integrations.sample import build_investigation
from tests.integrations.sample_world import build_pages

_TOP = {
    "schema_version", "incident", "verdict", "confidence", "window", "priority", "generated_at",
    "versions", "cluster", "state", "impact", "contain_now", "do_not", "changes", "first_anomaly",
    "root_causes", "hypotheses", "chain", "events", "ruled_out", "unexplained", "coverage",
    "missing_information", "next_checks", "remedies", "evidence", "answer",
}  # fmt: skip
_PARTS = {
    "root_causes": {"hypothesis", "page", "codes", "title", "layer", "plane", "entity", "observed",
                    "confidence", "where", "why", "explains", "contradicted_by", "evidence"},
    "hypotheses": {"id", "rank", "page", "layer", "plane", "entity", "score", "explains",
                   "supports", "contradicts", "would_tell"},
    "chain": {"from", "to", "delay_s", "delay_uncertainty_s", "status", "scope", "evidence"},
    "events": {"id", "page", "codes", "layer", "plane", "entity", "severity", "start", "end",
               "count", "text", "evidence"},
    "ruled_out": {"page", "why", "evidence"},
    "coverage": {"source", "target", "state", "why", "evidence"},
    "missing_information": {"what", "why"},
    "next_checks": {"id", "command", "where", "why", "tells_apart"},
    "remedies": {"page", "title", "risk"},
    "evidence": {"id", "source", "command", "target", "observed_at", "window", "outcome", "sha256",
                 "excerpt", "lines"},
    "contain_now": {"text", "why"},
    "do_not": {"text", "why"},
    "changes": {"at", "what", "entity", "scope_match", "evidence"},
}  # fmt: skip


def _document(view: View) -> dict[str, object]:
    loaded: dict[str, object] = json.loads(render_json(view))
    return loaded


def test_every_key_of_the_contract_is_there(view: View) -> None:
    """Keys may be added, never left out."""
    document = _document(view)

    assert set(document) >= _TOP
    for name, keys in _PARTS.items():
        items = document[name]
        assert isinstance(items, list)
        assert items
        assert all(set(item) >= keys for item in items), name


def test_what_is_not_known_is_null_and_not_left_out() -> None:
    """An investigation that was stopped early still has every key."""
    sample = build_investigation()
    early = sample.model_copy(
        update={
            "diagnosis": None,
            "priority": None,
            "step": "ordered",
            "incident": sample.incident.model_copy(update={"id": ""}),
        },
    )

    document = _document(View(early, build_pages(), load_words("en")))

    assert set(document) >= _TOP
    assert document["incident"] is None
    assert document["priority"] is None
    assert document["first_anomaly"] is None
    assert document["verdict"] == "inconclusive"


def test_amplifiers_and_first_failing_are_there(view: View) -> None:
    """Events that spread the damage, and who failed first and why."""
    document = _document(view)

    assert document["amplifiers"] == ["ev6", "ev7"]
    assert document["first_failing"] == [
        {
            "job": "train/llm-70b",
            "entity": {"kind": "rank", "id": "train/llm-70b/0", "names": []},
            "why": "rank 0 stalls before the others wait",
            "evidence": ["E8"],
        }
    ]


def test_the_priority_rule_is_english_in_every_language(chinese: View) -> None:
    """A program reads the same rule whoever ran it."""
    priority = build_document(chinese)["priority"]

    assert priority["rule"] == "shared storage down for every node"  # type: ignore[index]  # a mapping


def test_times_are_utc_with_z(view: View) -> None:
    """Programs need not guess a zone."""
    document = _document(view)

    assert document["window"] == {"since": "2025-06-20T02:00:00Z", "until": "2025-06-20T03:00:00Z"}
    assert document["generated_at"] == "2025-06-20T03:12:05Z"


def test_evidence_holds_the_cited_lines_and_their_numbers(view: View) -> None:
    """The excerpt is exactly what is cited, in order, each line once."""
    evidence = {item["id"]: item for item in build_document(view)["evidence"]}  # type: ignore[attr-defined]  # a list

    assert evidence["E4"]["lines"] == "12,88-90"
    assert (
        evidence["E4"]["excerpt"].splitlines()[0] == "Controller A: Disk firmware error on disk 5"
    )
    assert evidence["E7"]["lines"] == ""
    assert evidence["E9"] == {**evidence["E9"], "excerpt": "", "lines": ""}


def test_every_cited_evidence_exists(view: View) -> None:
    """No reference dangles."""
    document = _document(view)
    known = {item["id"] for item in document["evidence"]}  # type: ignore[attr-defined]  # a list

    text = json.dumps([document[name] for name in _PARTS if name != "evidence"])
    cited = {word for word in text.replace('"', " ").replace(",", " ").split() if word[:1] == "E"}
    assert {word for word in cited if word[1:].rstrip("]").isdigit()} <= {f"{k}" for k in known}


def test_scopes_are_english_words_in_both_languages(view: View, chinese: View) -> None:
    """A program reads the same scope whoever ran it."""
    english, other = build_document(view)["chain"], build_document(chinese)["chain"]

    assert [link["scope"] for link in english] == [link["scope"] for link in other]  # type: ignore[attr-defined]  # lists
    assert english[0]["scope"] == "same server"  # type: ignore[index]  # a list


def test_the_answer_says_where_and_why_as_claims(view: View) -> None:
    """Each claim carries its evidence, and no model is named."""
    answer = _document(view)["answer"]

    assert isinstance(answer, dict)
    assert [claim["evidence"] for claim in answer["claims"]] == [["E4", "E1", "E2"]] * 2
    assert answer["model"] is None
    assert answer["tokens"] == {"in": 0, "out": 0}


def test_hostile_lines_stay_data(hostile: tuple[str, View]) -> None:
    """JSON carries them unchanged."""
    line, view = hostile

    events = json.loads(render_json(view).encode(errors="backslashreplace"))["events"]
    assert events[0]["text"] == line


def test_a_change_of_unknown_time_has_none(view: View) -> None:
    """Nothing is put in the place of a moment that nothing tells, in JSON or in words."""
    assert view.diagnosis is not None
    changes = tuple(one.model_copy(update={"at": None}) for one in view.diagnosis.changes)
    diagnosis = view.diagnosis.model_copy(update={"changes": changes})
    found = view.investigation.model_copy(update={"diagnosis": diagnosis})
    changed = View(found, view.pages, view.words)

    assert [one["at"] for one in build_document(changed)["changes"]] == [None] * len(changes)  # type: ignore[attr-defined]  # a list
    assert changes
    assert "time unknown" in render_markdown(changed)


def test_a_host_without_a_name_is_known_by_its_evidence(view: View) -> None:
    """Its id alone would lead nowhere."""
    found = view.investigation
    lone = found.timeline.events[0].model_copy(
        update={"anchors": (Anchor(kind="node", id="unnamed-e1"),)}
    )
    timeline = found.timeline.model_copy(update={"events": (lone,)})
    nameless = View(found.model_copy(update={"timeline": timeline}), view.pages, view.words)
    assert _document(nameless)["unnamed_hosts"] == {"unnamed-e1": "E1"}
    assert _document(view)["unnamed_hosts"] == {}
