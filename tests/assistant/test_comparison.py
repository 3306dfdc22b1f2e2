# ruff: noqa: E501  (findings are told on one line)
"""A node beside its peer, from captures."""

import json
from pathlib import Path

import pytest

from assistant.comparison import compare_paths

GPU = {"uuid": "GPU-1", "vbios": "96.00.74", "ecc_mode": 1, "power_limit_w": 700.0, "lost": False}


def capture(root: Path, host: str, **changed: str) -> None:
    """Write what a collection on one host writes."""
    folder = root / "host" / host
    folder.mkdir(parents=True)
    (root / "nvml").mkdir(exist_ok=True)
    texts = {
        "uname": f"Linux {host} {changed.get('kernel', '5.15.0-134-generic')} #1 SMP x86_64 GNU/Linux\n",
        "os-release": 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 22.04.5 LTS"\n',
        "mounts": "/dev/vda / ext4 rw,relatime 0 0\n"
        f"10.0.0.10:/export /data nfs4 rw,hard,timeo={changed.get('timeo', '600')},vers=4.2,clientaddr={host} 0 0\n",
    }
    commands = {
        "uname": "uname -a",
        "os-release": "cat /etc/os-release",
        "mounts": "cat /proc/self/mounts",
    }
    lines = []
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
        lines.append(
            {
                "path": f"host/{host}/{name}.txt",
                "source": "host",
                "command": commands[name],
                "target": host,
            }
        )
    gpus = [{**GPU, "uuid": f"GPU-{host}-{n}"} for n in range(2)]
    if vbios := changed.get("vbios"):
        gpus[1]["vbios"] = vbios
    report = {"host": host, "driver_version": changed.get("driver", "550.127.08"), "gpus": gpus}
    (root / "nvml" / f"{host}.json").write_text(json.dumps(report))
    lines.append({"path": f"nvml/{host}.json", "source": "nvml", "command": "nvml", "target": host})
    with (root / "manifest.jsonl").open("a") as manifest:
        manifest.writelines(json.dumps(line) + "\n" for line in lines)


def test_hosts_of_one_build_do_not_differ(tmp_path: Path) -> None:
    capture(tmp_path, "n1")
    capture(tmp_path, "n2")
    found = compare_paths("n1", "n2", [tmp_path])

    assert found.differences == ()
    assert found.unseen == ()
    assert {row.aspect for row in found.rows} == {"driver", "firmware", "gpu", "kernel", "mount"}
    assert {row.name: row.node for row in found.rows}["release"] == "5.15.0-134-generic"


def test_what_differs_is_named_on_both_sides(tmp_path: Path) -> None:
    capture(tmp_path, "n1")
    capture(
        tmp_path, "n2", kernel="5.15.0-139-generic", driver="570.1", timeo="50", vbios="96.00.61"
    )
    rows = {
        (row.aspect, row.name): (row.node, row.peer)
        for row in compare_paths("n1", "n2", [tmp_path]).differences
    }

    assert rows["kernel", "release"] == ("5.15.0-134-generic", "5.15.0-139-generic")
    assert rows["driver", "GPU driver"] == ("550.127.08", "570.1")
    assert rows["firmware", "VBIOS"] == ("96.00.74", "1 of 96.00.61, 1 of 96.00.74")
    assert "timeo=600" in rows["mount", "/data"][0]
    assert "timeo=50" in rows["mount", "/data"][1]
    assert len(rows) == 4


def test_a_host_that_was_not_seen_is_unknown_and_not_the_same(tmp_path: Path) -> None:
    capture(tmp_path, "n1")
    found = compare_paths("n1", "n9", [tmp_path])

    assert found.unseen == ("n9",)
    assert found.differences == ()
    assert all(row.peer == "" for row in found.rows)


