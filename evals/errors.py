"""What can go wrong while judging.

EvalError
├── UnknownScenarioError   no scenario of that name
├── ReplayError            a real server could not be started over recorded data
└── BrokenScenarioError    a scenario contradicts its own truth
"""


class EvalError(Exception):
    """Anything that stops an evaluation."""


class UnknownScenarioError(EvalError):
    """No scenario of that name is there."""


class ReplayError(EvalError):
    """A server could not be started over recorded data."""


class BrokenScenarioError(EvalError):
    """A scenario's data does not hold what its truth says."""
