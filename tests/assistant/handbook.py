"""The shipped handbook, loaded once in each process: that costs more than most tests do."""

from functools import cache

from knowledge.catalog import Catalog, load_catalog
from tests.counting import uncounted
from tests.kept_pages import cache_home


@cache
def shipped() -> Catalog:
    """Return the shipped pages."""
    with uncounted():
        return load_catalog(cache=cache_home() / "firstfault")
