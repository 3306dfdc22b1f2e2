"""What analysers of Kubernetes objects find, and which page knows it."""

import pytest

from knowledge.page import StateSignature, TextSignature
from tests.assistant.handbook import shipped

ANALYSED = {
    "Pod": {"pod-failed", "container-config-missing", "pod-evicted-by-pressure"},
    "DaemonSet": {"workload-not-progressing"},
    "Deployment": {"workload-not-progressing"},
    "ReplicaSet": {"workload-not-progressing"},
    "StatefulSet": {"workload-not-progressing"},
    "PersistentVolumeClaim": {"volume-claim-pending"},
    "PersistentVolume": {"volume-claim-pending"},
    "Endpoints": {"service-without-endpoints"},
    "Gateway": {"route-not-served"},
    "GatewayClass": {"route-not-served"},
    "HTTPRoute": {"route-not-served"},
    "Job": {"job-failed"},
    "Node": {"node-not-ready", "node-under-pressure", "pod-network-not-ready"},
    "HorizontalPodAutoscaler": {"autoscaler-cannot-scale"},
    "ClusterServiceVersion": {"operator-not-installed"},
    "InstallPlan": {"operator-not-installed"},
    "Subscription": {"operator-not-installed"},
    "CatalogSource": {"operator-not-installed"},
    "ClusterExtension": {"operator-not-installed"},
    "ClusterCatalog": {"operator-not-installed"},
    "Workload": {"gang-not-admitted"},
    "PodGroup": {"gang-not-admitted"},
}
"""Kind of object, and pages that judge its state."""
SAID = {
    "CronJob": ("cronjob-not-starting", "too many missed start times: 101"),
    "Ingress": ("route-not-served", "local SSL certificate"),
    "MutatingWebhookConfiguration": ("webhook-failing", "failed calling webhook"),
    "PodDisruptionBudget": ("disruption-budget-blocks", "disruption budget"),
    "ResourceClaim": ("resource-claim-unallocated", "cannot allocate all claims"),
    "Service": ("service-without-endpoints", "does not have any active Endpoint"),
    "ConfigMap": ("container-config-missing", "configmap"),
    "ValidatingAdmissionPolicy": ("admission-denied", "ValidatingAdmissionPolicy"),
    "StorageClass": ("volume-claim-pending", "storageclass.storage.k8s.io"),
    "CSIDriver": ("csi-driver-missing", "list of registered CSI drivers"),
}
"""Kind whose trouble shows in what others say of it: page, and a part of a sample."""


@pytest.mark.parametrize(("kind", "pages"), ANALYSED.items())
def test_a_kind_that_analysers_look_at_has_a_page(kind: str, pages: set[str]) -> None:
    """Its state is judged, with a sample that holds and one that does not."""
    judges = {
        page.id
        for page, signature in shipped().signatures()
        if isinstance(signature, StateSignature)
        and (signature.source, signature.kind) == ("object", kind)
        and signature.not_examples
    }
    assert judges >= pages


@pytest.mark.parametrize(("page_id", "words"), SAID.values(), ids=SAID)
def test_what_others_say_of_an_object_has_a_page(page_id: str, words: str) -> None:
    """A reference that leads nowhere is told by whoever follows it."""
    samples = [
        example
        for signature in shipped().page(page_id).signatures
        if isinstance(signature, TextSignature)
        for example in signature.examples
    ]
    assert any(words in sample for sample in samples)
