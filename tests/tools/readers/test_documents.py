"""Objects, metrics, alerts, readings and command outputs are typed."""

import json

import pytest

from tests.tools.readers import samples
from tests.tools.readers.conftest import Read


@pytest.mark.parametrize("name", ["list", "prometheus", "openmetrics", "alerts", "nvml", "yaml"])
def test_whole_documents_leave_no_gap(read: Read, name: str) -> None:
    """An undamaged document is read in its own format, not as text."""
    assert not read(samples.ALL[name]).gaps


def test_objects_are_states_and_events_are_records(read: Read) -> None:
    """A List yields its parts; an Event tells who, what, how often."""
    reads = read(samples.LIST)
    assert [(s.kind, s.namespace, s.name, s.uid) for s in reads.states] == [
        ("Pod", "train", "job-0", "u1")
    ]
    (event,) = reads.records
    assert (event.channel, event.unit, event.host) == ("event", "node-controller", "")
    assert event.clock == "api:"
    assert event.time is not None
    assert event.time.utc.isoformat() == "2025-06-20T02:27:00+00:00"
    told = {key: event.fields[key] for key in ("reason", "kind", "name", "count", "node")}
    assert told == {
        "reason": "NodeNotReady", "kind": "Node", "name": "gpu-1", "count": "3", "node": "gpu-1",
    }  # fmt: skip
    assert event.fields["first_time"] == "2025-06-20T02:26:00Z"


def test_raw_api_lists_name_their_items(read: Read) -> None:
    """A PodList's items carry no kind of their own."""
    pod = {key: value for key, value in samples.POD.items() if key not in {"kind", "apiVersion"}}
    document = {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [pod]}
    (state,) = read(json.dumps(document)).states
    assert (state.kind, state.content["kind"]) == ("Pod", "Pod")


