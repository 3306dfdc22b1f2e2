"""The physics of a card that somebody else holds: the message's numbers add up."""

import re
from functools import cache

import pytest

from evals.model import Recording, read_epoch
from evals.scenarios.cuda_oom_other_process import spec
from tests.seeds import draw

SEEDS = draw(4)


@cache
def recorded(seed: int) -> Recording:
    return spec.record(seed, 0.002)


SIZE = r"([0-9.]+) (GiB|MiB)"


def _gib(text: str, pattern: str) -> float:
    match = re.search(pattern, text)
    assert match, (pattern, text)
    return float(match[1]) / (1 if match[2] == "GiB" else 1024)


def _message(recording: Recording) -> str:
    lines = [text for log in recording.pod_logs for _, text in log.lines]
    (message,) = [text for text in lines if "CUDA out of memory" in text]
    return message


@pytest.mark.parametrize("seed", SEEDS)
def test_an_empty_card_would_have_served_the_request(seed: int) -> None:
    """Total is free, own and others; own use and the request would fit, what is free does not."""
    message = _message(recorded(seed))
    total = _gib(message, f"total capacity of {SIZE}")
    free = _gib(message, f"of which {SIZE} is free")
    request = _gib(message, f"allocate {SIZE}")
    held = [float(size) for size in re.findall(r"has ([0-9.]+) GiB memory in use", message)]
    allocated = _gib(message, f"allocated memory {SIZE} is allocated by PyTorch")
    unallocated = _gib(message, f"and {SIZE} is reserved by PyTorch but unallocated")

    assert abs(total - free - sum(held)) < 0.02
    assert free < request
    assert unallocated < request
    assert min(held) + request < total
    assert 0 < min(held) - allocated - unallocated < 1.5


@pytest.mark.parametrize("seed", SEEDS)
def test_the_holder_is_older_than_the_job_and_still_there(seed: int) -> None:
    """The process list names the pid of the message, on the GPU whose memory gauge never fell."""
    recording = recorded(seed)
    facts = recording.facts
    pid = int(facts["process"].rpartition("/")[2])
    _, body = recording.nvml[facts["host"]]
    gpus = body["gpus"]
    assert isinstance(gpus, list)
    (holder,) = [process for gpu in gpus for process in gpu["processes"]]
    (gauge,) = [
        metric
        for metric in recording.metrics
        if metric.name == "DCGM_FI_DEV_FB_USED" and metric.labels["UUID"] == facts["gpu"]
    ]
    late = [value for at, value in gauge.samples if at > recording.taken - 300]

    assert f"Process {pid} has" in _message(recording)
    assert holder["pid"] == pid
    assert read_epoch(holder["started"]) == read_epoch(facts["first_anomaly"])
    assert min(late) > 50 * 1024
