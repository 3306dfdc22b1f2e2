"""How a command ends when it cannot do what was asked: a code, a message and what to do.

CommandFault
├── UsageFault       exit 2: the command line makes no sense
├── NotFoundFault    exit 3: what was named is not there
├── NotAllowedFault  exit 4: it is there and may not be read or written
├── DeniedFault      exit 7: it was rejected, superseded, or decided by somebody else
├── StoppedFault     exit 124 or 130: stopped before anything was known
└── InternalFault    exit 1: nobody foresaw it, so it is a bug
"""

import errno

from assistant.errors import (
    AssistantError,
    DecidedError,
    NoSuchIncidentError,
    NotAnAdminError,
    UnknownDigestError,
)
from knowledge.errors import KnowledgeError, NotOwnError, PageUnknownError
from tools.errors import MissingPathError, ToolsError

OK, FAILURE, USAGE, NOT_FOUND, NOT_ALLOWED = 0, 1, 2, 3, 4
APPROVAL_REQUIRED, DENIED = 6, 7
DECIDED_BY_UNSEEN, FAIL_ON, TIME_LIMIT, INTERRUPTED = 5, 10, 124, 130

FORESEEN = (AssistantError, KnowledgeError, ToolsError, OSError)
"""What may go wrong without being a bug."""
_MISSING = (
    MissingPathError, NoSuchIncidentError, PageUnknownError, NotOwnError, UnknownDigestError,
    FileNotFoundError,
)  # fmt: skip


_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class CommandFault(Exception):  # noqa: N818 -- "fault" is the product's word for what went wrong
    """The command failed for a reason it can name."""

    code = "failure"
    exit_code = FAILURE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def document(self) -> dict[str, object]:
        """Return the error as the contract writes it."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class UsageFault(CommandFault):
    """The command line makes no sense."""

    code = "usage"
    exit_code = USAGE


class NotFoundFault(CommandFault):
    """What was named is not there."""

    code = "not_found"
    exit_code = NOT_FOUND


class NotAllowedFault(CommandFault):
    """It is there and may not be read or written."""

    code = "not_allowed"
    exit_code = NOT_ALLOWED


class DeniedFault(CommandFault):
    """It was rejected, superseded, or decided by somebody else."""

    code = "denied"
    exit_code = DENIED


class StoppedFault(CommandFault):
    """The time limit or a person stopped it before there was anything to print."""

    code = "stopped"

    def __init__(self, exit_code: int) -> None:
        limit = exit_code == TIME_LIMIT
        why = "the time limit was reached" if limit else "it was interrupted"
        super().__init__(
            f"Stopped before anything was known: {why}",
            "Give it longer with --timeout." if limit else "Run it again.",
        )
        self.exit_code = exit_code


class InternalFault(CommandFault):
    """Nobody foresaw it, so it is a bug."""

    code = "internal"

    def __init__(self, error: Exception) -> None:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        super().__init__(
            f"internal error: {what}",
            "Run again with --debug for the traceback, and please report it.",
        )


def explain(error: Exception) -> CommandFault:
    """Turn a foreseen error of the lower rooms into the fault a caller can act on."""
    hint = str(getattr(error, "hint", ""))
    if isinstance(error, _MISSING):
        return NotFoundFault(_say(error), hint or "Check the name; nothing was read.")
    if isinstance(error, NotAnAdminError):
        return NotAllowedFault(_say(error), hint)
    if isinstance(error, DecidedError):
        return DeniedFault(_say(error), hint)
    if isinstance(error, OSError) and error.errno in _FORBIDDEN:
        return NotAllowedFault(_say(error), hint or "Run as a user who may read or write there.")
    return CommandFault(_say(error), hint)


def _say(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
