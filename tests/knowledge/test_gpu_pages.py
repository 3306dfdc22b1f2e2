"""The GPU side of the handbook: which page each number and message of driver and CUDA leads to."""

from functools import cache
from itertools import chain

import pytest

from knowledge.matching import Matcher
from knowledge.page import Page, TextSignature
from tests.assistant.handbook import shipped

UNEXPLAINED = "xid-not-in-handbook"
DECODERS = (68, 82, 83, 84, 86, 88, 89, *range(96, 106), 139)
COPY_ENGINES = (39, 40, 41, 70, 71, 72, 75, 76, 77, 85, *range(126, 136))
XIDS = {
    "application": {
        "xid-13-graphics-exception": (13,),
        "xid-31-mmu-fault": (31,),
        "xid-69-class-error": (69,),
        "xid-video-engine": (60, 65, 73, 142, *DECODERS),
    },
    "driver": {
        "xid-8-engine-stopped": (8,),
        "xid-32-push-buffer": (11, 25, 32, 80),
        "xid-firmware-violation": (37, 44, 66, 67),
        "xid-copy-engine": COPY_ENGINES,
        "xid-78-vgpu-start": (78,),
        "xid-109": (109,),
        "xid-119-gsp-timeout": (119,),
        "xid-120-gsp-error": (120,),
        "xid-confidential-computing": (151, 166, 170),
        "xid-155-link-down-by-software": (155,),
    },
    "hardware": {
        "xid-46-158-gpu-timeout": (46, 158),
        "xid-48-double-bit-ecc": (48,),
        "xid-54-aux-power": (54,),
        "xid-61-pmu-breakpoint": (61,),
        "xid-62-pmu-halt": (62,),
        "xid-64-row-remap-failure": (64,),
        "xid-79-fell-off-bus": (79,),
        "xid-92-high-corrected-ecc": (92,),
        "xid-93-inforom-wear": (93,),
        "xid-94-contained-ecc": (94,),
        "xid-95-uncontained-ecc": (95,),
        "xid-110-security-fault": (110,),
        "xid-140-unrecovered-ecc": (140,),
        "gpu-init-failed": (143,),
        "xid-157-161-no-spare": (157, 161),
        "xid-159-chi-error": (159,),
        "xid-163-165-power-smoothing": (163, 164, 165),
        "xid-167-pcie-fatal-timeout": (167,),
        "xid-168-reduced-memory": (168,),
        "xid-169-sec2-halt": (169,),
        "xid-171-172-uncorrectable-detail": (171, 172),
        "xid-173-179-c2c-fatal": (173, 179),
        "xid-175-memory-subsystem": (175,),
    },
    "collateral": {
        "xid-43-channel-reset": (43,),
        "xid-45-channel-removed": (45,),
        "xid-63-row-remap": (63,),
        "xid-137-nvlink-privilege": (108, 137),
        "xid-156-tpc-retired": (156,),
        "xid-160-177-repair-pending": (160, 177),
    },
    "informational": {
        "xid-informational": (14, 106, 107, 141, 162),
        "xid-121-c2c-corrected": (121,),
    },
}
"""Kind of fault, then page, then the numbers whose bare line is enough to know it."""
SPOKEN = {
    38: ("xid-firmware-violation", "channel 0x00000003 0000c597 00000000 00000000"),
    74: ("xid-74-nvlink", "NVLink: fatal error detected on link 4(0x10000, 0x0, 0x0)"),
    136: ("xid-136-link-training", "NVLink: Link training failed for link 7(0x0, 0x3, 0x0)"),
    144: ("xid-nvlink5-fault", "SAW_MVB Fatal XC0 i0 Link 00 (0x00000001 0x00000002)"),
    145: ("xid-nvlink5-nonfatal", "RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x040988e2 0x8)"),
    146: ("xid-nvlink5-nonfatal", "TLW_RX_PIPE1 Nonfatal XC0 i0 Link 03 (0x00000010)"),
    147: ("xid-nvlink5-nonfatal", "TREX_ERR Nonfatal XC 00 i 00 Link 02 (0x00000005)"),
    148: ("xid-nvlink5-fault", "NVLPW_CTRL Fatal XC0 i0 Link 05"),
    149: ("xid-nvlink5-fault", "NETIR_LINK_DOWN Fatal XC0 i0 Link 14 (0x021425c6 0x00000000)"),
    150: ("xid-nvlink5-fault", "MSE degraded  Fatal   XC0 i0 Link -1 (0x00000000 0xffffffff)"),
    154: ("xid-154-recovery-action", "GPU recovery action changed from 0x0 (None) to 0x4 (Drain)"),
}
"""Numbers whose own words decide."""
KINDS = {
    "application": ({"application"}, {"root"}),
    "driver": ({"system"}, {"root", "mechanism"}),
    "hardware": ({"hardware"}, {"root", "mechanism"}),
    "collateral": ({"hardware", "system", "application"}, {"symptom"}),
    "informational": ({"hardware", "system"}, {"benign"}),
}
BEAT = "_kgspIsHeartbeatTimedOut: Heartbeat timed out, currentTimeMs 812751949 heartbeat"
PEERMEM = (
    "nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, "
    "skipping further processing"
)
RESET = (46, 62, 95, 110, 119, 120, 140, 143, 155, 156, 158)
RESTART = (8, 11, 13, 25, 31, 32, 69, 80, 94, *COPY_ENGINES, *DECODERS)


