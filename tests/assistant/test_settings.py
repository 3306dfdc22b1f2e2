"""Settings come from the strongest place that has them, and say which."""

from pathlib import Path

import pytest

from assistant.errors import SettingError
from assistant.settings import Layer, read_file, read_model_fallback, read_variables, resolve


def test_the_first_layer_wins_and_is_named() -> None:
    """A flag beats the environment, which beats a file, which beats the default."""
    resolved = resolve([
        Layer("flag --tz", {"tz": "Asia/Shanghai"}),
        Layer("environment FIRSTFAULT_TZ", {"tz": "UTC", "lang": "zh"}),
        Layer("./firstfault.toml", {"lang": "en", "context": "astra"}),
    ])  # fmt: skip

    settings = resolved.settings
    assert (settings.tz, settings.lang, settings.context) == ("Asia/Shanghai", "zh", "astra")
    assert resolved.origins["tz"] == "flag --tz"
    assert resolved.origins["context"] == "./firstfault.toml"
    assert resolved.origins["limit_s"] == "default"


def test_variables_are_read_by_name_and_empty_ones_are_not_set() -> None:
    """Lists stand between commas; an empty variable leaves the file's value alone."""
    layers = read_variables({
        "FIRSTFAULT_NODES": "a, b,", "FIRSTFAULT_TZ": "", "FIRSTFAULT_LIMIT_S": "2.5", "TZ": "x",
    })  # fmt: skip

    settings = resolve([*layers, Layer("file", {"tz": "UTC"})]).settings

    assert (settings.nodes, settings.tz, settings.limit_s) == (("a", "b"), "UTC", 2.5)


def test_the_models_usual_variables_are_the_weakest() -> None:
    """OPENAI_API_KEY counts only where nothing of ours is set."""
    fallback = read_model_fallback({"OPENAI_API_KEY": "theirs", "OPENAI_BASE_URL": "http://x"})

    alone = resolve(fallback).settings
    ours = resolve([Layer("file", {"model_api_key": "ours"}), *fallback]).settings

    assert alone.model_api_key.get_secret_value() == "theirs"
    assert ours.model_api_key.get_secret_value() == "ours"
    assert ours.model_base_url == "http://x"


def test_secrets_are_never_shown() -> None:
    """Neither the listing nor the representation holds the value."""
    resolved = resolve([Layer("file", {"model_api_key": "sk-very-secret", "tz": "UTC"})])

    shown = {name: (value, origin) for name, value, origin in resolved.describe()}
    assert shown["model_api_key"] == ("********", "file")
    assert shown["prometheus_token"] == ("", "default")
    assert "sk-very-secret" not in repr(resolved) + str(resolved.settings)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"tzz": "UTC"}, "no such setting"),
        ({"lang": "fr"}, "'en'"),
        ({"limit_s": 0}, "greater than 0"),
    ],
)
def test_a_bad_setting_names_itself_and_its_origin(values: dict[str, object], said: str) -> None:
    """The message says which setting, from where and what is wrong."""
    with pytest.raises(SettingError) as caught:
        resolve([Layer("/etc/firstfault/config.toml", values)])

    assert next(iter(values)) in str(caught.value)
    assert "/etc/firstfault/config.toml" in str(caught.value)
    assert said in str(caught.value)


def test_a_bad_secret_is_not_repeated() -> None:
    """The value of a wrong setting stays out of the message."""
    with pytest.raises(SettingError) as caught:
        resolve([Layer("file", {"model_api_key": ["sk-very-secret"]})])

    assert "sk-very-secret" not in str(caught.value)


def test_a_missing_file_is_no_layer_and_a_broken_one_is_named(tmp_path: Path) -> None:
    """Only what is there must be right."""
    assert read_file(tmp_path / "none.toml") is None
    broken = tmp_path / "firstfault.toml"
    broken.write_text("tz = ")

    with pytest.raises(SettingError, match=r"firstfault\.toml"):
        read_file(broken)


def test_a_file_is_read_as_toml(tmp_path: Path) -> None:
    """Lists and numbers keep their types."""
    file = tmp_path / "firstfault.toml"
    file.write_text('nodes = ["a", "b"]\ndeadline_s = 30\nfail_on = "P1"\n')
    layer = read_file(file)

    assert layer is not None
    settings = resolve([layer]).settings
    assert (settings.nodes, settings.deadline_s, settings.fail_on) == (("a", "b"), 30.0, "P1")
