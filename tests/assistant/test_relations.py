"""Relations that evidence states by its own structure."""

from collections.abc import Mapping

from assistant.relations import Relations
from assistant.topology import Ties, Topology
from tests.assistant.items import kernel, reading, said, series, thing
from tools.evidence import ObjectState, Reading, Record, Series

GPU = "GPU-2a6f7a11-0000-4b7c-9d2e-0123456789ab"
UID = "0f3c6a1e-9a51-4c7e-8f0a-2b1c3d4e5f60"
CONTAINER = "ab" * 32


def learn(*items: ObjectState | Reading | Series | Record) -> Topology:
    relations = Relations(ties := Ties())
    for item in items:
        match item:
            case ObjectState():
                relations.learn_object(item)
            case Reading():
                relations.learn_reading(item)
            case Series():
                relations.learn_series(item)
            case Record():
                relations.learn_record(item)
    return ties.settle()


def pod(**spec: object) -> ObjectState:
    return thing(
        "Pod",
        "t-0",
        {
            "metadata": {
                "labels": {"training.kubeflow.org/job-name": "t"},
                "ownerReferences": [{"kind": "PyTorchJob", "name": "t"}],
            },
            "spec": {"nodeName": "n1", "volumes": [], **spec},
            "status": {"containerStatuses": [{"containerID": f"containerd://{CONTAINER}"}]},
        },
        namespace="ml",
        uid=UID,
    )


def anchors(topology: Topology, kind: str, name: str) -> Mapping[tuple[str, str], bool]:
    return {(a.kind, a.id): a.inferred for a in topology.closure(kind, name)}


def test_a_pod_names_its_node_job_container_and_uid() -> None:
    """From its spec, labels and status."""
    topology = learn(pod())
    assert topology.alias("pod", UID) == "ml/t-0"
    found = anchors(topology, "container", CONTAINER[:12])
    assert found[("pod", "ml/t-0")] is False
    assert found[("node", "n1")] is False
    assert found[("job", "ml/t")] is False


def test_an_owner_names_the_job_where_no_label_does() -> None:
    """A ReplicaSet is no job: its pods are a service's."""
    owned = thing(
        "Pod", "a", {"metadata": {"ownerReferences": [{"kind": "Job", "name": "once"}]}},
        namespace="ml",
    )  # fmt: skip
    web = thing(
        "Pod", "b", {"metadata": {"ownerReferences": [{"kind": "ReplicaSet", "name": "w"}]}},
        namespace="ml",
    )  # fmt: skip
    topology = learn(owned, web)
    assert ("job", "ml/once") in anchors(topology, "pod", "ml/a")
    assert set(anchors(topology, "pod", "ml/b")) == {("pod", "ml/b"), ("service", "ml/w")}


def test_a_claim_leads_through_its_volume_to_the_server() -> None:
    """Pod → claim → volume → NFS server."""
    topology = learn(
        pod(volumes=[{"persistentVolumeClaim": {"claimName": "data"}}]),
        thing("PersistentVolumeClaim", "data", {"spec": {"volumeName": "pv-1"}}, namespace="ml"),
        thing("PersistentVolume", "pv-1", {"spec": {"nfs": {"server": "nfs-a", "path": "/x"}}}),
        reading(
            "mount", "n1", target="/data", source="nfs-a:/x", fstype="nfs4",
            options="rw,vers=4.1,addr=10.0.0.10",
        ),
    )  # fmt: skip
    assert ("storage_server", "10.0.0.10") in anchors(topology, "pod", "ml/t-0")
    assert ("storage_server", "10.0.0.10") in anchors(topology, "job", "ml/t")
    assert topology.related("storage_server", "10.0.0.10", "node") == {"n1"}


def test_a_volume_is_with_the_node_that_holds_it() -> None:
    """An attachment that is still asked for ties nothing: both nodes would then have the volume."""
    held = {"nodeName": "n1", "source": {"persistentVolumeName": "pv-1"}}
    asked = {"nodeName": "n2", "source": {"persistentVolumeName": "pv-1"}}
    topology = learn(
        thing("VolumeAttachment", "a", {"spec": held, "status": {"attached": True}}),
        thing("VolumeAttachment", "b", {"spec": asked, "status": {"attached": False}}),
    )
    assert topology.related("volume", "pv-1", "node") == {"n1"}


