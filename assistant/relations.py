"""Relations that objects, readings, samples and lines state by their own structure.

What a page's signature states comes through `recognise`; this is what needs no page: pods name
their node, labels name their GPU, cgroup paths name their pod, hosts print their addresses.
"""

from collections.abc import Callable, Iterator, Mapping

from assistant.alert_labels import hostless
from assistant.identity import UNNAMED, is_address, normalise
from assistant.object_content import Things, list_at, map_at, names_of, text_of, word_at
from assistant.ownership import job_of, learn_owners, rendezvous_of
from assistant.topology import Key, Ties
from tools.evidence import ObjectState, Reading, Record, Series
from tools.late_patterns import compile_late
from tools.numerals import whole

_RACK_LABEL = compile_late(r"(?:^|[/.])rack(?:-id|-name)?$|^nvidia\.com/gpu\.clique$")
"""A clique of NVIDIA is the rack whose NVLink switches its nodes share."""
_SWITCH_LABEL = compile_late(r"(?:^|[/.])(?:leaf|switch)(?:-id|-name)?$")
_POD_UID = compile_late(
    r"(?:kubepods[^ ]*?-pod|/pods/|/pod)([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})"
)
_CONTAINER = compile_late(
    r"(?:cri-containerd-|crio-|docker-|kubepods[^ ]*/)([0-9a-f]{64})(?:\.scope)?"
)
_VOLUME_PATH = compile_late(
    r"/pods/([0-9a-f-]{36})/volumes/kubernetes\.io~[a-z]+/([a-z0-9][a-z0-9.-]*[a-z0-9])"
)
_OWN_ADDRESS = compile_late(
    r"^(?P<host>[A-Za-z][\w.-]*):\d+:\d+ \[\d+\] NCCL INFO "
    r"(?:Bootstrap|NET/\w+) ?: Using (?P<interfaces>.*)"
)
_INTERFACE = compile_late(r":(\d+\.\d+\.\d+\.\d+)<")
_SIZE = compile_late(r"\brank \d+ nranks (\d+) ")
_NFS_LINE = compile_late(
    r"(?m)(?:^|\s)(?P<server>[\w.-]+):/\S*\s.*\bnfs4?\b.*?\baddr=(?P<address>[0-9a-fA-F.:]+)"
)
_ADDRESS_OPTION = compile_late(r"(?:^|,)addr=([0-9a-fA-F.:]+)")


