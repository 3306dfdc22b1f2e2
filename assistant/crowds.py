"""A line that names many hosts in one word tells of each of them."""

from collections.abc import Sequence

from knowledge.matching import Match
from knowledge.page import TextSignature
from knowledge.template import placeholders
from tools.host_lists import expand_hosts, is_host_list


def each_host(match: Match) -> Sequence[Match]:
    """Return one match per host where the word for the node is a list of hosts."""
    signature = match.signature
    tied = signature.relation if isinstance(signature, TextSignature) else ()
    templates = [named.id for named in tied if named.kind == "node"]
    template = next(iter(templates), signature.entity.get("node", ""))
    lists = [name for name in placeholders(template) if is_host_list(match.values.get(name, ""))]
    if len(lists) != 1:
        return (match,)
    word = lists[0]
    hosts = expand_hosts(match.values[word])
    return [match._replace(values={**match.values, word: host}) for host in hosts]
