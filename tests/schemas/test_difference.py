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


OTHER = "kueuelift-token-" + "1" * 32


@pytest.mark.parametrize(
    ("before", "after", "with_one_key", "with_two_keys"),
    [
        ({"a": TOKEN}, {"a": OTHER}, ["a"], []),
        ({"a": f"https://u:{TOKEN}@host"}, {"a": f"https://u:{OTHER}@host"}, ["a"], []),
        ({"a": f"https://u:{TOKEN}@host"}, {"a": f"https://u:{OTHER}@away"}, ["a"], ["a"]),
        ({"a": [TOKEN, "x"]}, {"a": [OTHER, "y"]}, ["a[0]", "a[1]"], ["a[1]"]),
        ({"a": [{"v": TOKEN}, {"v": "x"}]}, {"a": [{"v": OTHER}, {"v": "y"}]}, ["a[0].v", "a[1].v"], ["a[1].v"]),
        ({"a": TOKEN}, {}, ["a"], ["a"]),
        ({}, {"a": TOKEN}, ["a"], ["a"]),
    ],
)
def test_hidden_values_are_compared_where_one_key_hid_them(
    before: object, after: object, with_one_key: list[str], with_two_keys: list[str]
) -> None:
    assert [edit.path for edit in edits(before, after, with_tokens=True)] == with_one_key
    assert [edit.path for edit in edits(before, after)] == with_two_keys


def test_what_came_in_between_moves_nothing() -> None:
    items = [{"n": index} for index in range(3)]
    assert [str(edit) for edit in edits([{"n": 9}, *items], items)] == ["[0]: {'n': 9} -> (none)"]
    assert [str(edit) for edit in edits(items, [*items[:2], {"n": 9}, items[2]])] == ["[2]: (none) -> {'n': 9}"]