class Relations:
    """Learns from every item that passes; repeated statements cost one look-up."""

    def __init__(self, ties: Ties) -> None:
        self._ties = ties
        self._seen: set[tuple[str, ...]] = set()

    def learn_object(self, state: ObjectState) -> None:
        """Take the relations that an object's own fields state."""
        learn_owners(self._ties, state)
        learn = _BY_KIND.get(state.kind)
        if learn is not None:
            learn(self._ties, state)

    def learn_reading(self, reading: Reading) -> None:
        """Take what a typed reading says of its host's devices, mounts and processes."""
        host = normalise("node", reading.host)
        self._ties.node(host)
        values = {name: text_of(value) for name, value in reading.values.items()}
        if reading.kind in {"gpu", "nvlink", "process"}:
            _learn_gpu(self._ties, host, values)
        if reading.kind == "gpu" and not host:
            # The kernel's lines in the same file call the card by its address.
            _learn_alias(self._ties, f"{UNNAMED}{reading.evidence}", values)
        if reading.kind == "mount":
            _learn_mount(self._ties, host, values)
        if reading.kind in {"process", "container"}:
            _learn_process(self._ties, host, values)
        if reading.kind == "fabric_link":
            _learn_link(self._ties, values)

    def learn_series(self, series: Series) -> None:
        """Take what exporter labels say: GPU, host, pod."""
        labels = series.labels
        uuid = labels.get("UUID") or labels.get("uuid") or ""
        if not uuid.startswith("GPU-"):
            return
        host = labels.get("Hostname") or labels.get("node") or ""
        namespace = labels.get("exported_namespace") or labels.get("namespace") or ""
        pod = labels.get("exported_pod") or labels.get("pod") or ""
        if not self._first("series", uuid, host, namespace, pod):
            return
        node = normalise("node", host)
        self._ties.node(node)
        values = {"uuid": uuid, "pci_bus_id": labels.get("pci_bus_id", "")}
        _learn_gpu(self._ties, node, values)
        # An exporter's own pod label is told from a user's by the container label beside it.
        if pod and namespace and (labels.get("exported_pod") or labels.get("container")):
            gpu = ("gpu", normalise("gpu", uuid))
            self._ties.relate(("pod", f"{namespace}/{pod}"), gpu)
            self._ties.relate(("pod", f"{namespace}/{pod}"), ("node", node))

    def learn_record(self, record: Record) -> None:
        """Take who wrote a line, and the paths and addresses that it spells out."""
        scraped = record.channel == "alert" and hostless("node", record.fields)
        if record.host and not scraped and self._first("host", record.host):
            self._ties.node(normalise("node", record.host))
        if record.fields:
            self._learn_writer(record)
        text = record.text
        if "/pods/" in text or "kubepods" in text:
            self._learn_paths(record)
        if "NCCL INFO" in text:
            self._learn_addresses(record)
            self._learn_size(record)
        if "addr=" in text and record.channel == "command":
            self._learn_server_address(text)

    def _learn_writer(self, record: Record) -> None:
        fields = record.fields
        pod = pod_of(fields)
        job, rank = fields.get("job", ""), fields.get("rank", "")
        node = fields.get("node") or (record.host if record.channel == "app" else "")
        container = fields.get("container_id", "")
        if not self._first("writer", pod, job, rank, node, container):
            return
        who: list[Key] = [
            ("pod", normalise("pod", pod)),
            ("rank", normalise("rank", f"{job}/{rank}") if job and rank else ""),
            ("container", normalise("container", container)),
        ]
        known = [key for key in who if key[1]]
        places: list[Key] = [("node", normalise("node", node)), ("job", normalise("job", job))]
        self._ties.node(places[0][1])
        for key in known:
            for place in places:
                concluded = place[0] == "job" and bool(fields.get("job_by"))
                self._ties.relate(key, place, inferred=concluded)
        for other in known[1:]:
            self._ties.relate(known[0], other)

    def _learn_paths(self, record: Record) -> None:
        uid = _POD_UID.search(record.text)
        container = _CONTAINER.search(record.text)
        pod: Key = ("pod", normalise("pod", uid.group(1)) if uid else "")
        if container:
            inner: Key = ("container", normalise("container", container.group(1)))
            self._ties.relate(inner, pod)
        if uid and record.host:
            self._ties.relate(pod, ("node", normalise("node", record.host)))
        for owner, volume in _VOLUME_PATH.findall(record.text):
            self._ties.relate(("pod", owner), ("volume", volume))

    def _learn_addresses(self, record: Record) -> None:
        """A rank prints its addresses; in a pod its host name is the pod's, not the node's."""
        found = _OWN_ADDRESS.search(record.text)
        if not found:
            return
        host = normalise("node", record.fields.get("node") or record.host or found["host"])
        pod = normalise("pod", pod_of(record.fields))
        if pod:
            self._ties.said_hosts.setdefault(("pod", pod), set()).add(
                normalise("node", found["host"])
            )
        for address in _INTERFACE.findall(found["interfaces"]):
            if self._first("address", host, pod, address):
                self._ties.equate("node", host, address)
                self._ties.printed |= {("node", host), *([("pod", pod)] if pod else [])}

    def _learn_size(self, record: Record) -> None:
        """The largest communicator of a job has all its ranks."""
        job = normalise("job", record.fields.get("job", ""))
        found = _SIZE.search(record.text) if job else None
        if found:
            self._ties.sizes[job] = max(int(found.group(1)), self._ties.sizes.get(job, 0))

    def _learn_server_address(self, text: str) -> None:
        """A mount line shows which address the server's name had when it was mounted."""
        for found in _NFS_LINE.finditer(text):
            server = normalise("storage_server", found["server"])
            if not is_address(server) and self._first("server", server, found["address"]):
                self._ties.equate("storage_server", server, found["address"])

    def _first(self, *statement: str) -> bool:
        if statement in self._seen:
            return False
        self._seen.add(statement)
        return True


