"""The shipped handbook, read once in each process: reading it costs more than most tests do."""

from functools import cache

from knowledge.catalog import Catalog, load_catalog


@cache
def shipped() -> Catalog:
    """Return the shipped pages."""
    return load_catalog()