def test_csi_and_inline_and_host_path_volumes_lead_there_too() -> None:
    """Three more ways to mount the same server."""
    csi = {"csi": {"volumeAttributes": {"server": "10.0.0.10", "share": "/x"}}}
    claim = {"namespace": "ml", "name": "data"}
    volume = thing("PersistentVolume", "pv-1", {"spec": {**csi, "claimRef": claim}})
    by_claim = pod(volumes=[{"persistentVolumeClaim": {"claimName": "data"}}])
    inline = pod(volumes=[{"nfs": {"server": "10.0.0.10", "path": "/x"}}])
    host_path = pod(volumes=[{"hostPath": {"path": "/data"}}])
    mount = reading("mount", "n1", target="/data", source="10.0.0.10:/x")
    for items in ((volume, by_claim), (inline,), (mount, host_path)):
        assert ("storage_server", "10.0.0.10") in anchors(learn(*items), "pod", "ml/t-0")


def test_a_nodes_addresses_labels_and_capacity_are_its_own() -> None:
    """Address book, rack, switch, GPU count."""
    node = thing(
        "Node",
        "n1",
        {
            "metadata": {
                "labels": {"topology.example.com/rack": "r7", "net.example.com/leaf": "l2"}
            },
            "status": {
                "addresses": [
                    {"type": "InternalIP", "address": "10.1.0.1"},
                    {"type": "Hostname", "address": "n1.example.org"},
                ],
                "capacity": {"nvidia.com/gpu": "8"},
            },
        },
    )
    topology = learn(node)
    assert topology.alias("node", "10.1.0.1") == "n1"
    assert topology.alias("node", "n1.example.org") == "n1"
    assert topology.gpu_count("n1") == 8
    assert {("rack", "r7"), ("switch", "l2")} <= set(anchors(topology, "node", "n1"))


def test_exporter_labels_tie_gpu_pod_and_host() -> None:
    """dcgm-exporter says which pod uses which GPU."""
    labels = {
        "UUID": GPU, "pci_bus_id": "00000000:9B:00.0", "Hostname": "n1",
        "exported_namespace": "ml", "exported_pod": "t-0", "namespace": "gpu-operator",
        "pod": "dcgm-x",
    }  # fmt: skip
    topology = learn(series("t", labels, (0, 1.0)), series("t", labels, (0, 1.0)))
    assert topology.alias("gpu", "n1/0000:9b:00") == GPU
    assert topology.related("gpu", GPU, "pod") == {"ml/t-0"}


def test_lines_tie_who_wrote_them_and_what_their_paths_name() -> None:
    """Pod logs, cgroup paths, volume paths, NCCL's own address."""
    inner = f"cri-containerd-{CONTAINER}.scope"
    group = f"/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/{inner}"
    volume = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~nfs/pv-1"
    writer = {"namespace": "ml", "pod": "t-0", "job": "ml/t", "rank": "3"}
    topology = learn(
        said("app", 0, "x", host="n1", fields=writer),
        kernel("n1", 0, f"oom-kill:constraint=CONSTRAINT_MEMCG,task_memcg={group}"),
        said("service", 0, f"stat {volume}: hung", host="n1"),
        said("app", 0, "n1:77:81 [0] NCCL INFO Bootstrap : Using eth0:10.9.0.1<0>"),
        pod(),
    )  # fmt: skip
    assert ("pod", "ml/t-0") in anchors(topology, "rank", "ml/t/3")
    assert ("pod", "ml/t-0") in anchors(topology, "container", CONTAINER[:12])
    assert ("volume", "pv-1") in anchors(topology, "pod", "ml/t-0")
    assert topology.alias("node", "10.9.0.1") == "n1"


