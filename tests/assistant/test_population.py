"""Many things with one condition are one event about a population."""

from assistant.population import FEW
from assistant.timeline import order
from tests.assistant.handbook import shipped
from tests.assistant.items import kernel, line_up, look, only, reading

NOT_RESPONDING = "nfs: server 10.0.0.10 not responding, still trying"


def test_a_crowd_behind_one_hub_folds_into_one_event() -> None:
    """All clients of a server: the earliest lends its name, every member is kept."""
    hosts = [f"n{number:03}" for number in range(FEW + 10)]
    event = only(
        line_up(kernel(host, index, NOT_RESPONDING) for index, host in enumerate(hosts)),
        "nfs-server-not-responding",
    )
    assert len(event.members) == event.count == FEW + 10
    assert event.entity.id == "n000:10.0.0.10"
    assert {a.id for a in event.anchors if a.kind == "node"} == set(hosts)
    assert event.end is None


def test_a_few_stay_apart() -> None:
    """Up to forty, each keeps an event of its own."""
    lines = [kernel(f"n{number:03}", number, NOT_RESPONDING) for number in range(FEW)]
    assert len(line_up(lines).events) == FEW


def test_a_crowd_without_a_hub_stays_apart() -> None:
    """The same fault on many things that share nothing is many faults."""
    xid = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."
    lines = [kernel(f"n{number:03}", number, xid) for number in range(FEW + 10)]
    assert len(line_up(lines).events) == FEW + 10


def test_two_waves_are_two_populations() -> None:
    """Hours apart is not together."""
    hosts = [f"n{number:03}" for number in range(FEW + 10)]
    mounts = [reading("mount", host, target="/d", source="10.0.0.10:/x") for host in hosts]
    waves = [kernel(h, start, NOT_RESPONDING) for start in (0, 20000) for h in hosts]
    events = line_up([*mounts, *waves]).events
    assert [len(event.members) for event in events] == [FEW + 10, FEW + 10]


FAULT = "NVRM: Xid (PCI:0000:{bus}:00): 31, pid={pid}, name={name}, Ch 0000000a, intr 00000000."


def _faults(*rows: tuple[str, float, str, str]) -> list[tuple[int, str]]:
    lines = [
        kernel(host, at, FAULT.format(bus=bus, pid=4100 + n, name=name))
        for n, (host, at, bus, name) in enumerate(rows)
    ]
    events = [e for e in order(look(lines, shipped()), shipped()).events if "31" in e.page]
    return sorted((len(e.members), e.entity.id) for e in events)


def test_one_program_that_faults_on_several_cards_at_once_is_one_fault() -> None:
    """Its cards stay among the members."""
    rows = [
        ("n1", 0.0, "19", "train.py"),
        ("n1", 1.2, "3b", "train.py"),
        ("n1", 3, "4c", "train.py"),
    ]
    assert _faults(*rows) == [(3, "n1/0000:19:00")]


def test_other_programs_hosts_and_times_are_other_faults() -> None:
    """Nothing says that they have anything in common."""
    rows = [
        ("n1", 0.0, "19", "train.py"),
        ("n1", 1.2, "3b", "infer"),
        ("n2", 1.0, "3b", "train.py"),
    ]
    assert len(_faults(*rows, ("n1", 40.0, "4c", "train.py"))) == 4
