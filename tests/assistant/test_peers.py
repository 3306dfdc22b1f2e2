"""Who is slow shows only against its peers."""

from assistant.peers import Peers
from tests.assistant.items import reading
from tools.evidence import Reading


def _gpu(host: str, power: float, clock: float, *, use: float = 96, at_s: float = 0) -> Reading:
    return reading(
        "gpu", host, at_s, name="GB10", utilization_percent=use, power_w=power, sm_clock_mhz=clock
    )


def _compared(*readings: Reading) -> list[Reading]:
    peers = Peers()
    for each in readings:
        peers.learn(each)
    return list(peers.compared())


def test_a_busy_gpu_is_measured_by_the_usual_of_its_model() -> None:
    """A fifth of the power and a third of the clock at the same use."""
    three = _compared(_gpu("n1", 19.5, 799), _gpu("n2", 92.5, 2281), _gpu("n3", 92.0, 2280))
    found = {each.host: each.values for each in three}

    assert (found["n1"]["power_of_peers"], found["n1"]["clock_of_peers"]) == (0.212, 0.35)
    assert found["n2"]["peers"] == 2


def test_of_two_the_faster_one_sets_the_measure() -> None:
    """One of them is slow, or the other would be twice as fast as it can be."""
    slow, fast = _compared(_gpu("n1", 20, 800), _gpu("n2", 80, 2000))

    assert (slow.values["clock_of_peers"], fast.values["clock_of_peers"]) == (0.4, 1.0)


def test_one_alone_or_at_another_time_has_no_peers() -> None:
    """Idle GPUs draw little by right, and the load of another hour is another load."""
    slow = _gpu("n1", 20, 800)

    assert not _compared(slow, _gpu("n2", 80, 2000, at_s=7200))
    assert not _compared(slow, _gpu("n3", 8, 210, use=0))


def _set_up(host: str, network: str, ranks: int = 16) -> Reading:
    return reading("nccl", host, 0, network=network, ranks=ranks)


def test_a_host_on_another_network_than_its_job_stands_beside_it() -> None:
    """Sockets on one host of a job that uses InfiniBand; another job's choice says nothing."""
    mixed = _compared(_set_up("n3", "IB"), _set_up("n4", "Socket"), _set_up("n9", "Socket", 8))
    found = {each.host: each.values for each in mixed}

    assert found == {
        "n3": {"network": "IB", "network_of_peers": "Socket"},
        "n4": {"network": "Socket", "network_of_peers": "IB"},
    }
    assert not _compared(_set_up("n3", "Socket"), _set_up("n4", "Socket"))


def _ports(host: str, *rates: float, **more: str) -> list[Reading]:
    words = {"port": "1", "state": "Active", "physical_state": "LinkUp", "model": "MT4129", **more}
    return [
        reading("nic", host, nic=f"mlx5_{n}", rate_gbps=rate, **words)
        for n, rate in enumerate(rates)
    ]


def _slow(*readings: Reading) -> set[tuple[str, object]]:
    found = [each for each in _compared(*readings) if each.kind == "nic_peer"]
    return {(e.host, e.values["nic"]) for e in found if e.values["rate_of_peers"] != 1}


def test_a_port_is_measured_by_the_same_port_elsewhere() -> None:
    """What runs slower on every host was built so, however fast its neighbours are."""
    slow = _ports("n1", 400, 100, 400, 400, 200)
    others = [port for host in ("n2", "n3") for port in _ports(host, 400, 400, 400, 400, 200)]

    assert _slow(*slow, *others) == {("n1", "mlx5_1")}


def test_one_other_host_does_not_say_what_is_usual() -> None:
    """A login host has a slower port than the nodes by right; three that agree are a measure."""
    node, *more = (_ports(host, 400) for host in ("n2", "n3", "n4"))
    login = _ports("login1", 200)

    assert not _slow(*login, *node)
    assert not _slow(*login, *node, *more[0])
    assert _slow(*login, *node, *more[0], *more[1]) == {("login1", "mlx5_0")}
    assert _slow(*_ports("n1", 400, 100, 400), *_ports("n2", 400, 400, 400)) == {("n1", "mlx5_1")}


def test_on_one_host_all_other_ports_have_to_agree() -> None:
    """Two that differ may be meant for something else, and so may another kind of adapter."""
    assert _slow(*_ports("n1", 400, 100, 400, 400)) == {("n1", "mlx5_1")}
    assert not _slow(*_ports("n1", 400, 100, 400, 400, 100))
    assert not _slow(*_ports("n1", 400, 100, 400))
    other = _ports("n1", 0, 25, model="MT4125")[1:]
    assert not _slow(*_ports("n1", 400, 400, 400, 400), *other)


def test_a_port_that_is_down_has_no_rate() -> None:
    """It prints the lowest there is; that it is down is another condition."""
    down = _ports("n1", 0, 10, state="Down", physical_state="Polling")[1:]
    assert not _slow(*_ports("n1", 400), *down, *_ports("n2", 400, 400))
