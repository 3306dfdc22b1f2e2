"""One file per source that is looked at; found by being here."""
