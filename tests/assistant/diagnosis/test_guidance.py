"""What an operator is told to do, to look at and to add fits what the evidence shows."""

from dataclasses import replace

import pytest

from assistant.diagnosis.diagnose import diagnose
from assistant.diagnosis.guidance import name_clock
from assistant.sight import Sight, build_sight
from tests.assistant.diagnosis.world import case, event, kernel, page
from tools.evidence import Evidence

LOOK = {"tells": {"en": "what it is", "zh": "是什么"}, "where": "node"}
FALLEN = page(
    "fallen",
    entity={"kind": "gpu"},
    checks=[{"id": "gpu", "command": ["nvidia-smi", "-q", "-i", "{gpu}"], **LOOK}],
    effects=[{"effect": "lost", "scope": "node"}, {"effect": "died", "scope": "node"}],
    remedies=[
        {"id": "fix", "title": {"en": "reseat", "zh": "重插"}, "stage": "recover", "risk": "R3"}
    ],
    signatures=[kernel("fallen")],
)
WORN = page(
    "worn",
    entity={"kind": "gpu"},
    checks=[{"id": "log", "command": ["dmesg"], **LOOK}],
    effects=[{"effect": "lost", "scope": "node"}],
    signatures=[kernel("worn")],
)
LOST = page("lost", "symptom", signatures=[kernel("lost")])
DIED = page("died", "symptom", damage=2, signatures=[kernel("died")])
PAGES = [FALLEN, WORN, LOST, DIED]
BLIND: Sight = build_sight(())


@pytest.mark.parametrize(
    ("gpu", "told"),
    [
        ("n1/0000:c4:00", "0000:c4:00.0"),
        ("n1/0000:c4:00.0", "0000:c4:00.0"),
        ("GPU-3f1c9a52-7b1e", "GPU-3f1c9a52-7b1e"),
    ],
)
def test_a_command_names_a_gpu_as_its_program_takes_it(gpu: str, told: str) -> None:
    """The host stands before the address in our own names only."""
    found = diagnose(case(PAGES, [event("f", FALLEN, 0, anchors=[("gpu", gpu)])]))

    assert found.next_checks[0].command == f"nvidia-smi -q -i {told}"


def test_each_hypothesis_names_the_checks_that_speak_of_it() -> None:
    """Checks that are the same for all would separate nothing."""
    events = [
        event("f", FALLEN, 0, anchors=[("gpu", "n1/0000:c4:00")]),
        event("w", WORN, 1, anchors=[("gpu", "n1/0000:1b:00")]),
        event("l", LOST, 5),
    ]
    found = diagnose(case(PAGES, events))
    commands = {check.id: check.command.split()[0] for check in found.next_checks}

    told = {one.page: [commands[c] for c in one.would_tell] for one in found.hypotheses}
    assert told["fallen"] == ["nvidia-smi"]
    assert told["worn"] == ["dmesg"]


HUM = page("hum", "benign", severity="info")


def test_a_kernel_log_that_shows_the_fault_is_not_asked_for() -> None:
    """Whatever its clock says, it was read."""
    asked = case(PAGES, [event("d", DIED, 5, channels=frozenset({"service"}))], sight=BLIND)
    shown = case(
        PAGES, [event("f", FALLEN, 0, anchors=[("gpu", "n1/x")]), event("d", DIED, 5)], sight=BLIND
    )

    hum = [event("d", DIED, 5, channels=frozenset({"service"})), event("h", HUM, 900)]

    def told(found: str) -> bool:
        return "kernel log of n1" in found

    assert any(told(row.what.en) for row in diagnose(asked).missing_information)
    hummed = diagnose(case([*PAGES, HUM], hum, sight=BLIND))
    assert any(told(row.what.en) for row in hummed.missing_information), "it shows no fault"
    assert not any(told(row.what.en) for row in diagnose(shown).missing_information)


