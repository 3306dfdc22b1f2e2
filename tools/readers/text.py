"""Plain text: lines of no known kind, kept and searched all the same."""

import re

from tools.dialect import Dialect

DIALECT = Dialect(
    "text", pattern=re.compile(r"(?!)"), build=lambda _match, _setting: None, weight=0.0
)
