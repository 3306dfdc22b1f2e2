"""The environment is read in one place, by the rules that users know."""

from pathlib import Path

import pytest

from assistant.errors import SettingError
from assistant.settings import Settings
from integrations.bootstrap import (
    Surroundings,
    choose_colour,
    choose_language,
    choose_width,
    data_dir,
    load_settings,
    open_transports,
)


def _around(**variables: str) -> Surroundings:
    return Surroundings(variables, Path("/home/x"))


@pytest.mark.parametrize(
    ("variables", "colour"),
    [
        ({}, None),
        ({"NO_COLOR": ""}, None),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour(variables: dict[str, str], *, colour: bool | None) -> None:
    """An empty NO_COLOR is not set."""
    assert choose_colour(_around(**variables)) is colour
    assert choose_colour(_around(**variables), wanted=False) is False


def test_the_locale_is_read_in_its_own_order() -> None:
    """LC_ALL, then LC_MESSAGES, then LANG; a setting beats all of them."""
    around = _around(LANG="zh_CN.UTF-8", LC_ALL="en_US.UTF-8")

    assert choose_language(Settings(), around) == "en"
    assert choose_language(Settings(lang="zh"), around) == "zh"
    assert choose_language(Settings(), _around(LANG="zh_CN.UTF-8")) == "zh"


def test_the_data_directory_follows_xdg() -> None:
    """A relative base folder does not count."""
    assert data_dir(Settings(), _around()) == Path("/home/x/.local/share/firstfault")
    assert data_dir(Settings(), _around(XDG_DATA_HOME="/d")) == Path("/d/firstfault")
    assert data_dir(Settings(), _around(XDG_DATA_HOME="d")) == Path(
        "/home/x/.local/share/firstfault"
    )
    assert data_dir(Settings(data_dir="/e"), _around(XDG_DATA_HOME="/d")) == Path("/e")


def test_flags_that_were_not_given_are_no_layer() -> None:
    """An empty flag leaves the environment's value."""
    resolved = load_settings(
        {"tz": None, "context": "", "lang": "zh"}, _around(FIRSTFAULT_TZ="UTC")
    )

    assert (resolved.settings.tz, resolved.origins["tz"]) == ("UTC", "environment FIRSTFAULT_TZ")
    assert resolved.origins["lang"] == "flag --lang"


def test_transports() -> None:
    """This host, ssh or agents, always with the cluster beside them."""
    names = [
        [way.name for way in open_transports(Settings(transport=t, nodes=("a",)))]
        for t in ("local", "ssh", "agent")
    ]

    assert [name[0] for name in names] == ["local", "ssh", "agent"]
    assert all(len(name) == 2 for name in names)
    with pytest.raises(SettingError, match="HOST=URL"):
        open_transports(Settings(transport="agent", agents=("a",)))


def test_columns_decide_the_width() -> None:
    """As other programs have it; nonsense and too narrow a page do not count."""

    def told(columns: str) -> int | None:
        return choose_width(_around(COLUMNS=columns))

    assert [told("100"), told("9"), told("0"), told("x"), told("")] == [100, 40, None, None, None]