@pytest.mark.parametrize("value", ["eth0", "mlx5_0"])
def test_nodes_and_settings_of_their_pods_are_compared(tmp_path: Path, value: str) -> None:
    def node(name: str, kubelet: str) -> dict[str, object]:
        info = {"kubeletVersion": kubelet, "kernelVersion": "5.15", "osImage": "Ubuntu"}
        return {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": "H100"}},
            "spec": {"taints": [{"key": "bad", "effect": "NoSchedule"}]},
            "status": {"nodeInfo": info, "allocatable": {"nvidia.com/gpu": "8"}},
        }  # fmt: skip

    def pod(name: str, host: str, setting: str) -> dict[str, object]:
        env = [{"name": "NCCL_SOCKET_IFNAME", "value": setting}, {"name": "RANK", "value": name}]
        return {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "train"},
            "spec": {"nodeName": host, "containers": [{"name": "c", "env": env}]}, "status": {},
        }  # fmt: skip

    items = [
        node("n1", "v1.32.4"),
        node("n2", "v1.31.0"),
        pod("0", "n1", "eth0"),
        pod("1", "n2", value),
    ]
    (tmp_path / "all.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items})
    )
    rows = {
        (row.aspect, row.name): (row.node, row.peer)
        for row in compare_paths("n1", "n2", [tmp_path]).rows
    }

    assert rows["kubernetes", "kubelet"] == ("v1.32.4", "v1.31.0")
    assert rows["kubernetes", "allocatable nvidia.com/gpu"] == ("8", "8")
    assert rows["kubernetes", "taint bad"] == ("NoSchedule", "NoSchedule")
    assert rows["setting", "NCCL_SOCKET_IFNAME"] == ("eth0", value)
    assert ("setting", "RANK") not in rows


def test_a_folder_for_each_node_says_whose_its_files_are(tmp_path: Path) -> None:
    for host, vers, kernel in (("n1", "4.0", "5.15.0-107"), ("n2", "4.1", "5.15.0-108")):
        folder = tmp_path / host
        folder.mkdir()
        (folder / "mounts.txt").write_text(f"10.0.0.4:/d /data nfs4 rw,vers={vers},hard 0 0\n")
        (folder / "uname.txt").write_text(
            f"Linux {host} {kernel}-generic #1 SMP x86_64 GNU/Linux\n"
        )
    found = compare_paths("n1", "n2", [tmp_path])

    assert found.unseen == ()
    assert {row.name for row in found.differences} == {"release", "/data"}


def node_of(name: str, *taints: str, ready: str = "True") -> dict[str, object]:
    """Write a node's object as the cluster has it."""
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "spec": {"taints": [{"key": key, "effect": "NoSchedule"} for key in taints]},
        "status": {"allocatable": {"nvidia.com/gpu": "8"}, "nodeInfo": {"kernelVersion": "5.15"},
                   "conditions": [{"type": "Ready", "status": ready}]},
    }  # fmt: skip


def test_a_taint_on_one_of_two_whole_nodes_is_a_difference(tmp_path: Path) -> None:
    """The other node's object was read, and the taint is not in it."""
    items = [node_of("n1", "gpu-broken", ready="Unknown"), node_of("n2")]
    (tmp_path / "nodes.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items})
    )
    found = compare_paths("n1", "n2", [tmp_path]).differences

    assert {(row.name, row.node, row.peer) for row in found} == {
        ("taint gpu-broken", "NoSchedule", "none"),
        ("condition Ready", "Unknown", "True"),
    }


def boot_of(host: str, release: str, driver: str) -> str:
    """Write what a kernel logs of a boot."""
    at = f"2026-03-02T04:00:00+00:00 {host} kernel:"
    return (
        f"{at} Linux version {release} (buildd@lcy02) (gcc 11.4.0) #1 SMP\n"
        f"{at} NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}  Tue Oct  8 2024\n"
    )


def test_kernel_logs_tell_kernel_and_driver(tmp_path: Path) -> None:
    (tmp_path / "n1.log").write_text(boot_of("n1", "5.15.0-107-generic", "550.90.07"))
    (tmp_path / "n2.log").write_text(boot_of("n2", "5.15.0-107-generic", "550.127.08"))
    found = compare_paths("n1", "n2", [tmp_path])

    assert {(row.name, row.node, row.peer) for row in found.rows} == {
        ("release", "5.15.0-107-generic", "5.15.0-107-generic"),
        ("kernel module", "550.90.07", "550.127.08"),
    }


def test_hosts_of_plain_logs_are_named(tmp_path: Path) -> None:
    """Also where their lines tell nothing that could be compared."""
    for host in ("n1", "n2"):
        line = f"2026-03-02T04:00:00+00:00 {host} kernel: docker0: port 1(veth1) disabled\n"
        (tmp_path / f"{host}.log").write_text(line)

    assert compare_paths("x", "y", [tmp_path]).others == ("n1", "n2")
    found = compare_paths("n1", "n9", [tmp_path])
    assert found.unseen == ("n1", "n9")
    assert found.absent == ("n9",)


def test_other_hosts_are_named(tmp_path: Path) -> None:
    capture(tmp_path, "n1")

    assert compare_paths("x", "y", [tmp_path]).others == ("n1",)
