"""Nodes to check, by the plainest shell and by every shell."""

from pathlib import Path

import pytest

from tests.integrations.deploy.gpu_node import SHELLS, Node, healthy


@pytest.fixture(name="node")
def _node(tmp_path: Path) -> Node:
    """Eight healthy GPUs, looked at by the plainest shell there is."""
    return healthy(tmp_path / "node", SHELLS[0])


@pytest.fixture(name="each_node", params=SHELLS)
def _each_node(request: pytest.FixtureRequest, tmp_path: Path) -> Node:
    """The same, by every shell."""
    return healthy(tmp_path / "node", request.param)
