import pytest

from knowledge.template import expand, placeholders


@pytest.mark.parametrize(
    ("template", "values", "filled"),
    [
        ("{ns}/{pod}", {"ns": "ml", "pod": "train-0"}, "ml/train-0"),
        ("{ns}/{pod}", {"ns": "ml"}, None),
        ("{ns}/{pod}", {"ns": "ml", "pod": ""}, None),
        ("fixed", {}, "fixed"),
        ("{a}{b}", {"a": "{b}", "b": "x"}, "{b}x"),
        ('{status."nvidia.com/gpu"}', {'status."nvidia.com/gpu"': "8"}, "8"),
    ],
)
def test_templates_fill_whole_or_not_at_all(
    template: str, values: dict[str, str], filled: str | None
) -> None:
    """A half identity never arises; values are not read as templates."""
    assert expand(template, values) == filled


def test_placeholders_are_listed() -> None:
    """In order."""
    assert placeholders("{b}-{a}") == ("b", "a")
