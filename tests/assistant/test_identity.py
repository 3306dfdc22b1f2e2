"""One spelling for each thing."""

import pytest

from assistant.identity import is_address, is_uid, normalise

GPU = "GPU-2a6f7a11-0000-4b7c-9d2e-0123456789ab"
UID = "0f3c6a1e-9a51-4c7e-8f0a-2b1c3d4e5f60"


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("gpu", "gpu-07/PCI:0000:9B:00", "gpu-07/0000:9b:00"),
        ("gpu", "gpu-07/00000000:9B:00.0", "gpu-07/0000:9b:00"),
        ("gpu", GPU.upper(), GPU),
        ("gpu", "gpu-07/3", "gpu-07/3"),
        ("gpu", "/0000:9b:00", ""),
        ("nvswitch", "gpu-07/00000000:05:00.0", "gpu-07/0000:05:00"),
        ("nvswitch", "gpu-07/0000:05:00.0", "gpu-07/0000:05:00"),
        ("nvswitch", "gpu-07/2", "gpu-07/2"),
        ("nvswitch", "0xB0CF0E0300E31440", "0xb0cf0e0300e31440"),
        ("pcie_port", "gpu-07/0000:97:01.0", "gpu-07/0000:97:01.0"),
        ("pod", UID.replace("-", "_"), UID),
        ("pod", "kubepods-pod" + UID.replace("-", "_") + ".slice", UID),
        ("pod", "ml/train-0", "ml/train-0"),
        ("pod", "train-0", ""),
        ("container", "containerd://" + "ab" * 32, "ab" * 6),
        ("container", "/kubepods.slice/cri-containerd-" + "cd" * 32 + ".scope", "cd" * 6),
        ("mount", "gpu-07:/data/", "gpu-07:/data"),
        ("mount", "gpu-07:10.0.0.10", "gpu-07:10.0.0.10"),
        ("filesystem", "gpu-07:9100:/", "gpu-07:/"),
        ("filesystem", "gpu-07:9100:/var", "gpu-07:/var"),
        ("storage_server", "10.0.0.10:/export/data", "10.0.0.10"),
        ("storage_server", "10.2.0.7@o2ib", "10.2.0.7"),
        ("storage_server", "nfs.storage.svc:2049", "nfs.storage.svc"),
        ("nic", "gpu-07/mlx5_3:1", "gpu-07/mlx5_3"),
        ("nic", "gpu-07/00000000:AB:00.1", "gpu-07/0000:ab:00.1"),
        ("disk", "gpu-07//dev/sda", "gpu-07/sda"),
        ("node", "10.4.2.7<52311>", "10.4.2.7"),
        ("node", "GPU-07.example.org.", "gpu-07.example.org"),
        ("job", "4711", "slurm:4711"),
        ("rank", "4711/3", "slurm:4711/3"),
        ("rank", "/3", ""),
        ("process", "gpu-07/4242", "gpu-07/4242"),
        ("process", "gpu-07/<unknown>", ""),
        ("process", "ml/t-0/4242", "ml/t-0/4242"),
        ("queue", " batch ", "batch"),
    ],
)  # fmt: skip
def test_an_identity_has_one_spelling(kind: str, text: str, expected: str) -> None:
    """Whatever way a line writes it, the identity comes out in its kind's one form."""
    assert normalise(kind, text) == expected


def test_addresses_and_uids_are_told_from_names() -> None:
    """Only true addresses and UUIDs count as such."""
    assert is_address("10.0.0.1")
    assert is_address("fe80::1")
    assert not is_address("gpu-07")
    assert is_uid(UID)
    assert not is_uid("ml/" + UID)
