"""The shipped alerts: taken by the real promtool, each naming a page, none known to be wrong."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from knowledge.catalog import Catalog
from knowledge.page import MetricSignature
from tests.assistant.handbook import shipped

FOLDER = Path(__file__).parents[3] / "integrations/deploy/health"
RULES, TESTS = FOLDER / "gpu-alerts.rules.yaml", FOLDER / "gpu-alerts.tests.yaml"
SEVERITY = {"P0": "critical", "P1": "critical", "P2": "warning", "P3": "info"}
EVENTS = re.compile(r"\b(?:increase|changes)\(|\[15m:30s\]|\boffset 10m\b|^vector\(1\)$")
"""Such an expression stays true for its whole range after one happening: no need to wait."""
OTHERWISE = {
    "GPUsAllGone": "a count that vanished is no number below the former one",
    "InfiniBandLinkDown": "an alarm stands for a day where a diagnosis looks back an hour",
    "StorageFull": "the canary's word",
    "StorageRefuses": "the canary's word",
    "StorageCanarySilent": "the canary is an exporter too",
}
"""Alerts that ask otherwise than their page's own metric signature does, and why."""
pytestmark = pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool")


@dataclass(frozen=True)
class Alert:
    """One rule, its recorded names written out."""

    name: str
    expr: str
    wait: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


def read() -> Iterator[Alert]:
    rules = [
        rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
    ]
    recorded = {rule["record"]: rule["expr"] for rule in rules if "record" in rule}
    for rule in rules:
        if "alert" in rule:
            expr = rule["expr"]
            for name, text in recorded.items():
                expr = expr.replace(name, text)
            yield Alert(rule["alert"], expr, rule["for"], rule["labels"], rule["annotations"])


ALERTS = {alert.name: alert for alert in read()}


@pytest.fixture(name="catalog", scope="module")
def _catalog() -> Catalog:
    return shipped()


def promtool(*words: str) -> str:
    done = subprocess.run(
        ["promtool", *words], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_promtool_takes_the_rules() -> None:
    assert f"SUCCESS: {len(ALERTS) + 1} rules found" in promtool("check", "rules", str(RULES))


def test_the_alerts_do_what_their_own_tests_say() -> None:
    """Among them: a hot, full, power-capped node with an old Xid in its gauge alarms nobody."""
    assert "SUCCESS" in promtool("test", "rules", str(TESTS))


def test_no_alert_is_written_twice() -> None:
    rules = RULES.read_text()

    assert len(ALERTS) == rules.count("- alert: ")


def test_each_names_a_page_and_its_urgency(catalog: Catalog) -> None:
    for alert in ALERTS.values():
        page = catalog.pages[alert.labels["page"]]
        urgency = {"severity": SEVERITY[page.priority], "priority": page.priority}

        assert alert.labels == {**urgency, "page": page.id}, alert.name


def test_each_says_in_words_what_happened_and_where_to_read_on() -> None:
    for alert in ALERTS.values():
        summary = alert.annotations["summary"]

        assert alert.annotations["runbook"] == f"firstfault kb show {alert.labels['page']}"
        assert summary.endswith("."), alert.name
        assert summary.isascii(), alert.name
        assert 30 < len(summary) < 240, alert.name


def test_each_waits_unless_it_is_of_an_event() -> None:
    """A state must hold a minute at least; none waits longer than a quarter of an hour."""
    minutes = {alert.name: int(alert.wait.removesuffix("m")) for alert in ALERTS.values()}
    events = {alert.name for alert in ALERTS.values() if EVENTS.search(alert.expr)}

    assert max(minutes.values()) <= 15
    assert {name for name, wait in minutes.items() if wait < 1} <= events


def test_each_asks_what_its_page_asks(catalog: Catalog) -> None:
    """An alarm and a diagnosis that disagree about the same number confuse."""
    apart = set()
    for alert in ALERTS.values():
        page = catalog.pages[alert.labels["page"]]
        asked = [_plain(s.expr) for s in page.signatures if isinstance(s, MetricSignature)]
        if asked and not any(expr in _plain(alert.expr) for expr in asked):
            apart.add(alert.name)

    assert apart == set(OTHERWISE)


def _plain(expr: str) -> str:
    return "".join(expr.split())


def test_none_judges_the_last_xid_by_its_value_alone() -> None:
    """The gauge keeps it for weeks."""
    of_xids = [alert for alert in ALERTS.values() if "XID_ERRORS" in alert.expr]

    assert len(of_xids) > 10
    assert all("changes(" in alert.expr for alert in of_xids)


def test_none_judges_degrees_memory_in_use_or_the_power_cap() -> None:
    """Such rules fire always: in summer, for inference servers, at full load."""
    wrong = re.compile(r"(?:GPU|MEMORY)_TEMP(?:\{[^}]*\})? *>|FB_USED|REASONS\)? */ *4\)")

    assert [alert.name for alert in ALERTS.values() if wrong.search(alert.expr)] == []
