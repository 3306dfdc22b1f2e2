"""This host's ports: the kernel's files, read by a real grep; what was counted is never reset."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.bundle import Bundle
from tools.capture import Capture
from tools.context import ProbeContext
from tools.evidence import Reading
from tools.probes.infiniband import infiniband_counters, infiniband_ports, ports
from tools.request import Request

Program = Callable[[str, str], Path]
_PORT = {
    "state": "4: ACTIVE",
    "phys_state": "5: LinkUp",
    "rate": "400 Gb/sec (4X NDR)",
    "link_layer": "InfiniBand",
    "counters/symbol_error": "0",
    "counters/link_downed": "3",
    "counters/port_xmit_data": "918273645",
    "hw_counters/local_ack_timeout_err": "55",
    "hw_counters/out_of_sequence": "7",
}
"""A port of mlx5 and what its files say."""


@pytest.fixture(name="sys")
def _sys(tmp_path: Path, context: ProbeContext) -> Path:
    """A host with an InfiniBand port and an Ethernet port."""
    context.sys = tmp_path / "sys"
    for device, layer in (("mlx5_0", "InfiniBand"), ("mlx5_bond_0", "Ethernet")):
        for name, value in {**_PORT, "link_layer": layer}.items():
            file = context.sys / "class/infiniband" / device / "ports/1" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{value}\n")
    return context.sys


def text(context: ProbeContext, capture: Capture) -> str:
    return (context.workspace.root / capture.path).read_text()


def named(context: ProbeContext) -> dict[str, Capture]:
    captures = infiniband_counters(Request(), context)
    return {Path(each.path or each.command).stem: each for each in captures}


def test_counters_are_read_as_the_host_names_them(sys: Path, context: ProbeContext) -> None:
    captures = named(context)
    counters = captures["ib-counters-mlx5_0-1"]
    place = "/sys/class/infiniband/mlx5_0/ports/1"

    assert len(ports(sys)) == 2
    assert f"{place}/counters/link_downed:3\n" in text(context, counters)
    assert f"{place}/hw_counters/local_ack_timeout_err:55\n" in text(context, counters)
    assert counters.command == f"grep -rH . {place}/counters {place}/hw_counters"
    assert counters.outcome == "ok"


def test_only_an_infiniband_port_is_asked_by_the_fabrics_own_tool_and_never_to_reset(
    sys: Path, context: ProbeContext, program: Program
) -> None:
    program("perfquery", '#!/bin/sh\necho "asked $*"\n')
    captures = named(context)
    asked = [each for each in captures.values() if each.command.startswith("perfquery")]

    assert sys.exists()
    assert [text(context, each) for each in asked] == ["asked -x -C mlx5_0 -P 1\n"]


def test_what_was_captured_live_is_read_like_any_bundle(sys: Path, context: ProbeContext) -> None:
    captures = named(context)
    items = list(Bundle.open([context.workspace.root]).read(Request()))
    read = [item for item in items if isinstance(item, Reading)]
    nics = [item for item in read if item.kind == "nic"]
    (counted,) = [
        item for item in read if item.kind == "ib_counters" and item.values["nic"] == "mlx5_0"
    ]

    assert sys.exists()
    assert captures
    assert {item.host for item in read} == {context.host}
    assert nics[0].values == {
        "host": context.host, "nic": "mlx5_0", "port": "1", "link_layer": "InfiniBand",
        "physical_state": "LinkUp", "rate_gbps": 400.0, "state": "ACTIVE",
    }  # fmt: skip
    assert (counted.values["link_downed"], counted.values["local_ack_timeout_err"]) == (3, 55)


def test_a_counter_that_cannot_be_read_does_not_spoil_the_others(
    sys: Path, context: ProbeContext, program: Program
) -> None:
    said = "grep: …/counters/VL15_dropped: Invalid argument"
    program("grep", f"#!/bin/sh\n/usr/bin/grep \"$@\"\necho '{said}' >&2\nexit 2\n")
    counters = named(context)["ib-counters-mlx5_0-1"]

    assert sys.exists()
    assert counters.outcome == "ok"
    assert "VL15_dropped: Invalid argument" in counters.detail
    assert "link_downed:3" in text(context, counters)


def test_an_adapter_whose_firmware_does_not_answer_is_an_observation(
    sys: Path, context: ProbeContext, program: Program, hanging: str
) -> None:
    program("grep", hanging)
    context.limit_s = 0.4
    (first, *_) = infiniband_counters(Request(), context)

    assert sys.exists()
    assert first.outcome == "hung"
    assert first.command.startswith("grep -H . /sys/class/infiniband/mlx5_0/ports/1/link_layer")


def test_a_host_without_adapters_has_nothing_to_count(context: ProbeContext) -> None:
    context.sys = context.workspace.root / "no-sys"

    assert list(infiniband_counters(Request(), context)) == []


@pytest.mark.skipif(not shutil.which("rdma"), reason="needs rdma: apt-get install iproute2")
def test_a_kernel_without_rdma_says_so(context: ProbeContext) -> None:
    captures = list(infiniband_ports(Request(), context))

    assert [each.command for each in captures] == ["ibstat", "rdma link show"]
    assert {each.outcome for each in captures} <= {"absent", "empty", "ok"}


def test_programs_that_are_missing_are_absent(
    sys: Path, context: ProbeContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    captures = [*infiniband_ports(Request(), context), *infiniband_counters(Request(), context)]

    assert sys.exists()
    assert {each.outcome for each in captures} == {"absent"}
