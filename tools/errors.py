"""What can go wrong while looking.

ToolsError
├── BundleError          evidence that cannot be opened
│   ├── MissingPathError      no such file or folder
│   └── BrokenArchiveError    an archive that does not unpack
├── ReaderError          bytes that a reader cannot make sense of
│   └── WrongFormatError    the sniffed format does not hold; another reader should try
└── ProbeError           a look that must not or cannot be taken
    ├── CommandRefusedError   an argv that the grammar of its program does not hold
    ├── ProbeTwiceError       two probes of one name
    ├── TargetRefusedError    a place that must not be written to
    └── AgentRefusedError     an agent that would serve whoever asks
"""


class ToolsError(Exception):
    """Everything that `tools` raises by itself."""


class BundleError(ToolsError):
    """Evidence could not be opened."""


class MissingPathError(BundleError):
    """The path given does not exist or cannot be read."""


class BrokenArchiveError(BundleError):
    """An archive is damaged or is not what its first bytes promise."""


class ReaderError(ToolsError):
    """A reader could not make sense of the bytes it was given."""


class WrongFormatError(ReaderError):
    """The content is not what its beginning promised; nothing was yielded yet."""


class ProbeError(ToolsError):
    """A look must not or cannot be taken."""


class CommandRefusedError(ProbeError):
    """The argument grammar does not hold this argv; only what it holds can be run."""


class ProbeTwiceError(ProbeError):
    """Two probes have one name, so that neither can be meant."""


class TargetRefusedError(ProbeError):
    """Evidence must not be written there: the place hangs, is full or lies on the network."""


class AgentRefusedError(ProbeError):
    """A node agent must not be started like that: whoever asks would be served."""
