"""Lines that name many hosts at once."""

from tests.assistant.items import kernel, look
from tests.assistant.pages import catalog, line, page

LOST = catalog(
    page(
        "lost",
        kind="node",
        signatures=[
            line("not responding", r"Nodes (?P<node>\S+) not responding", {"node": "{node}"})
        ],
    )
)


def test_a_list_of_hosts_is_a_report_of_each() -> None:
    """Slurm writes one line for many."""
    found = look([kernel("n0", 0, "Nodes gpu[08-10] not responding")], LOST)

    assert {burst.entity for burst in found.bursts} == {
        ("node", "gpu08"),
        ("node", "gpu09"),
        ("node", "gpu10"),
    }


def test_a_single_host_is_itself() -> None:
    """A name with a dash is no range."""
    (burst,) = look([kernel("n0", 0, "Nodes gpu-08 not responding")], LOST).bursts

    assert burst.entity == ("node", "gpu-08")