@cache
def matcher() -> Matcher:
    return Matcher(shipped())


def shown(line: str, channel: str = "kernel") -> set[str]:
    return {match.page for match in matcher().match_text(channel, "", line)}


def bare(number: int) -> str:
    return f"NVRM: Xid (PCI:0000:41:00): {number}, pid=41022, name=python3, "


def table() -> list[tuple[str, str, int]]:
    return [
        (kind, page_id, number)
        for kind, pages in XIDS.items()
        for page_id, numbers in pages.items()
        for number in numbers
    ]


def of(number: int) -> Page:
    (page,) = shipped().by_code(f"Xid {number}")
    return page


@pytest.mark.parametrize(("kind", "page_id", "number"), table())
def test_an_xid_leads_to_its_page_and_kind_of_fault(kind: str, page_id: str, number: int) -> None:
    """By its line and by its code; whose fault it is follows from the page's layer and role."""
    page = shipped().page(page_id)
    layers, roles = KINDS[kind]
    assert shown(bare(number)) == {page_id}
    assert of(number) is page
    assert page.layer in layers
    assert page.role in roles


@pytest.mark.parametrize(("number", "page_id"), [(n, p) for n, (p, _) in SPOKEN.items()])
def test_an_xid_whose_words_decide_is_read_by_them(number: int, page_id: str) -> None:
    """The same number can be fatal or not; without its words it is shown and not explained."""
    assert shown(bare(number) + SPOKEN[number][1]) == {page_id}
    assert shown(bare(number)) <= {UNEXPLAINED, page_id}
    assert shown(bare(number))


def test_no_number_is_passed_over() -> None:
    """What no page explains is still shown, also numbers that no catalog holds yet."""
    explained = {number for _, _, number in table()} | {*SPOKEN}
    rest = [number for number in range(1, 400) if number not in explained]
    assert [n for n in rest if shown(bare(n)) != {UNEXPLAINED}] == []


@pytest.mark.parametrize("number", [16, 46, 79, 110, 133, 167, 999])
@pytest.mark.parametrize(
    "form",
    [
        "NVRM: Xid (PCI:0000:41:00): {}, ",
        "NVRM: Xid (0000:41:00): {}, Ch 00000001",
        "NVRM: Xid (PCI:0000:41:00.0): {}, pid='<unknown>', name=<unknown>, ",
        "NVRM: Xid (PCI:0000:41:00 GPU-I:03): {}, pid=7, name=a b, ",
        "NVRM: Xid (PCI:0009:41:00 GPU-I:03 GPU-CI:00): {}, ",
        "NVRM: Xid (PCI:0000:41:00): {}",
    ],
)
def test_every_form_of_the_line_is_seen(form: str, number: int) -> None:
    """Old drivers, a PCI function, MIG instances, no process, nothing behind the number."""
    assert len(shown(form.format(number))) == 1


@pytest.mark.parametrize("number", RESTART)
def test_what_a_restart_cures_asks_for_no_reset(number: int) -> None:
    """Where the vendor's action is a restart of the program, no step resets the GPU."""
    steps = {remedy.id: remedy.risk for remedy in of(number).remedies}
    assert steps["restart-app"] == "R2"
    assert not [step for step in steps if step.startswith("reset")]


@pytest.mark.parametrize("number", RESET)
def test_what_needs_a_reset_says_so(number: int) -> None:
    """Where the vendor's action is a reset, the step is there, disruptive and verified."""
    steps = [remedy for remedy in of(number).remedies if remedy.risk == "R3"]
    assert steps
    assert any(step.verify is not None for step in steps)


@pytest.mark.parametrize("number", [14, 106, 107, 121, 141, 162])
def test_what_is_informational_pages_nobody(number: int) -> None:
    """No damage, the lowest priority, and the advice to leave it."""
    page = of(number)
    assert (page.priority, page.damage) == ("P3", 0)
    assert page.do_not


