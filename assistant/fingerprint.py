"""Tells inputs apart, so that the same evidence again finds the same incident."""

import hashlib
from datetime import UTC

from assistant.investigation import Investigation


def fingerprint(investigation: Investigation) -> str:
    """Tell inputs apart: by the content of files, by cluster, scope and day for live looks.

    File names and the order of arguments do not matter.
    """
    scope, asked = investigation.incident.scope, investigation.incident.window
    if any(item.live for item in investigation.evidence):
        # "The last two hours" is another window at every call, and the same incident.
        day = f"{investigation.generated_at.astimezone(UTC):%Y%m%d}"
        parts = [repr(scope), "live", investigation.cluster.model_dump_json(), day]
    else:
        files = {item.sha256 or item.command for item in investigation.evidence}
        parts = [repr(scope), repr(asked), *sorted(files)]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "backslashreplace")).hexdigest()
