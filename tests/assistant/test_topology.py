"""What belongs to what, from evidence only."""

from assistant.event import Anchor
from assistant.topology import Ties, Topology

UID = "0f3c6a1e-9a51-4c7e-8f0a-2b1c3d4e5f60"
GPU = "GPU-2a6f7a11-0000-4b7c-9d2e-0123456789ab"


def small_cluster() -> Topology:
    ties = Ties()
    for host in ("n1", "n2"):
        ties.node(host)
        ties.relate(("mount", f"{host}:/data"), ("node", host))
        ties.relate(("mount", f"{host}:/data"), ("storage_server", "10.0.0.10"))
    ties.relate(("pod", "ml/t-0"), ("node", "n1"))
    ties.relate(("pod", "ml/t-0"), ("job", "ml/t"))
    ties.relate(("pod", "ml/t-0"), ("volume", "pv-1"))
    ties.relate(("volume", "pv-1"), ("storage_server", "10.0.0.10"))
    ties.described.add(("pod", "ml/t-0"))
    ties.relate(("pod", "ml/plain"), ("node", "n2"))
    ties.described.add(("pod", "ml/plain"))
    ties.equate("pod", UID, "ml/t-0")
    ties.equate("gpu", "n1/0000:9b:00", GPU)
    ties.relate(("gpu", "n1/0000:9b:00"), ("node", "n1"))
    ties.node("n1.example.org")
    ties.equate("storage_server", "nfs-vip", "10.0.0.10")
    ties.relate(("job", "t"), ("rank", "t/0"))
    return ties.settle()


def test_one_thing_under_two_names_is_one() -> None:
    """UUID and PCI address, uid and name, full and short host name, VIP and address."""
    topology = small_cluster()
    assert topology.alias("gpu", "n1/0000:9b:00") == GPU
    assert topology.alias("pod", UID) == "ml/t-0"
    assert topology.alias("node", "n1.example.org") == "n1"
    assert topology.alias("storage_server", "nfs-vip") == "10.0.0.10"
    assert topology.alias("job", "t") == "ml/t"
    assert topology.same("gpu", GPU, "n1/0000:9b:00")
    assert not topology.same("pod", "ml/t-0", "ml/plain")


def test_a_pod_hangs_on_its_node_job_volume_and_server() -> None:
    """The closure climbs to all that carries the pod."""
    closure = small_cluster().closure("pod", "ml/t-0")
    assert {(a.kind, a.id) for a in closure} >= {
        ("pod", "ml/t-0"), ("node", "n1"), ("job", "ml/t"), ("volume", "pv-1"),
        ("storage_server", "10.0.0.10"),
    }  # fmt: skip
    assert not any(a.inferred for a in closure)


def test_a_pod_without_volumes_does_not_use_its_nodes_server() -> None:
    """A known specification says no; an unknown one leaves a guess."""
    topology = small_cluster()
    assert not any(a.kind == "storage_server" for a in topology.closure("pod", "ml/plain"))
    ties = Ties()
    ties.relate(("pod", "ml/unseen"), ("node", "n2"))
    ties.relate(("node", "n2"), ("storage_server", "10.0.0.10"))
    guessed = ties.settle().closure("pod", "ml/unseen")
    assert Anchor(kind="storage_server", id="10.0.0.10", inferred=True) in guessed


def test_a_gpu_hangs_on_the_job_of_its_node_but_on_no_storage() -> None:
    """Hardware does not fail through a file server."""
    closure = small_cluster().closure("gpu", GPU)
    kinds = {(a.kind, a.id, a.inferred) for a in closure}
    assert ("job", "ml/t", False) in kinds
    assert not any(a.kind == "storage_server" for a in closure)


def test_two_jobs_on_a_node_make_a_guess_of_either() -> None:
    """Which of them used the GPU is not known, so it is marked as inferred."""
    ties = Ties()
    for job in ("ml/a", "ml/b"):
        ties.relate(("pod", f"{job}-0"), ("node", "n1"))
        ties.relate(("pod", f"{job}-0"), ("job", job))
    ties.relate(("gpu", GPU), ("node", "n1"))
    jobs = {a.id: a.inferred for a in ties.settle().closure("gpu", GPU) if a.kind == "job"}
    assert jobs == {"ml/a": True, "ml/b": True}


def test_a_node_does_not_drag_in_its_neighbours() -> None:
    """Sharing a job or a server does not make two nodes one place."""
    closure = small_cluster().closure("node", "n1")
    assert {a.id for a in closure if a.kind == "node"} == {"n1"}
    assert ("storage_server", "10.0.0.10") in {(a.kind, a.id) for a in closure}


def test_members_and_counts_come_from_evidence() -> None:
    """A job's members are those seen; an unseen GPU count is None, not zero."""
    topology = small_cluster()
    assert {a.id for a in topology.members("ml/t") if a.kind == "node"} == {"n1"}
    assert topology.gpu_count("n1") == 1
    assert topology.gpu_count("n2") is None
    assert topology.related("storage_server", "nfs-vip", "node") == {"n1", "n2"}
    assert topology.nodes() == {"n1", "n2"}


def test_a_process_that_a_pod_names_is_on_the_pods_host() -> None:
    """A pid of the host, told by a container's log, is the process that the host itself lists."""
    topology = small_cluster()
    assert topology.alias("process", "ml/t-0/41022") == "n1/41022"
    assert Anchor(kind="node", id="n1") in topology.closure("process", "ml/t-0/41022")
    assert topology.alias("process", "ml/unknown/41022") == "ml/unknown/41022"