def test_an_error_that_nobody_feels_yet_still_offers_its_repair() -> None:
    """No damage is seen, but the page knows what to do."""
    finding = page("finding", "mechanism", remedies=[
        {"id": "fix", "title": {"en": "reset", "zh": "重置"}, "stage": "recover", "risk": "R2"}
    ])  # fmt: skip
    found = diagnose(case([finding], [event("x", finding, 0)]))

    assert [one.id for one in found.remedies] == ["fix"]


def test_what_is_inconclusive_claims_nothing_surer() -> None:
    """Neither where nor why of a lead is surer than the verdict; and it is said why."""
    events = [event("f", FALLEN, 0, anchors=[("gpu", "n1/x")]), event("l", LOST, 5)]
    found = diagnose(case(PAGES, events))

    assert found.verdict == "inconclusive"
    for root in found.root_causes:
        assert {root.confidence, root.where.confidence, root.why.confidence} == {"INCONCLUSIVE"}
    assert found.caps


def test_sentences_name_conditions_by_title() -> None:
    """Ids are for programs."""
    rivals = [
        FALLEN.model_copy(update={"title": FALLEN.title.model_copy(update={"en": "GPU fell"})}),
        WORN.model_copy(update={"title": WORN.title.model_copy(update={"en": "Slot worn"})}),
    ]
    events = [
        event("f", rivals[0], 0, anchors=[("gpu", "n1/x")]),
        event("w", rivals[1], 0, anchors=[("gpu", "n1/y")]),
        event("l", LOST, 5, damage=2),
    ]
    caps = " ".join(cap.en for cap in diagnose(case([*rivals, LOST, DIED], events)).caps)

    assert "Slot worn" in caps or "GPU fell" in caps


def test_a_clock_is_named_by_its_host_or_its_file() -> None:
    """A capture that says no host is known by the file it came from."""
    captured = Evidence(id="E1", source="nvml", command="a/smi.txt", path="a/smi.txt", outcome="ok")
    seen = event("x", LOST, 0, clocks=frozenset({"host:"}), clock="host:")
    world = replace(case(PAGES, [seen]), evidence=(captured,))

    assert name_clock("host:", world).en == "file smi.txt"
    assert name_clock("file:E1", world).zh == "文件 smi.txt"
    assert name_clock("host:n7", world).en == "host n7"
    assert name_clock("file:E9", world).en == "file:E9"


def test_what_two_hypotheses_ask_for_alike_separates_neither() -> None:
    """The same look twice tells nothing apart, and nothing is claimed of it."""
    events = [
        event("f", FALLEN, 0, anchors=[("gpu", "GPU-1")]),
        event("g", FALLEN, 1, node="n1", anchors=[("gpu", "GPU-1")]),
        event("l", LOST, 5),
    ]
    twins = [events[0], events[1].model_copy(update={"entity": events[0].entity.model_copy(
        update={"id": "GPU-2"})}), events[2]]  # fmt: skip
    found = diagnose(case(PAGES, twins))

    assert [one.would_tell for one in found.hypotheses[:2]] == [(), ()]
    assert found.next_checks


def test_a_state_that_was_read_is_not_asked_for_again() -> None:
    """A report that shows the finding holds what its query would show."""
    checks = [
        {"id": "again", "command": ["nvidia-smi", "-q"], "sources": ["nvml"], **LOOK},
        {"id": "log", "command": ["dmesg"], "sources": ["kernel"], **LOOK},
    ]
    finding = page("finding", "symptom", checks=checks)
    read = event("x", finding, 0, channels=frozenset({"reading"}))
    captured = Evidence(id="E1", source="nvml", command="smi.txt", outcome="ok")
    found = diagnose(case([finding], [read], evidence=[captured]))

    assert [check.command for check in found.next_checks] == ["dmesg"]


