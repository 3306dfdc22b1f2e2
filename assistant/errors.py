"""What can go wrong between a report and a diagnosis.

AssistantError
├── NothingToReadError      no path given and no live source answered
└── VocabularyError         a page names a kind, scope or relation that nothing here provides
"""


class AssistantError(Exception):
    """Root of the errors of this package; `hint` says what to do next."""

    hint: str = ""


class NothingToReadError(AssistantError):
    """There was no evidence to read at all."""

    def __init__(self, what: str) -> None:
        super().__init__(f"Nothing to read: {what}.")
        self.hint = "Give files, folders or a bundle, or run `firstfault doctor` for live sources."


class VocabularyError(AssistantError):
    """Handbook pages use words that no entity kind, channel or scope stands for."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("Pages use unknown words: " + "; ".join(faults))
        self.faults = faults
        self.hint = "Mend the pages named above, or add the word to tools/entity.py first."
