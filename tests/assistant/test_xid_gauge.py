"""The exporter's gauge of the last Xid, in files without a server: only where it changes."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.event import Event
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

START = datetime(2026, 11, 30, 2, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
LABELS = {"Hostname": "gpu-03", "gpu": "3", "UUID": "GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31"}
METRIC = "DCGM_FI_DEV_XID_ERRORS"


def matrix(*series: tuple[dict[str, str], dict[int, float]]) -> str:
    """Answer a range query: each series' labels, and its values by minute."""
    result: list[dict[str, object]] = [
        {
            "metric": {"__name__": METRIC} | LABELS | labels,
            "values": [
                [(START + minute * MINUTE).timestamp(), f"{value:g}"]
                for minute, value in values.items()
            ],
        }
        for labels, values in series
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


def exposed(*samples: tuple[str, int, float]) -> str:
    """Write OpenMetrics: labels, minute and value of each sample."""
    own = ",".join(f'{name}="{value}"' for name, value in LABELS.items())
    lines = [
        f"{METRIC}{{{own}{labels}}} {value:g} {(START + minute * MINUTE).timestamp():.0f}"
        for labels, minute, value in samples
    ]
    return "\n".join([f"# TYPE {METRIC} gauge", *lines, "# EOF", ""])


def xids(folder: Path, text: str, name: str = "gauge.json") -> list[Event]:
    (folder / name).write_text(text)
    now = START + timedelta(hours=1)
    found = investigate([folder / name], Incident(), shipped(), now=now)
    return [event for event in found.timeline.events if event.page.startswith("xid-")]


def steps(*values: tuple[int, float]) -> dict[int, float]:
    """Hold each value from its minute on, for forty minutes in all."""
    held = dict(values)
    told: dict[int, float] = {}
    value = 0.0
    for minute in range(40):
        value = held.get(minute, value)
        told[minute] = value
    return told


CODE = ',err_code="79",err_msg="GPU has fallen off the bus"'


@pytest.mark.parametrize(
    ("text", "name", "page"),
    [
        (matrix(({}, steps((18, 95)))), "prom.json", "xid-95-uncontained-ecc"),
        (matrix(({}, steps((0, 43), (18, 95)))), "xid.json", "xid-95-uncontained-ecc"),
        (matrix(({}, steps((18, 120)))), "x.json", "xid-120-gsp-error"),
        (matrix(({}, steps((18, 145)))), "x.json", "xid-nvlink5-fault"),
        (
            matrix(
                ({"err_code": "0"}, dict.fromkeys(range(18), 0.0)),
                ({"err_code": "79"}, dict.fromkeys(range(18, 40), 79.0)),
            ),
            "prom.json",
            "xid-79-fell-off-bus",
        ),
        (
            exposed(*[("", m, 0) for m in range(18)], *[(CODE, m, 79) for m in range(18, 30)]),
            "dcgm.om",
            "xid-79-fell-off-bus",
        ),
    ],
)
def test_a_change_of_the_gauge_is_the_xid_of_its_number(
    tmp_path: Path, text: str, name: str, page: str
) -> None:
    """At the first sample that shows it, though labels that name the error begin a new series."""
    (event,) = xids(tmp_path, text, name)
    assert event.page == page
    assert event.start.utc == START + 18 * MINUTE
    assert event.before_s == 60
    assert ("node", "gpu-03") in {(anchor.kind, anchor.id) for anchor in event.anchors}


@pytest.mark.parametrize(
    "text",
    [
        matrix(({}, steps((0, 79)))),
        matrix(({}, steps())),
        matrix(({}, {5: 79.0})),
        exposed((CODE, 18, 79)),
    ],
)
def test_a_gauge_that_stays_tells_of_no_new_xid(tmp_path: Path, text: str) -> None:
    """It keeps the last number until the exporter restarts; one sample alone shows no change."""
    assert not [event for event in xids(tmp_path, text) if event.role != "benign"]


def test_other_gpus_of_the_host_are_not_meant(tmp_path: Path) -> None:
    """The series of one GPU make one, not those of the host."""
    other = {"UUID": "GPU-00000000-0000-4000-8000-000000000002", "gpu": "4"}
    (event,) = xids(tmp_path, matrix(({}, steps((18, 79))), (other, steps((0, 43)))))
    assert (event.page, event.count) == ("xid-79-fell-off-bus", 1)