def test_room_that_is_left_goes_to_the_further_looks_of_a_symptom() -> None:
    """The look that tells one meaning from the next need not be a symptom's first."""
    looks = [{"id": f"l{n}", "command": ["look", str(n)], **LOOK} for n in range(3)]
    shown = page("shown", "symptom", damage=2, checks=looks, signatures=[kernel("shown")])
    other = page(
        "other", "symptom", damage=1, signatures=[kernel("other")],
        checks=[{"id": "o", "command": ["dmesg"], **LOOK}],
    )  # fmt: skip
    found = diagnose(case([shown, other], [event("s", shown, 0), event("o", other, 1)]))

    assert [check.command for check in found.next_checks] == ["look 0", "dmesg", "look 1", "look 2"]


def test_where_the_others_come_from_is_looked_at_first() -> None:
    """A worse symptom that follows from another one is no nearer to the cause."""
    upper = page(
        "upper", "symptom", damage=1, signatures=[kernel("upper")],
        checks=[{"id": "u", "command": ["ip", "link"], **LOOK}],
        effects=[{"effect": "lower", "scope": "node"}],
    )  # fmt: skip
    lower = page(
        "lower", "symptom", damage=3, signatures=[kernel("lower")],
        checks=[{"id": "l", "command": ["dmesg"], **LOOK}],
    )  # fmt: skip
    found = diagnose(case([upper, lower], [event("u", upper, 0), event("l", lower, 5)]))

    assert [check.command for check in found.next_checks] == ["ip link", "dmesg"]


@pytest.mark.parametrize(
    ("kind", "thing", "command", "told"),
    [
        ("job", "ml/once", ["describe", "job", "{job}", "-n", "{namespace}"],
         "describe job once -n ml"),
        ("job", "slurm:63532", ["show", "job", "{job}"], "show job 63532"),
        ("service", "ml/web", ["describe", "service", "{service}", "-n", "{namespace}"],
         "describe service web -n ml"),
        ("volume", "ml/data", ["describe", "pvc", "{volume}", "-n", "{namespace}"],
         "describe pvc data -n ml"),
        ("disk", "n1/nvme0n1", ["smartctl", "-a", "/dev/{disk}"], "smartctl -a /dev/nvme0n1"),
        ("nic", "n1/eth0", ["ethtool", "-m", "{nic}"], "ethtool -m eth0"),
    ],
)  # fmt: skip
def test_a_command_names_things_as_its_program_does(
    kind: str, thing: str, command: list[str], told: str
) -> None:
    """Our names begin with a namespace, a host or the scheduler; commands take those apart."""
    broken = page(
        "broken", entity={"kind": kind}, signatures=[kernel("broken")],
        checks=[{"id": "a", "command": command, **LOOK}],
        effects=[{"effect": "died", "scope": "node"}],
    )  # fmt: skip
    found = diagnose(case([broken, DIED], [event("b", broken, 0, anchors=[(kind, thing)])]))

    assert [check.command for check in found.next_checks] == [told]


@pytest.mark.parametrize("role", ["root", "symptom"])
def test_what_nobody_can_name_comes_after_a_look_that_can_be_run(role: str) -> None:
    """It is still a look; but then the reader has to fill it in."""
    pod = {"id": "p", "command": ["logs", "{pod}"], **LOOK}
    log = {"id": "l", "command": ["dmesg"], **LOOK}
    seen = page("seen", role, damage=2, signatures=[kernel("seen")], checks=[pod, log])
    found = diagnose(case([seen], [event("s", seen, 0)]))

    assert [check.command for check in found.next_checks] == ["dmesg", "logs {pod}"]


def test_a_symptoms_look_is_filled_from_what_it_is_tied_to() -> None:
    """A pod that only its neighbour names is the pod to look at."""
    above = page(
        "above", "symptom", damage=2, signatures=[kernel("above")],
        checks=[{"id": "p", "command": ["logs", "{pod}"], **LOOK}],
        effects=[{"effect": "died", "scope": "node"}],
    )  # fmt: skip
    below = event("d", DIED, 5, anchors=[("node", "n1"), ("pod", "ml/a-0")])
    found = diagnose(case([above, DIED], [event("a", above, 0, anchors=[("node", "n1")]), below]))

    assert found.next_checks[0].command == "logs a-0"
