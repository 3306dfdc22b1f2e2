"""The one address left belongs to the one member left."""

from collections.abc import Sequence

from assistant.event import Anchor, Event
from assistant.timeline import order
from tests.assistant.items import look, said, thing
from tests.assistant.pages import catalog, line, page
from tools.evidence import Item, Record

BOOK = catalog(
    page(
        "peer-gone",
        kind="rank",
        signatures=[
            line(
                "Got completion from peer",
                r"Got completion from peer (?P<peer>[\w.]+)<",
                {"rank": "{job}/{rank}", "job": "{job}", "node": "{host}"},
                peer={"node": "{peer}"},
                source="app",
            )
        ],
    )
)
LOST = Anchor(kind="node", id="n3", inferred=True)


def spoke(rank: int, text: str, *, world: int = 3) -> list[Record]:
    """What a rank prints of itself, and one line more."""
    own = f"n{rank}:7:7 [0] NCCL INFO"
    lines = [
        f"{own} Bootstrap : Using eth0:10.9.0.{rank}<0>",
        f"{own} comm 0x5 rank {rank - 1} nranks {world} cudaDev 0 busId 9b000 commId 0xa",
        text,
    ]
    fields = {"job": "ml/t", "rank": str(rank - 1)}
    return [said("app", 0, text, host=f"n{rank}", fields=fields) for text in lines if text]


def silent(rank: int) -> Record:
    """A rank that prints no address."""
    fields = {"job": "ml/t", "rank": str(rank - 1)}
    return said("app", 0, "step 1", host=f"n{rank}", fields=fields)


def complaints(items: Sequence[Item]) -> list[Event]:
    """Order what was read."""
    return list(order(look(items, BOOK), BOOK).events)


TOLD = "n1:7:7 [0] NCCL WARN NET/IB : Got completion from peer 10.9.0.3<5> with status=12"


def test_the_last_address_is_the_last_members_and_marked_as_inferred() -> None:
    """Two of three members print their address; the third is the one that is named."""
    (event,) = complaints([*spoke(1, TOLD), *spoke(2, ""), silent(3)])
    assert LOST in event.peers
    assert Anchor(kind="node", id="10.9.0.3") in event.peers


def test_two_silent_members_are_told_apart_by_nothing() -> None:
    """One address, two members that it may belong to."""
    items = [*spoke(1, TOLD, world=4), *spoke(2, "", world=4), silent(3), silent(4)]
    (event,) = complaints(items)
    assert [peer.id for peer in event.peers] == ["10.9.0.3"]


def test_a_job_of_unknown_size_is_not_counted_off() -> None:
    """A member that nobody mentions may bear the address."""
    (event,) = complaints([*spoke(1, TOLD, world=4), *spoke(2, "", world=4), silent(3)])
    assert [peer.id for peer in event.peers] == ["10.9.0.3"]


def test_two_addresses_left_are_told_apart_by_nothing() -> None:
    """A member may have several."""
    other = TOLD.replace("10.9.0.3", "10.8.0.3")
    found = complaints([*spoke(1, TOLD), *spoke(2, other), silent(3)])
    assert {peer.id for event in found for peer in event.peers} == {"10.9.0.3", "10.8.0.3"}


def test_the_pods_that_the_cluster_lists_are_all_there_are() -> None:
    """The nodes of a job's pods; an address printed in a pod is its node's, not its own name's."""

    def pod(number: int, node: str) -> Item:
        labels = {"labels": {"job-name": "t"}}
        content = {"metadata": labels, "spec": {"nodeName": node}, "status": {}}
        return thing("Pod", f"t-{number}", content, namespace="ml")

    def log(number: int, text: str) -> Record:
        fields = {"namespace": "ml", "pod": f"t-{number}", "node": f"n{number}"}
        return said("app", 0, text, host=f"n{number}", fields=fields)

    lines = [
        log(n, f"t-{n}:7:7 [0] NCCL INFO Bootstrap : Using net1:10.9.0.{n}<0>") for n in (1, 2)
    ]
    pods = [pod(n, f"n{n}") for n in (1, 2, 3)]
    (event,) = complaints([*pods, *lines, log(1, TOLD)])
    assert LOST in event.peers
    (event,) = complaints([*pods, pod(4, ""), *lines, log(1, TOLD)])
    assert [peer.id for peer in event.peers] == ["10.9.0.3"]


def test_every_address_of_a_line_is_its_hosts() -> None:
    """Several interfaces, and the one for out-of-band traffic beside the adapters."""
    many = "n3:7:7 [0] NCCL INFO NET/Socket : Using [0]eth0:10.8.0.3<0> [1]eth1:10.9.0.3<0>"
    beside = "n2:7:7 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.9.0.2<0>"
    topology = look([said("app", 0, many), said("app", 0, beside)], BOOK).topology
    assert topology.alias("node", "10.8.0.3") == topology.alias("node", "10.9.0.3") == "n3"
    assert topology.alias("node", "10.9.0.2") == "n2"
