"""What is read from JSON documents of any layout is cited by the line on which it stands."""

import json

import pytest

from tests.tools.readers.conftest import Read

ENTRIES = [
    {
        "__REALTIME_TIMESTAMP": f"17413104{n}0000000",
        "_HOSTNAME": "gpu-1",
        "_TRANSPORT": "kernel",
        "MESSAGE": f"NVRM: Xid (PCI:0000:c4:0{n}): 79, lost",
    }
    for n in range(3)
]
ALERTS = [
    {
        "labels": {"alertname": "Hot", "instance": f"gpu-{n}:9400"},
        "annotations": {"summary": f"GPU {n} is hot"},
        "startsAt": "2025-06-20T02:00:00Z",
        "fingerprint": str(n),
    }
    for n in range(3)
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ENTRIES, indent=2),
        "\n\n" + json.dumps(ENTRIES, indent=1),
        "\n".join(json.dumps(entry, indent=2) for entry in ENTRIES),
        "\n".join(json.dumps(entry) for entry in ENTRIES),
    ],
)
def test_a_journal_entry_stands_where_its_message_does(read: Read, text: str) -> None:
    """An array, an array behind empty lines, objects written out, one object per line."""
    records = read(text, "journal.json").records
    lines = text.splitlines()
    assert len(records) == 3
    assert all(record.text in lines[record.line - 1] for record in records)


@pytest.mark.parametrize("content", [ALERTS, {"status": "firing", "alerts": ALERTS}])
def test_an_alert_stands_where_its_words_do(read: Read, content: object) -> None:
    """A list of the API, a payload of the webhook."""
    text = json.dumps(content, indent=2)
    records = read(text, "alerts.json").records
    lines = text.splitlines()
    assert len(records) == 3
    assert all(record.text.split(": ")[1] in lines[record.line - 1] for record in records)
