import pytest

from tools.host_lists import expand_hosts, is_host_list


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("gpu[001-004,007]", ("gpu001", "gpu002", "gpu003", "gpu004", "gpu007")),
        ("h100-[0231-0232]", ("h100-0231", "h100-0232")),
        ("ip-10-0-3-[11-12]", ("ip-10-0-3-11", "ip-10-0-3-12")),
        ("login1,gpu[9-10]", ("login1", "gpu9", "gpu10")),
        ("r[1-2]n[1-2]", ("r1n1", "r1n2", "r2n1", "r2n2")),
        ("node-a", ("node-a",)),
        ("gpu[1-x]", ("gpu1-x",)),
        ("gpu[1-99999999]", ("gpu1-99999999",)),
        ("gpu[9-1],a", ("gpu9-1", "a")),
        ("gpu[²-³]", ("gpu²-³",)),
        ("n[0-60000,0-60000]", ("n[0-60000,0-60000]",)),
        ("n[0-60000][0-60000]" * 50, ("n[0-60000][0-60000]" * 50,)),
        ("n[" + "0" * 99 + "-1]", ("n" + "0" * 99 + "-1",)),
        ("", ("",)),
    ],
)
def test_a_list_names_its_hosts_with_their_zeros(text: str, hosts: tuple[str, ...]) -> None:
    """Ranges, single numbers, several brackets; what is no range stays a word."""
    assert expand_hosts(text) == hosts


@pytest.mark.parametrize(
    ("text", "said"),
    [("gpu[001-004,007]", True), ("a1,b2", True), ("node-a", False), ("{node}", False)],
)
def test_a_list_is_told_from_a_name(text: str, *, said: bool) -> None:
    """Only brackets with numbers, or commas, name several."""
    assert is_host_list(text) is said
