"""The physics of a target without a disk: who waits, who is put out, and when."""

import re
from functools import cache

import pytest

from evals.model import Recording
from evals.scenarios.lustre_ost_eviction import plan, spec
from tests.seeds import draw

SEEDS = draw(4)


@cache
def recorded(seed: int) -> Recording:
    return spec.record(seed, 0.002)


def _times(recording: Recording, host: str, pattern: str) -> list[float]:
    return [e.at for e in recording.journal[host] if re.search(pattern, e.text)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_disk_goes_first_and_nothing_fails_while_it_queues(seed: int) -> None:
    """Path by path until none is left; only then do threads wait, and clients time out later."""
    recording, story = recorded(seed), plan.make(seed)
    server = story.target.server.name
    left = [
        (entry.at, int(match[1]))
        for entry in recording.journal[server]
        if (match := re.search(r"remaining active paths: (\d)", entry.text))
    ]
    assert [count for _, count in sorted(left)] == [1, 0, 1, 2]
    none_left = next(at for at, count in left if count == 0)
    back = next(at for at, count in sorted(left) if at > none_left)
    waits = _times(recording, server, "was inactive for")
    assert none_left + 199 < min(waits)
    assert max(waits) < back
    assert not _times(recording, server, "I/O error|EXT4-fs error|Remounting")
    slow = [_times(recording, name, "timed out for slow reply") for name in story.clients]
    assert all(len(times) == 1 and times[0] > none_left + 90 for times in slow)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_client_hears_of_its_eviction_after_the_server_decided_it(seed: int) -> None:
    """The lock was called back before its time ran out, and after the disk stood still."""
    recording, story = recorded(seed), plan.make(seed)
    server = story.target.server.name
    evictions = {
        match[2]: (entry.at, int(match[1]))
        for entry in recording.journal[server]
        if (match := re.search(r"expired after (\d+)s: evicting client at ([\d.]+)@", entry.text))
    }
    put_out = {c.address: c for c in story.clients.values() if c.evicted}
    assert set(evictions) == set(put_out)
    assert 5 <= len(put_out) < len(story.clients) / 2
    for address, (at, waited) in evictions.items():
        (told,) = _times(recording, put_out[address].host.name, "This client was evicted")
        assert at - waited > story.last_path
        assert at < told < story.back


@pytest.mark.parametrize("seed", SEEDS)
def test_only_jobs_with_a_client_put_out_die(seed: int) -> None:
    """The others wait for their checkpoint, save it and train on."""
    recording, story = recorded(seed), plan.make(seed)
    outputs = {file.target.removeprefix("slurm:"): file.text for file in recording.files}
    for job in story.jobs:
        died = "[Errno 5] Input/output error" in outputs[str(job)]
        assert died == (story.dead(job) is not None)
        assert died != ("successfully saved checkpoint" in outputs[str(job)])
    assert any(story.dead(job) for job in story.jobs)
    assert not all(story.dead(job) for job in story.jobs)
