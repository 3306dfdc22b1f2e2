"""The order of severities, the worst first."""

from knowledge.page import Severity

SEVERITIES: tuple[Severity, ...] = ("critical", "error", "warning", "info")


def rank_severity(severity: Severity) -> int:
    """Return 0 for the worst."""
    return SEVERITIES.index(severity)
