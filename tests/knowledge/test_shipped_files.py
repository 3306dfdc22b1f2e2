"""Pages that send people to files that are shipped: the files are there."""

import re
from importlib.resources import files

import pytest

from knowledge.inspection import load_inspections
from tests.assistant.handbook import shipped

FOLDER = "integrations/deploy/health"
NAMED = re.compile(
    r"\b(?:gpu-healthcheck\.sh|storage-canary\.sh|recovery-job\.\w+|gpu-alerts\.\w+)"
)


@pytest.mark.parametrize(
    "page",
    [
        "health-check-coupled-to-storage",
        "health-check-design",
        "monitoring-and-alerting",
        "recovery-order",
    ],
)
def test_a_page_leads_to_what_it_advises(page: str) -> None:
    """The folder is named, and each file that is named lies in it."""
    text = shipped().pages[page].model_dump_json()
    there = {file.name for file in files("integrations").joinpath("deploy/health").iterdir()}

    assert FOLDER in text
    named = set(NAMED.findall(text))
    assert named
    assert all(any(name.startswith(one) for name in there) for one in named)


def test_the_check_of_health_checks_names_what_to_put_in_its_place() -> None:
    """In both languages."""
    (check,) = [one for one in load_inspections() if one.id == "health-check-independent"]
    for text in (check.mend.en, check.mend.zh):
        assert FOLDER in text
        assert {"gpu-healthcheck.sh", "storage-canary.sh"} <= set(NAMED.findall(text))


@pytest.mark.parametrize(
    ("code", "conditions"),
    [
        ("gst-1003", {"mig-configuration-failed"}),
        ("gst-3003", {"autoscaler-cannot-scale"}),
        ("gst-4001", {"volume-claim-pending", "csi-driver-missing"}),
        ("gst-4002", {"admission-denied"}),
        ("gst-4003", {"operator-not-installed"}),
    ],
)
def test_a_platforms_code_stands_for_what_it_may_mean(code: str, conditions: set[str]) -> None:
    """Whoever gets the code gets these pages as candidates."""
    assert conditions <= set(shipped().pages[code].stands_for)
