"""A pod that was asked about and whose node nobody names."""

import json
from datetime import UTC, datetime
from pathlib import Path

from assistant.incident import Incident, Scope
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
LOG = """\
2026-11-30T02:02:00.000Z Traceback (most recent call last):
2026-11-30T02:02:00.000Z   File "/app/train.py", line 88, in <module>
2026-11-30T02:02:00.000Z torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. \
GPU 0 has a total capacity of 79.10 GiB of which 1.20 GiB is free.
2026-11-30T02:02:01.000Z E1130 02:02:01.000000 1 torch/distributed/elastic/multiprocessing/\
api.py:826] failed (exitcode: 1) local_rank: 0 (pid: 41022) of binary: /usr/bin/python3
2026-11-30T02:02:01.000Z torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
"""
ENDED = {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-30T02:02:03Z"}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "train-2", "namespace": "ml", "labels": {"job-name": "train"}},
    "spec": {},
    "status": {
        "phase": "Failed",
        "containerStatuses": [{"name": "main", "state": {"terminated": ENDED}}],
    },
}


def test_its_own_log_and_status_are_enough(tmp_path: Path) -> None:
    """The fault is the pod's own; which node carried it decides nothing."""
    log = tmp_path / "k8s/logs/ml/train-2/main.log"
    log.parent.mkdir(parents=True)
    log.write_text(LOG)
    (tmp_path / "k8s/pods.json").write_text(json.dumps(POD))
    incident = Incident(scope=Scope(pods=("ml/train-2",)))
    found = investigate([tmp_path], incident, shipped(), now=NOW).diagnosis
    assert found is not None
    assert (found.verdict, found.confidence) == ("fault", "LIKELY")
    assert [(root.page, root.entity.id) for root in found.root_causes] == [
        ("cuda-out-of-memory", "ml/train-2")
    ]
