"""An address is a place: which card sat there is told boot by boot."""

from datetime import UTC, datetime, timedelta

from assistant.burst import Burst, Place
from assistant.seats import seated, settle_seats
from assistant.topology import Key, Seating
from tools.evidence import Instant

T0 = datetime(2025, 4, 2, tzinfo=UTC)
ADDRESS = "gpu-12/0000:9b:00"
OLD, NEW = (f"GPU-{digit * 8}-77d1-4a90-9b7e-2f5c0e1a8d11" for digit in "09")


def _at(hours: float) -> datetime:
    return T0 + timedelta(hours=hours)


def _burst(page: str, entity: Key, hours: float) -> Burst:
    place, moment = Place("E1", 1, page), Instant(_at(hours))
    return Burst(page, entity, "host:gpu-12", moment, moment, [place], place, channels={"kernel"})


def _boot(hours: float) -> Burst:
    return _burst("node-rebooted", ("node", "gpu-12"), hours)


def _xid(hours: float) -> Burst:
    return _burst("xid-79-fell-off-bus", ("gpu", ADDRESS), hours)


def _who(seats: object, hours: float) -> str:
    assert isinstance(seats, Seating)
    return seated(("gpu", ADDRESS), _at(hours), {ADDRESS: seats})[1]


def test_without_a_boot_between_an_address_is_its_card() -> None:
    """The driver prints the identity just before the first Xid, or at its start."""
    found = settle_seats([(ADDRESS, NEW, _at(2))], [_boot(-1), _xid(3)])
    assert found[ADDRESS] == NEW


def test_the_card_of_a_later_boot_is_not_made_the_one_that_failed_before() -> None:
    """Nobody said which card sat there then."""
    seats = settle_seats([(ADDRESS, NEW, _at(12))], [_xid(3), _boot(11)])[ADDRESS]
    assert _who(seats, 3) == ADDRESS
    assert _who(seats, 13) == NEW


def test_two_cards_at_one_address_are_two() -> None:
    """Each in its boots, whichever is asked for."""
    told = [(OLD, ADDRESS, _at(0)), (ADDRESS, NEW, _at(12))]
    seats = settle_seats(told, [_xid(3), _boot(11)])[ADDRESS]
    assert (_who(seats, 3), _who(seats, 13)) == (OLD, NEW)


def test_a_card_seen_before_and_after_stayed_in_between() -> None:
    """One boot without a word of it is no change of cards."""
    told = [(ADDRESS, OLD, _at(0)), (ADDRESS, OLD, _at(24))]
    assert settle_seats(told, [_boot(5), _xid(6), _boot(11)])[ADDRESS] == OLD


def test_what_has_no_time_holds_at_all_times() -> None:
    """A reading of the one card there is names the earlier Xid's as well."""
    assert settle_seats([(OLD, ADDRESS, None)], [_xid(3), _boot(11)])[ADDRESS] == OLD
