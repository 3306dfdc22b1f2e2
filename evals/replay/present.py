"""A recording as it stood at one moment: what was not yet written then is not there."""

from dataclasses import replace

from evals.model import Metric, PodLog, Recording


def move_to(recording: Recording, now: float, since: float = float("-inf")) -> Recording:
    """Return what a look at `now` could have found that asks for no journal before `since`.

    Files that somebody exports (a storage controller's log) stay whole: no probe reads them.
    """
    listed = [at for at in recording.snapshots if at <= now]
    logs = [_log_until(log, now) for log in recording.pod_logs]
    metrics = [_metric_until(metric, now) for metric in recording.metrics]
    return replace(
        recording,
        until=min(recording.until, now),
        taken=now,
        journal={
            host: [entry for entry in entries if since <= entry.at <= now]
            for host, entries in recording.journal.items()
        },
        snapshots={max(listed): recording.snapshots[max(listed)]} if listed else {},
        pod_logs=[log for log in logs if log.lines],
        metrics=[metric for metric in metrics if metric.samples],
        commands=[command for command in recording.commands if command.started <= now],
        nvml={host: read for host, read in recording.nvml.items() if read[0] <= now},
        alerts=recording.alerts if recording.alerts_taken <= now else [],
    )


def _log_until(log: PodLog, now: float) -> PodLog:
    return replace(log, lines=tuple(line for line in log.lines if line[0] <= now))


def _metric_until(metric: Metric, now: float) -> Metric:
    return replace(metric, samples=tuple(each for each in metric.samples if each[0] <= now))
