"""What the shipped node health check says of the GPUs."""

import shutil
from pathlib import Path

import pytest

from tests.integrations.deploy.gpu_node import EIGHT, LIMIT_S, UUIDS, Node, roster


def test_a_node_with_all_its_gpus_passes(each_node: Node) -> None:
    said = each_node.check(*EIGHT)

    assert (said.code, said.line) == (0, "PASS: 8 of 8 GPUs answer")
    assert said.seconds < LIMIT_S


def test_what_is_expected_stands_in_a_local_file(each_node: Node, tmp_path: Path) -> None:
    config = tmp_path / "conf"
    lines = ["# this node", "gpu_count = 8", *(f"gpu_uuid={uuid}" for uuid in UUIDS)]
    config.write_text("\r\n".join(lines))

    assert each_node.check("--config", str(config)).code == 0
    each_node.answers("roster", *(roster(n) for n in range(7)))
    assert each_node.check("--config", str(config)).line == (
        f"FAIL: 7 of 8 GPUs answer, missing {UUIDS[7]}"
    )


def test_without_an_expectation_nothing_is_judged(node: Node, tmp_path: Path) -> None:
    """At least one GPU would pass with seven of eight lost."""
    said = node.check("--config", str(tmp_path / "absent"))

    assert said.code == 2
    assert "what this node should have is not stated" in said.line


def test_a_lost_gpu_fails_the_node_and_is_named(each_node: Node) -> None:
    """As nvidia-smi answers once a GPU has left the bus."""
    lost = (
        "Unable to determine the device handle for GPU0000:22:00.0: GPU is lost.  "
        "Reboot the system to recover this GPU"
    )
    each_node.answers("roster", *(roster(n) for n in range(7)), lost, code=15)

    said = each_node.check(*EIGHT)

    assert said.code == 1
    assert said.line.startswith(f"FAIL: 7 of 8 GPUs answer, missing {UUIDS[7]} (Unable to deter")


def test_another_gpu_than_expected_fails_though_the_number_is_right(node: Node) -> None:
    other = "GPU-99999999-1111-2222-3333-444444444444"
    node.answers("roster", *(roster(n) for n in range(7)), f"{other}, 00000000:22:00.0, 40")

    assert node.check(*EIGHT).line == f"FAIL: not the expected GPUs: missing {UUIDS[7]}"
    assert node.check("--count", "8").code == 0


def test_more_gpus_than_stated_are_no_match(node: Node) -> None:
    assert node.check("--count", "4").line == "FAIL: 8 of 4 GPUs answer"


@pytest.mark.parametrize("word", ["[GPU requires reset]", "[GPU is lost]", "[Unknown Error]"])
def test_a_gpu_that_answers_with_an_error_fails(node: Node, word: str) -> None:
    node.answers("roster", *(roster(n) for n in range(7)), roster(7, word))

    said = node.check(*EIGHT)

    assert said.code == 1
    assert word in said.line


def test_the_action_that_the_driver_asks_for_fails_the_node(node: Node) -> None:
    """After an Xid that needs one, nvidia-smi shows it until it is done."""
    node.answers("recovery", *(f"{u}, None" for u in UUIDS[:7]), f"{UUIDS[7]}, Drain and Reset")

    said = node.check(*EIGHT)

    assert (said.code, said.line) == (
        1, f"FAIL: {UUIDS[7]}: the driver asks for: Drain and Reset"
    )  # fmt: skip


def test_a_driver_that_does_not_know_the_action_is_not_at_fault(node: Node) -> None:
    node.answers(
        "recovery", 'Field "gpu_recovery_action" is not a valid field to query.', "", code=2
    )

    assert node.check(*EIGHT).line == "PASS: 8 of 8 GPUs answer"


@pytest.mark.parametrize("pending", ["Yes", "1"])
def test_a_remap_that_waits_for_a_reset_only_warns(node: Node, pending: str) -> None:
    """New work may run on such a GPU."""
    node.answers("rows", f"{UUIDS[0]}, {pending}, No", *(f"{u}, No, No" for u in UUIDS[1:]))

    said = node.check(*EIGHT)

    assert (said.code, said.line) == (
        0, f"WARN: 8 of 8 GPUs answer; {UUIDS[0]}: a row remap waits for the next reset"
    )  # fmt: skip


def test_a_remap_that_failed_fails_the_node(node: Node) -> None:
    node.answers("rows", f"{UUIDS[0]}, No, Yes", *(f"{u}, No, No" for u in UUIDS[1:]))

    assert node.check(*EIGHT).line == f"FAIL: {UUIDS[0]}: row remapping failed"


def test_a_driver_that_is_not_loaded_fails_the_node_with_its_words(node: Node) -> None:
    words = (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
        "Make sure that the latest NVIDIA driver is installed and running."
    )
    node.answers("roster", words, code=9)

    said = node.check("--count", "8")

    assert said.code == 1
    assert said.line.startswith("FAIL: 0 of 8 GPUs answer (NVIDIA-SMI has failed")


def test_without_nvidia_smi_nothing_can_be_told(node: Node) -> None:
    if shutil.which("nvidia-smi"):
        pytest.skip("this machine has a real nvidia-smi in a system folder")
    (node.folder / "bin" / "nvidia-smi").unlink()

    said = node.check(*EIGHT)

    assert (said.code, said.line) == (2, "UNKNOWN: nvidia-smi is not in a local folder of PATH")


@pytest.mark.parametrize("options", [("--count",), ("--cuont", "8"), ("--count", "many")])
def test_a_wrong_command_line_judges_nothing(node: Node, options: tuple[str, ...]) -> None:
    assert node.check(*options).code == 2