@pytest.mark.parametrize(
    ("code", "action"),
    [
        (1, "GPU Reset Required"),
        (2, "Node Reboot Required"),
        (3, "Drain P2P"),
        (4, "Drain and Reset"),
        (5, "Recover IMEX Domain"),
    ],
)
def test_each_recovery_action_is_read(code: int, action: str) -> None:
    """The driver's own word on what to do, as a field; None ends it."""
    head = "NVRM: Xid (PCI:0000:5c:00): 154, GPU recovery action changed from"
    (found,) = matcher().match_text("kernel", "", f"{head} 0x0 (None) to 0x{code} ({action})")
    (over,) = matcher().match_text("kernel", "", f"{head} 0x{code} ({action}) to 0x0 (None)")
    assert (found.page, found.fields["action"]) == ("xid-154-recovery-action", action)
    assert (found.ended, over.ended) == (False, True)


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("20034, Fatal, Link 30 LTSSM Fault Up", {"sxid-fatal"}),
        ("10007, IO failure", {"sxid-fatal"}),
        ("12028, Non-fatal, Link 32 egress non-posted PRIV error (First)", {"sxid-nonfatal"}),
        ("11004, Non-fatal, Link 36 ingress invalid ACL (First)", {"sxid-traffic-refused"}),
        ("19084, Non-fatal, Link 07 AN1 Heartbeat Timeout Error", {"sxid-traffic-refused"}),
        ("10004, Thermal Slowdown Engaged | PMGR WARN Threshold reached", {"sxid-thermal"}),
        ("10006, TSENSE OVERT Threshold reached. Shutting Down", {"sxid-thermal"}),
        ("10010, ENG reg-write failed. TNVL mode is not enabled", {"sxid-other"}),
        ("20034, Severity 1 Engine instance 30 Sub-engine instance 00", set()),
        ("20034, Data {0x50610002, 0x10100030, 0x00000000}", set()),
    ],
)
def test_a_switch_report_is_read_by_its_severity(text: str, pages: set[str]) -> None:
    """The word decides, some numbers carry none, and the lines below belong to the one above."""
    assert shown(f"nvidia-nvswitch3: SXid (PCI:0000:05:00.0): {text}") == pages


@pytest.mark.parametrize("number", [10003, 11013, 14017, 19030, 20004, 20034, 22003, 23010, 24007])
def test_a_fatal_switch_error_is_found_by_its_number(number: int) -> None:
    """Its code leads to the page of fatal switch errors."""
    assert shipped().by_code(f"SXid {number}")[0].id == "sxid-fatal"


@pytest.mark.parametrize(
    ("code", "text", "page_id"),
    [
        (3, "initialization error", "cuda-not-initialised"),
        (34, "CUDA driver is a stub library", "cuda-stub-library"),
        (36, "API call is not supported in the installed CUDA driver", "cuda-driver-too-old"),
        (46, "CUDA-capable device(s) is/are busy or unavailable", "cuda-unknown-error"),
        (100, "no CUDA-capable device is detected", "cuda-no-device"),
        (101, "invalid device ordinal", "cuda-invalid-ordinal"),
        (209, "no kernel image is available for execution on the device", "cuda-no-kernel-image"),
        (214, "uncorrectable ECC error encountered", "rank-cuda-ecc-error"),
        (217, "peer access is not supported between these two devices", "cuda-peer-access"),
        (218, "a PTX JIT compilation failed", "cuda-ptx-rejected"),
        (222, "the provided PTX was compiled with an unsupported toolchain.", "cuda-ptx-rejected"),
        (700, "an illegal memory access was encountered", "cuda-illegal-address"),
        (702, "the launch timed out and was terminated", "cuda-launch-timeout"),
        (710, "device-side assert triggered", "cuda-device-assert"),
        (719, "unspecified launch failure", "cuda-illegal-address"),
        (802, "system not yet initialized", "fabric-not-ready"),
        (807, "MPS server is not ready to accept new MPS client requests", "cuda-mps-failed"),
        (810, "the MPS client has been terminated by the server", "cuda-mps-failed"),
        (999, "unknown error", "cuda-unknown-error"),
    ],
)
def test_a_cuda_result_leads_to_its_page(code: int, text: str, page_id: str) -> None:
    """The runtime's own words and the number agree."""
    (found,) = shown(f"RuntimeError: CUDA error: {text}", "app")
    (page,) = shipped().by_code(f"CUDA {code}")
    assert found == page.id
    assert found.startswith(page_id)


