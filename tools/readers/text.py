"""Plain text: lines of no known kind, kept and searched all the same."""

from tools.dialect import Dialect
from tools.late_patterns import compile_late

DIALECT = Dialect(
    "text", pattern=compile_late(r"(?!)"), build=lambda _match, _setting: None, weight=0.0
)