def test_readings_tie_processes_and_gpus_to_their_host() -> None:
    """pid → container → pod, UUID ↔ PCI address."""
    topology = learn(
        reading("gpu", "n1", uuid=GPU, pci_bus_id="00000000:9B:00.0"),
        reading("process", "n1", pid="4242", container_id=CONTAINER, namespace="ml", pod="t-0"),
        reading("process", "n1", pid="4242", uuid=GPU),
    )
    assert topology.alias("gpu", "n1/0000:9b:00") == GPU
    found = set(anchors(topology, "process", "n1/4242"))
    assert {("container", CONTAINER[:12]), ("pod", "ml/t-0"), ("node", "n1"), ("gpu", GPU)} <= found


def test_an_inventory_names_places() -> None:
    """Nodes with their rack, power and storage, whatever the list is called."""
    topology = learn(
        thing("Topology", "n1", {"node": "n1", "rack": "r1", "pdu": "p1"}),
        thing("Topology", "all", {"hosts": ["n1", "n2"], "storage_server": "10.0.0.10"}),
    )
    assert {("rack", "r1"), ("pdu", "p1")} <= set(anchors(topology, "node", "n1"))
    assert topology.related("storage_server", "10.0.0.10", "node") == {"n1", "n2"}


def test_a_mount_line_shows_the_address_behind_a_name() -> None:
    """`addr=` in the options is what the name stood for."""
    line = "nas-vip:/vol on /data type nfs4 (rw,vers=4.1,clientaddr=10.0.1.7,addr=10.0.0.10)"
    topology = learn(said("command", 0, line, host="n1"))
    assert topology.alias("storage_server", "nas-vip") == "10.0.0.10"


def test_an_inventory_may_list_mounts() -> None:
    """Path and server per node."""
    topology = learn(thing("Topology", "n1", {"node": "n1", "mounts": {"/data": "10.0.0.10:/x"}}))
    assert ("storage_server", "10.0.0.10") in anchors(topology, "mount", "n1:/data")


def test_a_pods_address_stands_for_its_host_unless_it_was_handed_on() -> None:
    """A peer's address in a log leads to its host; one that two hosts had leads nowhere."""

    def with_address(name: str, node: str, address: str) -> ObjectState:
        content = {"spec": {"nodeName": node}, "status": {"podIP": address}}
        return thing("Pod", name, content, namespace="ml")

    topology = learn(
        with_address("a", "n1", "10.244.1.7"),
        with_address("b", "n2", "10.244.2.8"),
        with_address("c", "n3", "10.244.2.8"),
    )
    assert topology.alias("node", "10.244.1.7") == "n1"
    assert topology.alias("node", "10.244.2.8") == "10.244.2.8"
    assert topology.nodes() == {"n1", "n2", "n3"}


def test_a_pod_that_nobody_placed_is_on_the_host_that_it_prints() -> None:
    """Its programs print the host's name or the pod's own; a host that others know is one."""
    said_so = "n1:77:81 [0] NCCL INFO Bootstrap : Using eth0:10.9.0.1<0>"
    writer = {"namespace": "ml", "pod": "t-0"}
    known = learn(said("app", 0, said_so, fields=writer), reading("gpu", "n1", uuid=GPU))
    unknown = learn(said("app", 0, said_so, fields=writer))

    assert anchors(known, "pod", "ml/t-0")["node", "n1"]
    assert ("node", "n1") not in anchors(unknown, "pod", "ml/t-0")


def test_a_scheduler_s_list_ties_a_job_to_its_hosts() -> None:
    """Each host of a job is a place of it."""
    places = [thing("Topology", n, {"node": n, "job": "90211"}) for n in ("n1", "n2")]
    topology = learn(*places)

    assert topology.related("job", "slurm:90211", "node") == {"n1", "n2"}


def test_nodes_of_one_clique_share_a_rack() -> None:
    """NVIDIA's label of an NVLink domain, as the driver's plugin puts it on nodes."""
    label = {"nvidia.com/gpu.clique": "9a3e51c0-0d1f-4f7b-8f2e-5a8d3c2b1e00.32766"}
    nodes = [thing("Node", name, {"metadata": {"labels": label}}) for name in ("n1", "n2")]
    topology = learn(*nodes)
    assert topology.related("rack", label["nvidia.com/gpu.clique"], "node") == {"n1", "n2"}
