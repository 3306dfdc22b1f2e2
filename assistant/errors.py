"""What can go wrong between a report and a diagnosis.

AssistantError
├── ApprovalError           a decision that cannot be taken
│   ├── NotAnAdminError     this person may not decide
│   ├── UnknownDigestError  nothing that waits or was decided has this digest
│   └── DecidedError        it was rejected, superseded, or decided by somebody else meanwhile
├── NothingToReadError      no path given and no live source answered
├── SettingError            a setting that does not exist or a value that does not fit
├── StoreError              incidents cannot be kept there
│   ├── NoSuchIncidentError no incident of that id
│   └── MergeRefusedError   one of the two incidents is a part of another already
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


class SettingError(AssistantError):
    """A setting does not exist, or its value does not fit."""

    def __init__(self, name: str, origin: str, why: str) -> None:
        what = f"Setting {name!r} from {origin}" if name else f"Configuration {origin}"
        super().__init__(f"{what}: {why}.")
        self.hint = f"Correct or remove it in {origin}."


class StoreError(AssistantError):
    """Incidents cannot be kept or read there."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"Incidents cannot be kept in {where}: {why}.")
        self.hint = "Set FIRSTFAULT_DATA_DIR to a writable folder on a local disk."


class NoSuchIncidentError(StoreError):
    """There is no incident of that id."""

    def __init__(self, incident: str) -> None:
        AssistantError.__init__(self, f"There is no incident {incident!r}.")
        self.hint = "`firstfault incident list` shows all incidents."


class MergeRefusedError(StoreError):
    """An incident is part of another already: a chain or a circle would leave nothing open."""

    def __init__(self, incident: str, whole: str) -> None:
        AssistantError.__init__(self, f"{incident} is merged into {whole} already.")
        self.hint = (
            f"`firstfault incident reopen {incident}` takes it out again; "
            f"until then {whole} stands for both."
        )


class ApprovalError(AssistantError):
    """A decision cannot be taken."""


class NotAnAdminError(ApprovalError):
    """This person may not decide; without any admins nobody may."""

    def __init__(self, who: str, admins: tuple[str, ...]) -> None:
        if admins:
            super().__init__(f"{who} is no admin, so they cannot approve or reject.")
            self.hint = f"Ask one of {', '.join(admins)}, or have `admins` changed."
        else:
            super().__init__("No admins are configured, so nobody can approve or reject.")
            self.hint = 'Set `admins = ["NAME"]` (OS user names) in /etc/firstfault/config.toml.'


class UnknownDigestError(ApprovalError):
    """Nothing has this digest."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"Nothing has the digest {digest}.")
        self.hint = "`firstfault kb list --own` shows the digests of own pages."


class DecidedError(ApprovalError):
    """It was rejected, replaced, or decided by somebody else meanwhile."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(why)
        self.hint = hint