@pytest.mark.parametrize(
    ("line", "page_id"),
    [
        (
            "NVRM: GPU 0000:01:00.0: rm_init_adapter failed, device minor number 3",
            "gpu-init-failed",
        ),
        (
            f"NVRM: GPU6 {BEAT} 1899482 heartbeatWithOffsetMs 812745879 diff 6070 timeout 5200",
            "xid-120-gsp-error",
        ),
        (
            "NVRM: knvlinkDiscoverPostRxDetLinks_GH100: Getting peer0's postRxDetLinkMask failed!",
            "nvlink-rx-detect-failed",
        ),
        (
            PEERMEM,
            "peermem-invalid-context",
        ),
        (
            "pcieport 0000:97:01.0: AER: Uncorrected (Non-Fatal) error received: 0000:9b:00.0",
            "pcie-aer-nonfatal",
        ),
    ],
)
def test_a_driver_message_without_xid_is_read(line: str, page_id: str) -> None:
    """Monitors that know only Xids call such a host healthy."""
    assert shown(line) == {page_id}


def test_a_gsp_that_never_beat_is_no_failure_of_it() -> None:
    """At start the first heartbeat is zero: the check then counts from nothing."""
    line = f"NVRM: GPU0 {BEAT} 0 heartbeatWithOffsetMs 318098841 diff 4129040 timeout 5200"
    assert shown(line) == set()


@pytest.mark.parametrize(
    ("line", "page_id"),
    [
        ("            SRAM Threshold Exceeded           : Yes", "gpu-sram-threshold"),
        ("            None                              : 2 bank(s)", "gpu-remap-spares-low"),
        ("|  No MIG devices found                         |", "mig-without-instances"),
    ],
)
def test_a_report_of_the_driver_tells_of_worn_memory_and_mig(line: str, page_id: str) -> None:
    """A flag that is set, spare rows that are gone, a GPU without instances."""
    assert shown(line, "command") == {page_id}


@pytest.mark.parametrize(
    "line",
    [
        "            SRAM Threshold Exceeded           : No",
        "            SRAM Threshold Exceeded           : N/A",
        "            Max                               : 640 bank(s)",
        "            None                              : 0 bank(s)",
    ],
)
def test_a_report_of_sound_memory_tells_of_nothing(line: str) -> None:
    """The same lines are printed for every GPU."""
    assert shown(line, "command") == set()


def test_a_gpu_page_that_names_an_xid_has_a_line_for_it() -> None:
    """A code without signature is explained by the fallback's own page alone."""
    families = {"gpu", "nvlink", "driver"}
    pages = [page for page in shipped().pages.values() if page.family in families]
    named = {page.id for page in pages if any(code.startswith("Xid ") for code in page.codes)}
    kernel = {
        page.id
        for page in pages
        for signature in page.signatures
        if isinstance(signature, TextSignature) and signature.source == "kernel"
    }
    assert named <= kernel


def test_contained_and_uncontained_differ_in_whom_they_hit() -> None:
    """94 ends one program and needs no reset now; 95 and 140 end all and do."""
    contained, *spread = (of(number) for number in (94, 95, 140))
    assert contained.priority == "P1"
    assert [page.priority for page in spread] == ["P0", "P0"]
    stages = chain.from_iterable((remedy.risk for remedy in page.remedies) for page in spread)
    assert "R3" in {*stages}


@pytest.mark.parametrize(
    ("values", "pages"),
    [
        ({"nvlinks_down": 1}, {"nvlink-inactive"}),
        ({"nvlinks_down": 0}, set()),
        ({"nvlinks_down": 12}, set()),
        ({"mig_mode": 0, "mig_mode_pending": 1}, {"mig-mode-pending"}),
        ({"mig_mode": 1, "mig_mode_pending": 1}, set()),
        ({"temperature_margin_c": 0}, {"gpu-thermal-slowdown"}),
        ({"temperature_margin_c": 38}, set()),
        (
            {"pcie_generation": 3, "pcie_generation_max": 5, "utilization_percent": 97},
            {"pcie-speed-low"},
        ),
        ({"pcie_generation": 1, "pcie_generation_max": 5, "utilization_percent": 0}, set()),
    ],
)
def test_a_reading_of_a_gpu_is_judged(values: dict[str, object], pages: set[str]) -> None:
    """Some links down, not all; a mode that waits; no margin left; a slow link under load only."""
    reading = {"host": "node-a", "uuid": "GPU-6f0c2b1e", "lost": False, **values}
    assert {match.page for match in matcher().match_state("reading", "gpu", reading)} == pages


@pytest.mark.parametrize(
    ("text", "page_id"),
    [
        ("fatal error 20034 on fid 0", "sxid-fatal"),
        ("non-fatal error 12028 on fid 0", "sxid-nonfatal"),
        ("non-fatal error 11004 on NodeId 0", "sxid-traffic-refused"),
    ],
)
def test_the_fabric_manager_says_the_same_as_the_kernel(text: str, page_id: str) -> None:
    """Its log is often all that a ticket holds."""
    where = "on NVSwitch pci bus id 00000000:86:00.0 physical id 3 port 33"
    assert shown(f"detected NVSwitch {text} {where}", "service") == {page_id}
