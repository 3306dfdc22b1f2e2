"""Containers and their processes: `docker inspect`, `crictl inspect`, the probe's process table."""

from collections.abc import Iterator, Mapping
from typing import cast

from tools.documents import json_values, text_start
from tools.evidence import Gap, Instant, Item, Reading
from tools.gpu_values import Value
from tools.kubernetes_objects import at, text_at
from tools.request import Request
from tools.source import Source
from tools.writers import writer_of

Content = Mapping[str, object]
_POD = "io.kubernetes.pod."
_MARKS = (b'"pod_uid"', b'"Pid"', b'"HostConfig"', b'"runtimeSpec"', b'"podSandboxId"')


class ContainersReader:
    """Yields a reading per container or process."""

    name = "containers"
    source = "containers"

    def score(self, head: bytes, hint: str) -> float:
        """Look for keys that only these documents have."""
        start = text_start(head)
        if not start.startswith((b"{", b"[")) or b'"apiVersion"' in start:
            return 0.0
        return 0.92 if any(mark in start for mark in _MARKS) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read all containers."""
        host = writer_of(source.capture, source.name).host or source.capture.target
        moment = source.capture.ended or source.capture.started
        observed = Instant(moment) if moment else None
        for value in json_values(source):
            if isinstance(value, Gap):
                yield value
                continue
            own = text_at(value, "host") or host
            for kind, values in _parts(value):
                known = {key: part for key, part in values.items() if part not in {"", None}}
                yield Reading(source.evidence, kind, own, {"host": own, **known}, observed)


def _parts(content: Content) -> Iterator[tuple[str, dict[str, Value]]]:
    processes = content.get("processes")
    if isinstance(processes, list):
        for part in processes:
            if isinstance(part, Mapping):
                yield "process", _process(cast("Content", part))
    elif "State" in content and "Id" in content:
        yield "container", _docker(content)
    elif "status" in content:
        yield "container", _cri(content)


def _process(content: Content) -> dict[str, Value]:
    names = {key: str(value) for key, value in at(content, "environment").items()}
    job = names.get("SLURM_JOB_ID", "")
    return {
        "pid": _plain(content.get("pid")),
        "command": text_at(content, "name"),
        "state": text_at(content, "state"),
        "started": text_at(content, "started"),
        "container_id": text_at(content, "container"),
        "pod_uid": text_at(content, "pod_uid"),
        "pod": names.get("POD_NAME", ""),
        "namespace": names.get("POD_NAMESPACE", ""),
        "rank": names.get("RANK") or names.get("SLURM_PROCID", ""),
        "local_rank": names.get("LOCAL_RANK", ""),
        "world_size": names.get("WORLD_SIZE", ""),
        "master": names.get("MASTER_ADDR", ""),
        "job": f"slurm:{job}" if job else "",
    }


def _docker(content: Content) -> dict[str, Value]:
    state, labels = at(content, "State"), at(at(content, "Config"), "Labels")
    return {
        "container_id": text_at(content, "Id"),
        "name": text_at(content, "Name").removeprefix("/"),
        "pid": _plain(state.get("Pid")),
        "state": text_at(state, "Status"),
        "exit_code": _plain(state.get("ExitCode")),
        "oom_killed": _plain(state.get("OOMKilled")),
        "error": text_at(state, "Error"),
        "started": text_at(state, "StartedAt"),
        "finished": text_at(state, "FinishedAt"),
        **_pod_of(labels),
    }


def _cri(content: Content) -> dict[str, Value]:
    status, info = at(content, "status"), at(content, "info")
    return {
        "container_id": text_at(status, "id"),
        "name": text_at(at(status, "metadata"), "name"),
        "pid": _plain(info.get("pid")),
        "state": text_at(status, "state").removeprefix("CONTAINER_").lower(),
        "exit_code": _plain(status.get("exitCode")),
        "reason": text_at(status, "reason"),
        "started": text_at(status, "startedAt"),
        "finished": text_at(status, "finishedAt"),
        **_pod_of(at(status, "labels")),
    }


def _pod_of(labels: Content) -> dict[str, Value]:
    return {
        "pod": text_at(labels, f"{_POD}name"),
        "namespace": text_at(labels, f"{_POD}namespace"),
        "pod_uid": text_at(labels, f"{_POD}uid"),
        "container": text_at(labels, "io.kubernetes.container.name"),
    }


def _plain(value: object) -> Value:
    return value if isinstance(value, str | int | float | bool) else None


READER = ContainersReader()
