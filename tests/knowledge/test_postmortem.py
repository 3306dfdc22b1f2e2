"""Postmortems are read as written, and a broken one is refused by name."""

from pathlib import Path, PurePath

import pytest
import yaml

from knowledge import front_matter
from knowledge.errors import PostmortemInvalidError
from knowledge.front_matter import read_postmortem
from knowledge.past import load_postmortems
from tests.kept_pages import cache_home
from tests.knowledge.incidents import FRONT, NAME, incident


def _file(**changes: object) -> str:
    front = {key: value for key, value in {**FRONT, **changes}.items() if value is not None}
    return f"---\n{yaml.safe_dump(front, allow_unicode=True)}---\n\nProse.\n"


def _read(text: str, name: str = NAME) -> object:
    return read_postmortem(text, path=PurePath(f"{name}.md"))


def test_a_file_becomes_the_incident_that_it_tells_of() -> None:
    """Front matter and prose, under the file's name."""
    assert _read(_file()) == incident(body="Prose.")


def test_a_chain_gives_its_conditions_in_order() -> None:
    """Each once."""
    assert incident().pages == ("server-gone", "mount-hangs", "check-fails", "job-dies")


@pytest.mark.each_counts
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no fence", "no front matter"),
        ("---\n: [\n---\n", "broken YAML"),
        ("---\n- a list\n---\n", "not a mapping"),
        (_file(id="2025-06-20-another"), "differs from the file's name"),
        (_file(date="2025-06-21"), "does not begin with its date"),
        (_file(approved=None), "approved: Field required"),
        (_file(chain=[]), "chain"),
        (_file(sources=[]), "sources"),
        (_file(title={"en": "only English"}), "title.zh"),
        (_file(colour="red"), "colour: Extra inputs"),
        (_file(lessons=[{"aim": "hope", "text": FRONT["title"]}]), "lessons.0.aim"),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_fault(text: str, told: str) -> None:
    """Whoever wrote it can mend it."""
    with pytest.raises(PostmortemInvalidError) as refused:
        _read(text)

    assert f"postmortem {NAME}.md: not valid: " in str(refused.value)
    assert told in str(refused.value)


def test_a_name_without_a_date_is_refused() -> None:
    """Incidents are told apart by when they were."""
    with pytest.raises(PostmortemInvalidError, match="id"):
        _read(_file(), "share-away")


def test_the_shipped_incidents_are_of_several_layers_and_planes() -> None:
    """Five or more, the newest first, the Astra outage among them."""
    past = load_postmortems(cache_home() / "firstfault")

    assert len(past) >= 5
    assert [each.id for each in past] == sorted((each.id for each in past), reverse=True)
    assert "2025-06-20-astra-storage-failover" in {each.id for each in past}
    assert all(each.body for each in past)


def test_what_was_validated_is_kept_for_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run reads no YAML and finds the same."""
    fresh = load_postmortems(tmp_path)

    monkeypatch.setattr(front_matter, "read_postmortem", lambda *_, **__: pytest.fail("YAML"))

    assert load_postmortems(tmp_path) == fresh
