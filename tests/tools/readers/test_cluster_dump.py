"""What the real `kubectl cluster-info dump` writes is read: objects, and each container's log."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tools.api_server import ApiServer, served
from tests.tools.readers.conftest import Read, Reads, read_paths

KINDS = {
    "nodes": "NodeList", "events": "EventList", "pods": "PodList", "services": "ServiceList",
    "replicationcontrollers": "ReplicationControllerList", "daemonsets": "DaemonSetList",
    "deployments": "DeploymentList", "replicasets": "ReplicaSetList",
}  # fmt: skip
LOG = "step 1\nRuntimeError: CUDA error: uncorrectable ECC error encountered\n"
ETCD = '{"level":"warn","ts":"2024-05-11T07:41:02.123Z","msg":"slow fdatasync","took":"6.9s"}\n'


class TypedServer(ApiServer):
    """Answers lists with their own kind, as typed clients need it."""

    def answer(self, method: str, target: str) -> tuple[int, bytes]:
        code, body = super().answer(method, target)
        kind = KINDS.get(target.partition("?")[0].rpartition("/")[2], "List")
        if code == 404:
            group = "apps/v1" if target.startswith("/apis/apps") else "v1"
            return 200, json.dumps({"kind": kind, "apiVersion": group, "items": []}).encode()
        return code, body.replace(b'"kind": "List"', b'"kind": "%s"' % kind.encode(), 1)


def pod(name: str, namespace: str) -> dict[str, object]:
    return {
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}"},
        "spec": {"nodeName": "n1", "containers": [{"name": "main", "image": "x"}]},
        "status": {"phase": "Running"},
    }


@pytest.fixture(name="dump")
def _dump(tmp_path: Path) -> str:
    return dumped(tmp_path)


def dumped(tmp_path: Path, *flags: str) -> str:
    """Let kubectl dump a small cluster."""
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("needs kubectl")
    server = TypedServer()
    ready = {"type": "Ready", "status": "False", "reason": "KubeletNotReady"}
    server.lists["/api/v1/nodes"] = [
        {"metadata": {"name": "n1", "uid": "u"}, "status": {"conditions": [ready]}}
    ]
    for namespace, name, text in (("default", "job-0", LOG), ("kube-system", "etcd-n1", ETCD)):
        server.lists[f"/api/v1/namespaces/{namespace}/pods"] = [pod(name, namespace)]
        server.logs[f"{namespace}/{name}/main"] = text
    with served(server, tmp_path) as config:
        done = subprocess.run(
            [kubectl, "--kubeconfig", config, "cluster-info", "dump", *flags],
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
    return done.stdout


def check(reads: Reads, dump: str, number: str = "E1") -> None:
    found = {(one.channel, one.fields.get("pod"), one.fields.get("container"), one.line)
             for one in reads.records}  # fmt: skip
    lines = dump.split("\n")
    error = next(n for n, text in enumerate(lines, 1) if "RuntimeError" in text)
    slow = next(n for n, text in enumerate(lines, 1) if "fdatasync" in text)
    assert found == {("app", "job-0", "main", error), ("service", "etcd-n1", "main", slow)}
    assert reads.accounted(number) == len(dump.encode())


def test_the_whole_dump_in_one_file_is_read(dump: str, read: Read) -> None:
    """Logs by pod and container on their own lines, objects with theirs."""
    reads = read(dump)

    check(reads, dump)
    states = {(one.kind, one.name): one for one in reads.states}
    assert {("Node", "n1"), ("Pod", "job-0"), ("Pod", "etcd-n1")} <= states.keys()
    locate = states["Pod", "job-0"].locate
    assert locate is not None
    assert '"name": "job-0"' in dump.split("\n")[locate(("metadata", "name")) - 1]


def test_a_dump_with_windows_line_ends_is_read(dump: str, read: Read) -> None:
    """As an editor saves it."""
    edited = dump.replace("\n", "\r\n")
    check(read(edited), edited)


def test_a_dump_as_yaml_is_read(tmp_path: Path, read: Read) -> None:
    """Each object behind a rule of dashes, each log between its marks."""
    dump = dumped(tmp_path, "-o", "yaml")
    reads = read(dump)

    check(reads, dump)
    assert {("Node", "n1"), ("Pod", "job-0"), ("Pod", "etcd-n1")} <= {
        (one.kind, one.name) for one in reads.states
    }
    assert not reads.gaps


def test_a_folder_of_a_dump_is_read(tmp_path: Path) -> None:
    """With `--output-directory` each pod has a file whose marks name its containers."""
    text = (
        "==== START logs for container main of pod train/job-0 ====\n"
        f"{LOG}==== END logs for container main of pod train/job-0 ====\n"
        "==== START logs for container side of pod train/job-0 ====\n"
    )
    path = tmp_path / "dump" / "train" / "job-0" / "logs.txt"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    reads = read_paths(tmp_path / "dump")

    assert [(one.fields["container"], one.line) for one in reads.records] == [("main", 3)]
    assert reads.accounted("E1") == len(text)


@pytest.mark.parametrize("flags", [(), ("-o", "yaml")])
def test_a_dump_cut_anywhere_loses_no_byte(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """In an object, in a mark, in a log."""
    dump = dumped(tmp_path, *flags)
    (tmp_path / "kubeconfig.json").unlink()
    for number, stop in enumerate(range(1, len(dump), len(dump) // 23)):
        (tmp_path / f"{number:03}").write_text(dump[:stop])
    reads = read_paths(*(path for path in sorted(tmp_path.iterdir()) if path.suffix == ""))
    for evidence in reads.evidence:
        assert reads.accounted(evidence.id) == evidence.size, evidence.path
