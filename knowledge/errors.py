"""What can be wrong with the handbook.

KnowledgeError
├── PageInvalidError      a file is no page: no front matter, bad YAML, a field that does not fit
├── PageDuplicateError    two files of one name
├── PageUnknownError      a page id that no file has
├── InspectionInvalidError  a file is no inspection
├── PostmortemInvalidError  a file is no postmortem
├── PatternInvalidError   a regular expression or a path that cannot be compiled
├── QueryUnsupportedError a PromQL query that only a server can answer
├── DocumentRefusedError  a file of an organisation cannot be taken as a document
├── OwnPageRefusedError   a page of an organisation cannot work, or would lower a risk
├── NotOwnError           nothing that was added has this id
├── CollectionDamagedError  the list of what was added cannot be read
├── EmbeddingError        no vectors can be had from a model
└── IndexDamagedError     the folder of the search cannot be read
"""


class KnowledgeError(Exception):
    """Anything that keeps the handbook from being used as written."""


class PageInvalidError(KnowledgeError):
    """A file under the handbook cannot be read as a page."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: not a valid page: {why}")
        self.where = where
        self.why = why


class InspectionInvalidError(KnowledgeError):
    """A file under the inspections cannot be read as one."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"inspection {where}: not valid: {why}")


class PostmortemInvalidError(KnowledgeError):
    """A file under the postmortems cannot be read as one."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"postmortem {where}: not valid: {why}")


class PageDuplicateError(KnowledgeError):
    """Two files carry the same page id."""

    def __init__(self, page: str, first: str, second: str) -> None:
        super().__init__(f"page {page} exists twice: {first} and {second}; rename or remove one")
        self.page = page


class PageUnknownError(KnowledgeError, KeyError):
    """No page has this id."""

    def __init__(self, page: str) -> None:
        super().__init__(f"no page named {page}; `kb list` shows all")
        self.page = page

    def __str__(self) -> str:
        """Return the message itself; a KeyError would quote it."""
        return str(self.args[0])


class PatternInvalidError(KnowledgeError):
    """A pattern of a signature does not compile."""

    def __init__(self, where: str, pattern: str, why: str) -> None:
        super().__init__(f"{where}: cannot compile {pattern!r}: {why}")
        self.where = where
        self.why = why


class QueryUnsupportedError(KnowledgeError):
    """A PromQL query lies outside the small set that is computed without a server."""

    def __init__(self, query: str, position: int) -> None:
        super().__init__(
            f"cannot compute {query!r} without Prometheus: stopped at {query[position:]!r}"
        )
        self.query = query


class EmbeddingError(KnowledgeError):
    """A model cannot be used, or does not answer."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"cannot embed text with {where}: {why}")


class IndexDamagedError(KnowledgeError):
    """Chroma cannot read its folder, or holds something else than was put in."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the search index is damaged: {why}")


class DocumentRefusedError(KnowledgeError):
    """A file cannot be taken as a document; `where` is empty for the file as a whole."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}" if where else why)
        self.where = where
        self.why = why


class OwnPageRefusedError(KnowledgeError):
    """A page of an organisation cannot work as it is written."""

    def __init__(self, page: str, reasons: tuple[str, ...]) -> None:
        super().__init__(f"page {page} is refused: {'; '.join(reasons)}")
        self.page = page
        self.reasons = reasons


class NotOwnError(KnowledgeError):
    """Nothing that was added has this id."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Nothing that was added is called {name!r}.")
        self.hint = "`firstfault kb list --own` shows what was added."


class CollectionDamagedError(KnowledgeError):
    """What was added cannot be read any more; it is never thrown away."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"The collection of added documents is damaged: {where}: {why}.")
        self.hint = "Restore that file from a backup, or move its folder away and add all again."
