# ruff: noqa: E501  (findings are told on one line)
"""What works here, what is not permitted, what would fail with the watched cluster."""

import json
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from assistant.check import Check, Patient
from assistant.doctor import EXAMINATIONS, examine
from assistant.settings import Settings
from assistant.source_checks import (
    READS,
    check_clock,
    check_containers,
    check_gpus,
    check_host_commands,
    check_journal,
    check_kubernetes,
    check_permissions,
    check_prometheus,
)
from assistant.survival_checks import (
    check_addresses,
    check_data_directory,
    check_environment,
    check_kubeconfig,
    check_names,
    check_place,
    check_store,
)
from tools.context import ProbeContext
from tools.hangs import Hangs
from tools.shell import Shell
from tools.workspace import Workspace

LOCAL = "/dev/vda / ext4 rw 0 0\n"
KUBECTL = """#!/bin/sh
case "$*" in
  *raw=/version*) echo '{"gitVersion": "v1.32.4"}';;
  *kube-system*) echo '{"metadata": {"uid": "0a1b"}}';;
  *current-context*) echo astra;;
  *"can-i get secrets"*) echo SECRETS; exit 1;;
  *"can-i list leases"*) echo LEASES; exit 1;;
  *can-i*) echo yes;;
esac
"""


@pytest.fixture(name="program")
def _program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """The only programs on PATH are those that a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    return write


@pytest.fixture(name="patient")
def _patient(tmp_path: Path) -> Patient:
    mounts, resolver = tmp_path / "mounts", tmp_path / "resolv.conf"
    mounts.write_text(LOCAL)
    resolver.write_text("nameserver 192.0.2.1\n")
    context = ProbeContext(Workspace(tmp_path / "work"), shell=Shell(Hangs()), limit_s=2)
    return Patient(
        context, Settings(), tmp_path / "data", {"HOME": "/root", "PATH": str(tmp_path / "bin")}, resolver, mounts
    )  # fmt: skip


def changed(patient: Patient, **settings: object) -> Patient:
    return Patient(
        patient.context, patient.settings.model_copy(update=settings), patient.data_dir, patient.variables,
        patient.resolver, patient.mounts,
    )  # fmt: skip


def one(checks: Iterator[Check]) -> Check:
    (check,) = checks
    return check


def test_all_examinations_run_side_by_side_and_in_order(
    patient: Patient,
    program: Callable[[str, str], None],
) -> None:
    program("kubectl", KUBECTL.replace("SECRETS", "no").replace("LEASES", "yes"))
    checks = list(examine(patient))

    assert [check.name for check in checks][:2] == ["kubernetes", "permissions"]
    assert len(checks) >= len(EXAMINATIONS) - 2
    assert not [check for check in checks if check.state in {"warn", "fail"} and not check.mend]


def test_a_cluster_that_answers_is_named(
    patient: Patient,
    program: Callable[[str, str], None],
) -> None:
    program("kubectl", KUBECTL)
    check = one(check_kubernetes(patient))

    assert check.state == "ok"
    assert "v1.32.4, context astra, cluster 0a1b" in check.detail


def test_a_cluster_that_is_not_there_is_absent(
    patient: Patient,
    program: Callable[[str, str], None],
) -> None:
    assert one(check_kubernetes(patient)).state == "absent"
    assert one(check_permissions(patient)).state == "absent"
    program("kubectl", "#!/bin/sh\necho 'connection refused' >&2; exit 1\n")
    check = one(check_kubernetes(patient))

    assert check.state == "absent"
    assert "KUBECONFIG" in check.mend


def test_what_is_not_permitted_and_what_is_too_much_are_named(
    patient: Patient,
    program: Callable[[str, str], None],
) -> None:
    program("kubectl", KUBECTL.replace("SECRETS", "yes").replace("LEASES", "no"))
    missing, excess = check_permissions(patient)

    assert (missing.state, missing.detail) == ("warn", "not permitted: leases.coordination.k8s.io")
    assert "clusterrole.yaml" in missing.mend
    assert "secrets" in excess.detail


def test_enough_and_not_too_much_is_well(
    patient: Patient,
    program: Callable[[str, str], None],
) -> None:
    program("kubectl", KUBECTL.replace("SECRETS", "no").replace("LEASES", "yes"))
    check = one(check_permissions(patient))

    assert check.state == "ok"
    assert f"all {len(READS)} kinds" in check.detail


@pytest.fixture(name="prometheus")
def _prometheus() -> Iterator[tuple[str, set[str]]]:
    """A server that knows the metrics in a set, and only with a token."""
    known: set[str] = set()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            metric = parse_qs(urlsplit(self.path).query)["query"][0][6:-1]
            self.send_response(
                200 if self.headers.get("Authorization") == "Bearer letmein" else 401
            )
            self.end_headers()
            result = [{"value": [1, "1"]}] if metric in known else []
            self.wfile.write(json.dumps({"status": "success", "data": {"result": result}}).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", known
        server.shutdown()


def test_metrics_that_are_missing_are_named_with_their_exporter(
    patient: Patient, prometheus: tuple[str, set[str]]
) -> None:
    url, known = prometheus
    known |= {
        "DCGM_FI_DEV_GPU_TEMP",
        "DCGM_FI_DEV_XID_ERRORS",
        "node_uname_info",
        "kube_node_status_condition",
    }
    asked = changed(patient, prometheus_url=url, prometheus_token=SecretStr("letmein"))
    check = one(check_prometheus(asked))
    known.add("node_nfs_requests_total")

    assert (check.state, "nfs collector" in check.mend) == ("warn", True)
    assert one(check_prometheus(asked)).state == "ok"
    assert one(check_prometheus(changed(patient, prometheus_url=url))).state == "fail"
    assert one(check_prometheus(patient)).state == "absent"


def test_a_journal_that_cannot_be_read_is_told(
    patient: Patient,
    program: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert one(check_journal(patient)).state == "absent"
    program("journalctl", "#!/bin/sh\nexit 0\n")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert "systemd-journal" in one(check_journal(patient)).mend
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert one(check_journal(patient)).mend == "set Storage=persistent in journald.conf"
    program("journalctl", "#!/bin/sh\necho line\n")
    assert one(check_journal(patient)).state == "ok"


def test_gpus_containers_and_clock_are_examined(
    patient: Patient,
    program: Callable[[str, str], None],
) -> None:
    assert one(check_gpus(patient)).state in {"absent", "ok"}
    assert one(check_containers(patient)).state == "absent"
    assert one(check_clock(patient)).state == "warn"
    program("docker", "#!/bin/sh\necho '{}'\n")
    program("chronyc", "#!/bin/sh\necho 'Leap status     : Normal'\n")
    assert one(check_containers(patient)).state == "ok"
    assert one(check_clock(patient)).state == "ok"


def test_missing_programs_are_named_with_their_package(
    patient: Patient,
    program: Callable[[str, str], None],
) -> None:
    program("dmesg", "")
    check = one(check_host_commands(patient))

    assert check.state == "absent"
    assert "nfs-common" in check.mend
    assert "dmesg" not in check.detail


def test_what_lies_on_a_network_mount_is_told(
    patient: Patient,
    program: Callable[[str, str], None],
) -> None:
    del program
    patient.mounts.write_text(LOCAL + "srv:/home / nfs4 rw 0 0\n")

    assert one(check_data_directory(patient)).state == "fail"
    assert "FIRSTFAULT_DATA_DIR" in one(check_data_directory(patient)).mend
    assert [check.state for check in check_environment(patient)] == ["fail", "warn", "ok"]
    assert one(check_kubeconfig(patient)).state == "warn"


def test_a_local_data_directory_is_well(patient: Patient) -> None:
    assert one(check_data_directory(patient)).state == "ok"
    assert [check.state for check in check_environment(patient)] == ["ok"]
    assert list(check_kubeconfig(patient)) == []


def test_the_store_is_opened_where_there_is_one(patient: Patient) -> None:
    assert "when first needed" in one(check_store(patient)).detail
    patient.data_dir.mkdir()
    connection = sqlite3.connect(patient.data_dir / "firstfault.db")
    connection.execute("create table a (b)")
    connection.close()
    assert one(check_store(patient)).state == "ok"
    (patient.data_dir / "firstfault.db").write_bytes(b"not a database at all" * 100)
    assert one(check_store(patient)).state == "fail"
    assert (
        "10.0.0.7"
        in one(
            check_store(changed(patient, database_url=SecretStr("postgresql://u:p@10.0.0.7/x")))
        ).detail
    )


def test_dependence_on_the_watched_cluster_is_told(patient: Patient) -> None:
    patient.resolver.write_text(
        "search train.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\n"
    )
    inside = changed(
        patient,
        prometheus_url="http://prometheus.monitoring.svc:9090",
        model_base_url="http://10.96.3.4/v1",
    )
    checks = list(check_addresses(inside))

    assert one(check_names(patient)).state == "warn"
    assert [check.name for check in checks] == [
        "prometheus depends on the cluster", "model depends on the cluster", "model",
    ]  # fmt: skip


def test_a_place_outside_is_well(patient: Patient) -> None:
    assert one(check_names(patient)).state == "ok"
    assert one(check_place(patient)).state == "ok"
    assert [check.state for check in check_addresses(patient)] == ["absent"]
    pod = Patient(
        patient.context,
        patient.settings,
        patient.data_dir,
        {"KUBERNETES_SERVICE_HOST": "10.96.0.1"},
    )
    assert one(check_place(pod)).state == "warn"


def test_a_server_that_never_answers_does_not_hang_the_doctor(patient: Patient) -> None:
    patient.context.limit_s = 0.3
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert one(check_prometheus(changed(patient, prometheus_url=url))).state == "fail"