def pod_of(fields: Mapping[str, str]) -> str:
    """Return NAMESPACE/NAME of the pod that a record's fields name, or nothing."""
    pod = fields.get("pod", "")
    if not pod or "/" in pod:
        return pod
    namespace = fields.get("namespace", "")
    return f"{namespace}/{pod}" if namespace else ""


def _learn_node(ties: Ties, state: ObjectState) -> None:
    name = normalise("node", state.name)
    ties.node(name)
    for address in list_at(state.content, "status", "addresses"):
        value = word_at(address, "address")
        if is_address(value):
            ties.equate("node", name, value)
        elif value and value.split(".", 1)[0] == name:
            ties.equate("node", name, normalise("node", value))
    for label, place in map_at(state.content, "metadata", "labels").items():
        if _RACK_LABEL.search(label):
            ties.relate(("node", name), ("rack", text_of(place)))
        if _SWITCH_LABEL.search(label):
            ties.relate(("node", name), ("switch", text_of(place)))
    count = whole(word_at(map_at(state.content, "status", "capacity"), "nvidia.com/gpu"))
    if count is not None:
        ties.gpu_counts[name] = count


def _learn_pod(ties: Ties, state: ObjectState) -> None:
    pod: Key = ("pod", f"{state.namespace}/{state.name}")
    spec = map_at(state.content, "spec")
    node: Key = ("node", normalise("node", word_at(spec, "nodeName")))
    if state.uid:
        ties.equate("pod", pod[1], state.uid.lower())
    ties.relate(pod, node)
    ties.node(node[1])
    if "volumes" in spec:
        ties.described.add(pod)
    address = word_at(map_at(state.content, "status"), "podIP")
    if address and node[1]:
        ties.addresses.setdefault(address, set()).add(node[1])
    job = job_of(state)
    ties.relate(pod, ("job", job or rendezvous_of(state)), inferred=not job)
    ties.listed |= {job} if job else set()
    for volume in list_at(state.content, "spec", "volumes"):
        _learn_pod_volume(ties, pod, node, volume)
    for container in list_at(state.content, "status", "containerStatuses"):
        ties.relate(("container", normalise("container", word_at(container, "containerID"))), pod)


def _learn_pod_volume(ties: Ties, pod: Key, node: Key, volume: Things) -> None:
    claim = word_at(map_at(volume, "persistentVolumeClaim"), "claimName")
    namespace = pod[1].split("/", 1)[0]
    if claim:
        ties.relate(pod, ("volume", f"{namespace}/{claim}"))
    server = word_at(map_at(volume, "nfs"), "server")
    ties.relate(pod, ("storage_server", normalise("storage_server", server)))
    path = word_at(map_at(volume, "hostPath"), "path")
    if path and node[1]:
        ties.relate(pod, ("mount", normalise("mount", f"{node[1]}:{path}")))


def _learn_claim(ties: Ties, state: ObjectState) -> None:
    volume = word_at(map_at(state.content, "spec"), "volumeName")
    if volume:
        ties.equate("volume", volume, f"{state.namespace}/{state.name}")


def _learn_volume(ties: Ties, state: ObjectState) -> None:
    spec = map_at(state.content, "spec")
    attributes = map_at(spec, "csi", "volumeAttributes")
    server = (
        word_at(map_at(spec, "nfs"), "server")
        or word_at(attributes, "server")
        or word_at(attributes, "share")
    )
    ties.relate(("volume", state.name), ("storage_server", normalise("storage_server", server)))
    claim = map_at(spec, "claimRef")
    if word_at(claim, "name"):
        ties.equate("volume", state.name, f"{word_at(claim, 'namespace')}/{word_at(claim, 'name')}")


def _learn_attachment(ties: Ties, state: ObjectState) -> None:
    spec = map_at(state.content, "spec")
    volume: Key = ("volume", word_at(map_at(spec, "source"), "persistentVolumeName"))
    if map_at(state.content, "status").get("attached") is True:
        ties.relate(volume, ("node", normalise("node", word_at(spec, "nodeName"))))


