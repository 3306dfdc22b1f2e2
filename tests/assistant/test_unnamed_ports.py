"""A port that is down is named, also where nothing says on which host."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 3, tzinfo=UTC)
IBSTAT = """\
CA 'mlx5_3'
\tCA type: MT4129
\tNumber of ports: 1
\tPort 1:
\t\tState: Down
\t\tPhysical state: Polling
\t\tRate: 40
"""


@pytest.mark.parametrize("text", [IBSTAT, "link mlx5_3/1 state DOWN physical_state POLLING\n"])
def test_a_port_of_an_unnamed_host_is_one_port(tmp_path: Path, text: str) -> None:
    """The line and the values that were read from it speak of the same."""
    (tmp_path / "ports.txt").write_text(text)
    found = investigate([tmp_path / "ports.txt"], Incident(), shipped(), now=NOW)
    (event,) = found.timeline.events
    assert (event.page, event.entity.kind) == ("ib-link-down", "nic")
    assert event.entity.id.endswith("/mlx5_3")
