"""Line numbers of values inside JSON documents."""

import json

from tools.json_places import Finder, Places

DOCUMENT = {"kind": "List", "items": [{"a": 1}, {"b": {"c": ["x", {"d": "é\n"}]}, "last": True}]}


def test_a_value_is_found_by_its_path() -> None:
    """The line is the one on which the value begins, lines above the document counted."""
    text = json.dumps(DOCUMENT, indent=1, ensure_ascii=False)
    lines = text.splitlines()
    places = Places(text.encode(), skipped=2)
    for path, word in (
        (("items", 1, "b", "c", 1, "d"), '"d": "é'),
        (("items", "0", "a"), '"a": 1'),
        (("items", 1, "last"), '"last"'),
    ):
        assert word in lines[places.line_of(path) - 3]


def test_what_is_not_there_has_no_line() -> None:
    """A wrong path, a damaged document: zero. On a single line all is on that line."""
    text = json.dumps(DOCUMENT, indent=1).encode()
    assert Places(text).line_of(("items", 7)) == 0
    assert Places(text).line_of(("items", 0, "z")) == 0
    assert Places(text[:40]).line_of(("items", 1)) == 0
    assert Places(json.dumps(DOCUMENT).encode()).line_of(("items", 1, "b")) == 1


def test_texts_are_found_one_after_the_other() -> None:
    """Of two equal texts the second is the later one; spelled with escapes or without."""
    told = [{"m": "é lost"}, {"x": 1, "m": "é lost"}, {"m": 'a "quoted" one'}]
    for plain in (True, False):
        text = "\n" + json.dumps(told, indent=1, ensure_ascii=plain)
        finder = Finder(text.encode())
        lines = [finder.line_of(each) for each in ("é lost", "é lost", 'a "quoted" one', "none")]
        assert [text.splitlines()[n - 1].strip()[:3] for n in lines[:3]] == ['"m"'] * 3
        assert lines == [*sorted(set(lines[:3])), 0]
