"""The shipped guidance: found, counted apart, and never part of a diagnosis."""

import pytest

from knowledge.listing import coverage, guidance_for, matrix, rows
from knowledge.page import Page
from tests.assistant.handbook import shipped

SUBJECTS = (
    ("isolation-and-quotas", "quota"),
    ("gpu-sharing", "timeSlicing"),
    ("elasticity-and-checkpointing", "checkpoint"),
    ("monitoring-and-alerting", "dcgm-exporter"),
    ("evidence-collection", "--previous"),
    ("time-synchronisation", "chrony"),
    ("health-check-design", "shared storage"),
    ("nfs-for-training", "retrans"),
    ("tolerations-and-retries", "tolerationSeconds"),
    ("rca-practice", "24 hours"),
    ("recovery-order", "small test job"),
    ("locating-a-fault", "earliest anomaly"),
    ("control-plane-resilience", "SSD"),
    ("training-data-storage", "NVMe"),
    ("regular-inspection", "Rehearse"),
    ("cloud-tenant-boundary", "provider"),
)
CORRECTED = (
    ("gpu-sharing", "gpu.timestampslice does not exist"),
    ("elasticity-and-checkpointing", "ZeRO-3 does not read optimiser state"),
    ("monitoring-and-alerting", "P99 of WAL fsync above 10 ms"),
    ("monitoring-and-alerting", "Fixed limits such as 85 °C or 90 % of memory fire for sound"),
    ("evidence-collection", "Do not search the kernel log for nvidia only"),
    ("health-check-design", "kubelet runs no health script"),
    ("health-check-design", "passes with seven of eight lost"),
    ("nfs-for-training", "There is no default of actimeo"),
    ("nfs-for-training", "rw,soft offers the danger without the use"),
    ("nfs-for-training", "delay the next try"),
    ("tolerations-and-retries", "tolerationSeconds: 60 shortens the patience"),
    ("tolerations-and-retries", "does not stop the deletion after a NoExecute taint"),
    ("tolerations-and-retries", "flags of the controller manager"),
    ("tolerations-and-retries", "takes the control plane too"),
    ("recovery-order", "Do not restart kubelet to clear NotReady"),
    ("recovery-order", "no word SchedulingEnabled"),
    ("locating-a-fault", "nc -zv tests TCP only"),
    ("training-data-storage", "hdparm -t reads a local block device"),
)
"""Page, and the fact that stands where a source is wrong."""


def _english(page: Page) -> str:
    advice = (*page.practice, *page.do_not)
    traps = (trap.en for trap in page.traps)
    tells = (check.tells.en for check in page.checks)
    return "\n".join((*(f"{one.text.en} {one.why.en}" for one in advice), *traps, *tells))


@pytest.mark.parametrize(("page_id", "word"), SUBJECTS)
def test_every_subject_of_the_sources_has_guidance(page_id: str, word: str) -> None:
    """One page a subject, with habits in both languages and the source it comes from."""
    page = shipped().page(page_id)
    assert page.role == "guidance"
    assert word in _english(page)
    assert len(page.practice) >= 4
    assert page.sources


@pytest.mark.parametrize(("page_id", "fact"), CORRECTED)
def test_a_wrong_claim_of_a_source_is_corrected(page_id: str, fact: str) -> None:
    """The page says what holds instead."""
    assert fact in _english(shipped().page(page_id))


def test_a_condition_leads_to_its_guidance() -> None:
    """From the fault to the habit that would have avoided it."""
    found = guidance_for(shipped().pages.values(), "health-check-coupled-to-storage")
    assert "health-check-design" in {page.id for page in found}


def test_guidance_is_listed() -> None:
    """By role."""
    listed = {row.id for row in rows(shipped(), role="guidance")}
    assert {page_id for page_id, _ in SUBJECTS} <= listed


def test_guidance_is_counted_apart() -> None:
    """It fills no hole of the handbook's coverage and owns no signature."""
    (family,) = (one for one in coverage(shipped()) if one.family == "guidance")
    assert (family.pages, family.signatures) == (0, 0)
    assert family.guidance >= len(SUBJECTS)
    conditions = [page for page in shipped().pages.values() if page.role != "guidance"]
    assert sum(matrix(shipped()).values()) == len(conditions)


def test_a_diagnosis_never_meets_guidance() -> None:
    """No signature, no link from or to it, nothing to infer."""
    guidance = {page.id for page in shipped().pages.values() if page.role == "guidance"}
    assert not any(page.id in guidance for page, _ in shipped().signatures())
    for page_id in guidance:
        assert not shipped().links_from(page_id)
        assert not shipped().links_to(page_id)
