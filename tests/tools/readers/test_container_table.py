"""Tables of containers tell state, exit code, and pod under the names of an inspection."""

from tests.tools.readers import operator_samples as samples
from tests.tools.readers.conftest import Read


def test_crictl_names_pod_namespace_and_attempts(read: Read) -> None:
    """Of what runs and of what has ended."""
    run, end = (one.values for one in read(samples.CRICTL_PS).readings)

    assert (run["container_id"], run["state"], run["attempt"]) == ("0fa4934f79bc7", "running", 12)
    assert (end["name"], end["state"], end["pod"]) == ("mount-bpffs", "exited", "calico-node-7xxv5")
    assert end["namespace"] == "kube-system"


def test_docker_tells_the_exit_code(read: Read) -> None:
    """An empty column moves nothing."""
    dead, up = (one.values for one in read(samples.DOCKER_PS).readings)

    assert (dead["name"], dead["state"], dead["exit_code"]) == ("job0", "exited", 137)
    assert (up["name"], up["state"]) == ("dcgm", "running")
    assert "exit_code" not in up
