"""Objects are compared by meaning, field by field; hidden values are not compared."""

import pytest

from kueuelift.difference import edits

TOKEN = "kueuelift-token-" + "0" * 32


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b: 1 -> 2"]),
        ({"a": 1}, {}, ["a: 1 -> (none)"]),
        ({}, {"a": None}, ["a: (none) -> None"]),
        ({"a": [{"n": "x"}]}, {"a": [{"n": "y"}]}, ["a[0].n: 'x' -> 'y'"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a[1]: (none) -> 2"]),
        ({"a": 1}, {"a": "1"}, ["a: 1 -> '1'"]),
        ({"a": {"x.io/y": 1}}, {"a": {"x.io/y": 2}}, ["a['x.io/y']: 1 -> 2"]),
        ({"a": TOKEN}, {"a": "clear"}, []),
        (
            {"a": {"b": 1, "c": 1}},
            {"a": {"d": 5, "e": 6}},
            ["a.b: 1 -> (none)", "a.c: 1 -> (none)", "a.d: (none) -> 5", "a.e: (none) -> 6"],
        ),
    ],
)
def test_edits(before: object, after: object, shown: list[str]) -> None:
    assert [str(edit) for edit in edits(before, after)] == shown