def test_a_cut_list_keeps_its_whole_items(read: Read) -> None:
    """Objects before the cut are read, and the loss is told."""
    pods = [{**samples.POD, "metadata": {"name": f"job-{n}", "namespace": "t"}} for n in range(9)]
    text = json.dumps({"apiVersion": "v1", "items": pods, "kind": "List"})
    reads = read(text[: len(text) * 2 // 3])
    assert 4 <= len(reads.states) <= 6
    assert any("whole parts read" in gap.why for gap in reads.gaps)


def test_yaml_scalars_are_typed_like_json(read: Read) -> None:
    """Quantities and times stay text."""
    (state,) = read(samples.YAML).states
    assert state.kind == "Node"
    assert state.content["status"] == {"capacity": {"nvidia.com/gpu": 8}}


def test_series_carry_their_query(read: Read) -> None:
    """The query's name comes from the file's name where nothing else tells."""
    (series,) = read(samples.PROMETHEUS, "prometheus/gpu_xid.json").series
    assert series.query == "gpu_xid"
    assert [sample.value for sample in series.samples] == [0.0, 79.0]
    assert series.clock == "scrape:prometheus"


def test_times_of_no_century_are_damage(read: Read) -> None:
    """A sample's time that no calendar has makes a gap, not a failure later."""
    damaged = samples.PROMETHEUS.replace("1750386206", "1e300")
    reads = read(damaged, "prometheus/gpu_xid.json")
    assert not reads.series
    assert any("no time" in gap.why for gap in reads.gaps)


def test_a_refused_query_is_a_gap(read: Read) -> None:
    """The server's words are kept."""
    body = {"status": "error", "errorType": "bad_data", "error": "exceeded maximum resolution"}
    assert "maximum resolution" in read(json.dumps(body)).gaps[0].why


def test_openmetrics_groups_samples(read: Read) -> None:
    """One series per label set, samples in order, labels unescaped."""
    load, counter = read(samples.OPENMETRICS).series
    assert (load.query, len(load.samples)) == ("node_load1", 2)
    assert counter.labels == {"a": 'q"uote', "b": "2"}


def test_alerts_are_records(read: Read) -> None:
    """Webhook bodies, API answers and recorded requests alike."""
    body = json.loads(samples.ALERTS)
    prometheus = {"status": "success", "data": {"alerts": body["alerts"]}}
    for document in (body, body["alerts"], {"path": "/", "body": body}, prometheus):
        (alert,) = read(json.dumps(document)).records
        assert (alert.channel, alert.text) == ("alert", "NfsStall: NFS retransmissions")
        assert alert.host == "gpu-1"
        assert alert.fields["severity"] == "warning"


def test_nvml_values_have_one_vocabulary(read: Read) -> None:
    """Names are the handbook's; a GPU that is lost says so; processes are readings."""
    reads = read(samples.NVML)
    first, second = [reading for reading in reads.readings if reading.kind == "gpu"]
    assert first.values["ecc_volatile_uncorrectable"] == 2
    assert first.values["bdf"] == "0000:9b:00.0"
    assert (first.values["lost"], second.values["lost"]) == (False, True)
    assert first.observed is not None
    assert [r.values["pid"] for r in reads.readings if r.kind == "process"] == [41022]


def test_nvidia_smi_says_the_same(read: Read) -> None:
    """Counters are summed over memories, widths and flags typed."""
    reads = read(samples.SMI)
    (gpu,) = [reading for reading in reads.readings if reading.kind == "gpu"]
    wanted = {
        "ecc_volatile_uncorrectable": 3, "ecc_aggregate_uncorrectable": 4, "remap_pending": True,
        "remap_failure": False, "pcie_width": 8, "pcie_width_max": 16, "temperature_c": 44,
        "bdf": "0000:9b:00.0", "lost": False, "driver": "550.127.08",
    }  # fmt: skip
    assert {key: gpu.values[key] for key in wanted} == wanted


def test_describe_gives_its_events(read: Read) -> None:
    """Reason, count and object; no time without the capture's."""
    (event,) = read(samples.DESCRIBE).records
    assert event.channel == "event"
    assert (event.fields["reason"], event.fields["count"]) == ("NodeNotReady", "6")
    assert event.fields["node"] == "gpu-1"
    assert event.time is None


def test_mounts_are_typed(read: Read) -> None:
    """Source, target and the options that decide how a client waits."""
    reads = read(samples.MOUNTS, "host/gpu-1/mounts.txt")
    nfs = reads.readings[1]
    assert (nfs.kind, nfs.host) == ("mount", "gpu-1")
    wanted = {"path": "/data", "server": "10.0.0.10", "hard": True, "timeo_ds": 600, "retrans": 2}
    assert {key: nfs.values[key] for key in wanted} == wanted


def test_df_counts_in_bytes(read: Read) -> None:
    """Sizes and shares."""
    root = read(samples.DF).readings[0]
    assert root.values["use_percent"] == 98
    assert root.values["avail_bytes"] == 100 << 30


def test_a_slow_clock_is_behind(read: Read) -> None:
    """The offset is what the host's clock is ahead by."""
    (chrony,) = read(samples.CHRONY, "host/gpu-1/chrony.txt").readings
    assert chrony.values["offset_s"] == -37.284


def test_packages_are_changes(read: Read) -> None:
    """A transaction is one record with what it changed."""
    (record,) = read(samples.APT).records
    assert record.unit == "apt"
    assert record.fields["packages"] == "libnvidia-compute-550:amd64"


def test_topology_is_one_object_per_node(read: Read) -> None:
    """The inventory's nodes with their places."""
    states = read(samples.TOPOLOGY).states
    assert states[-1].content == {"node": "gpu-1", "name": "gpu-1", "rack": "r1", "switch": "leaf1"}


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        (" 02:23:15 up 3 days,  4:05,  1 user,  load average: 3.5, 1, 1\n", "uptime",
         {"uptime_s": 273900.0}),
        ("1750386191.50 100.00\n", "uptime", {"uptime_s": 1750386191.5}),
        (samples.IBSTAT, "nic",
         {"nic": "mlx5_0", "state": "Down", "rate_gbps": 400.0, "model": "MT4129"}),
        ("link mlx5_1/1 state DOWN physical_state POLLING netdev ib0\n", "nic",
         {"nic": "mlx5_1", "state": "DOWN"}),
        ("0000:9b:00.0 3D controller: NVIDIA Corporation Device 2330 (rev ff)\n", "pci",
         {"bdf": "0000:9b:00.0", "lost": True}),
        (samples.LSPCI, "pci",
         {"bdf": "0000:9b:00.0", "width": 8, "width_max": 16, "lost": False}),
        (samples.LSPCI_BRIDGE, "pci",
         {"bdf": "0000:00:01.1", "class": "PCI bridge", "acs_redirect": True}),
        ("2025-06-20 00:00:00\n", "uptime", {"boot": "2025-06-20T00:00:00+00:00"}),
        (samples.CRI_INSPECT, "container", {"pid": 7, "pod": "p", "exit_code": 137}),
        ("  PID STAT WCHAN                  COMMAND\n 4102 D    rpc_wait_bit_killable df -h\n",
         "process", {"pid": "4102", "state": "D", "command": "df -h"}),
        ("/data from 10.0.0.10:/export\n Flags:\trw,soft,timeo=600,retrans=2,addr=10.0.0.10\n",
         "mount", {"server": "10.0.0.10", "hard": False}),
        ("Timezone=Asia/Shanghai\nNTPSynchronized=yes\n", "chrony", {"zone": "Asia/Shanghai"}),
        ('{"host": "gpu-1", "processes": [{"pid": 7, "container": "ab", "pod_uid": "u"}]}',
         "process", {"pid": 7, "container_id": "ab"}),
        ('[{"Id": "abc", "State": {"Pid": 7, "OOMKilled": true, "ExitCode": 137}}]', "container",
         {"oom_killed": True, "exit_code": 137}),
    ],
)  # fmt: skip
def test_host_commands_are_typed(
    read: Read, text: str, kind: str, values: dict[str, object]
) -> None:
    """Each program's output yields its readings."""
    (reading,) = [reading for reading in read(text).readings if reading.kind == kind]
    assert {key: reading.values[key] for key in values} == values


def test_objects_without_capture_are_as_old_as_their_last_heartbeat(read: Read) -> None:
    """A loose file was taken no earlier than the youngest stamp in it."""
    beat = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2025-06-20T02:23:11Z"}
    node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"},
            "status": {"conditions": [beat]}}  # fmt: skip
    (state,) = read(json.dumps(node)).states
    assert state.observed is not None
    assert state.observed.utc.isoformat() == "2025-06-20T02:23:11+00:00"
    assert state.observed.uncertainty_s == 300


def test_a_driver_bug_report_speaks_for_the_kernel(read: Read) -> None:
    """Its kernel lines count as the kernel's, though workload words surround them."""
    text = "Start of NVIDIA bug report log file.\n" + "cuda rank 3 loss\n" * 9
    text += "[  12.345678] NVRM: Xid (PCI:0000:9b:00): 79, x\n"
    assert [r.channel for r in read(text).records] == ["kernel"]