def _learn_inventory(ties: Ties, state: ObjectState) -> None:
    """Read one thing of an inventory: its kind and name, then the places it belongs to."""
    content = state.content
    for kind, name in _inventory_subjects(content):
        if kind == "node":
            ties.node(name)
        for word, other in _PLACES.items():
            for value in names_of(content.get(word)):
                ties.relate((kind, name), (other, normalise(other, value)))
        for path, server in map_at(content, "mounts").items():
            mount: Key = ("mount", normalise("mount", f"{name}:{path}"))
            ties.relate(mount, (kind, name))
            ties.relate(mount, ("storage_server", normalise("storage_server", text_of(server))))


_PLACES = {
    "rack": "rack", "pdu": "pdu", "pdus": "pdu", "switch": "switch", "switches": "switch",
    "leaf": "switch", "storage_server": "storage_server", "storage_servers": "storage_server",
    "job": "job", "jobs": "job",
}  # fmt: skip


def _inventory_subjects(content: Things) -> Iterator[Key]:
    for kind in ("node", "nodes", "host", "hosts"):
        for name in names_of(content.get(kind)):
            yield "node", normalise("node", name)


def _learn_gpu(ties: Ties, host: str, values: Mapping[str, str]) -> None:
    uuid = values.get("uuid") or values.get("gpu_uuid") or ""
    address = next((v for k, v in values.items() if k in _PCI_NAMES and v), "")
    gpu = normalise("gpu", uuid) or normalise("gpu", f"{host}/{address}" if host else "")
    ties.relate(("gpu", gpu), ("node", host))
    if host:
        _learn_alias(ties, host, values)


def _learn_alias(ties: Ties, host: str, values: Mapping[str, str]) -> None:
    """Take that a card's UUID and its address on a host are one thing."""
    uuid = values.get("uuid") or values.get("gpu_uuid") or ""
    address = next((v for k, v in values.items() if k in _PCI_NAMES and v), "")
    if uuid and address:
        ties.seat(normalise("gpu", uuid), normalise("gpu", f"{host}/{address}"))


_PCI_NAMES = frozenset({"pci_bus_id", "pci", "bus_id", "bdf", "pci_address", "busid"})


def _learn_mount(ties: Ties, host: str, values: Mapping[str, str]) -> None:
    target = values.get("target") or values.get("mountpoint") or values.get("path") or ""
    source = values.get("source") or values.get("device") or ""
    if not host or not target:
        return
    mount: Key = ("mount", normalise("mount", f"{host}:{target}"))
    ties.relate(mount, ("node", host))
    if ":/" not in source:
        return
    server = normalise("storage_server", source)
    ties.relate(mount, ("storage_server", server))
    option = _ADDRESS_OPTION.search(values.get("options", ""))
    address = values.get("addr") or (option.group(1) if option else "")
    if address and not is_address(server):
        ties.equate("storage_server", server, address)


def _learn_process(ties: Ties, host: str, values: Mapping[str, str]) -> None:
    pid = values.get("pid") or values.get("host_pid") or ""
    container = normalise("container", values.get("container_id") or values.get("id") or "")
    pod = normalise("pod", pod_of(values))
    process: Key = ("process", normalise("process", f"{host}/{pid}") if pid else "")
    for one, other in (
        (process, ("container", container)),
        (process, ("pod", pod)),
        (process, ("node", host)),
        (process, ("gpu", normalise("gpu", values.get("uuid", "")))),
        (("container", container), ("pod", pod)),
        (("container", container), ("node", host)),
        (("pod", pod), ("node", host)),
    ):
        ties.relate(one, other)


def _learn_link(ties: Ties, values: Mapping[str, str]) -> None:
    """A host hangs on a switch, by an adapter of its own where that is named."""
    host, nic = normalise("node", values.get("host", "")), values.get("nic", "")
    switch: Key = ("switch", values.get("switch", ""))
    ties.node(host)
    ties.relate(("node", host), switch)
    if host and nic:
        ties.relate(("nic", normalise("nic", f"{host}/{nic}")), switch)


_BY_KIND: Mapping[str, Callable[[Ties, ObjectState], None]] = {
    "Node": _learn_node,
    "Pod": _learn_pod,
    "PersistentVolumeClaim": _learn_claim,
    "PersistentVolume": _learn_volume,
    "VolumeAttachment": _learn_attachment,
    "Topology": _learn_inventory,
}
