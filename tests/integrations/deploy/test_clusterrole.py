# ruff: noqa: E501  (requests stand on one line)
"""The shipped ClusterRole permits all that the probes ask, and nothing more."""

import pytest

from assistant.source_checks import READS
from tests.integrations.deploy.rbac import permits, rules
from tools.probes import kubernetes_extensions, kubernetes_objects

LISTS = [
    path
    for lists in (
        kubernetes_objects.VOLATILE,
        kubernetes_objects.STEADY,
        *kubernetes_extensions.GROUPS,
    )
    for path, _ in lists
]
FORBIDDEN = """\
GET /api/v1/secrets
GET /api/v1/namespaces/train/secrets/token
GET /api/v1/configmaps
GET /api/v1/namespaces/train/configmaps/x
POST /api/v1/namespaces/train/pods/p/exec
GET /api/v1/namespaces/train/pods/p/exec
GET /api/v1/namespaces/train/pods/p/attach
GET /api/v1/namespaces/train/pods/p/portforward
GET /api/v1/namespaces/train/pods/p/proxy
GET /api/v1/namespaces/train/services/s/proxy
GET /api/v1/nodes/n1/proxy
GET /api/v1/nodes/n1/proxy/logs/messages
POST /api/v1/namespaces/train/pods
DELETE /api/v1/namespaces/train/pods/p
DELETE /api/v1/nodes/n1
PATCH /api/v1/nodes/n1
PUT /api/v1/nodes/n1/status
PATCH /apis/apps/v1/namespaces/train/deployments/d
POST /api/v1/namespaces/train/pods/p/eviction
POST /api/v1/namespaces/train/serviceaccounts/default/token
GET /api/v1/serviceaccounts
GET /apis/rbac.authorization.k8s.io/v1/clusterroles
GET /apis/certificates.k8s.io/v1/certificatesigningrequests
GET /metrics
GET /debug/pprof/profile
GET /logs
""".splitlines()


@pytest.mark.parametrize("path", [*LISTS, *kubernetes_extensions.LATER.values(), "/api/v1/events", "/api/v1/namespaces/kube-system", "/version",
                                  "/api/v1/namespaces/train/pods/p/log", "/api/v1/nodes/n1",
                                  "/api/v1/namespaces/train/pods/p"])  # fmt: skip
def test_what_the_probes_ask_is_permitted(path: str) -> None:
    assert permits(rules(), "GET", path)


@pytest.mark.parametrize("request_", FORBIDDEN)
def test_what_they_never_ask_is_not(request_: str) -> None:
    method, path = request_.split()

    assert not permits(rules(), method, path)


def test_only_reading_verbs_and_no_wildcards_stand_in_it() -> None:
    for rule in rules():
        assert set(rule["verbs"]) <= {"get", "list"}
        assert "*" not in {
            *rule.get("resources", []),
            *rule.get("apiGroups", []),
            *rule.get("nonResourceURLs", []),
        }


def test_the_doctor_asks_for_what_is_in_the_role() -> None:
    named = {
        resource if not group else f"{resource}.{group}"
        for rule in rules()
        for group in rule.get("apiGroups", [])
        for resource in rule.get("resources", [])
    }

    assert set(READS) <= named
