"""YAML is read as Kubernetes tools read it, and written so that they read the same value back."""

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift import yaml_scalar, yaml_text
from kueuelift.errors import RefusedError
from kueuelift.yaml_text import NotYamlError

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).map(yaml_scalar.number)
    | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
    max_leaves=15,
)


@given(VALUES)
def test_what_is_written_reads_the_same(value: Any) -> None:
    text = yaml_text.dump({"v": value})
    assert yaml_text.load(text, "text") == {"v": value}
    assert yaml_text.dump(yaml_text.load(text, "text")) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01", "2026-01-01"),
        ("1e3", 1000),
        ("1.5", 1.5),
        ("0755", 493),
        ("on", True),
        ("'on'", "on"),
        ("1Gi", "1Gi"),
        ("100m", "100m"),
        ("~", None),
        ("123456789012345678901234567890", 1.2345678901234568e29),
    ],
)
def test_scalars(text: str, value: Any) -> None:
    assert yaml_text.load(f"v: {text}", "text") == {"v": value}


@pytest.mark.parametrize(
    "text", ["1e3", "0755", "on", "y", "N", "null", "2026-01-01", "0x1F", "0o17", "1:30", ".5", "1_000"]
)
def test_text_that_looks_like_something_else_is_quoted(text: str) -> None:
    assert yaml_text.dump({"v": text}).strip() == f"v: '{text}'"


def test_a_key_that_stands_twice_is_an_error_with_both_lines() -> None:
    with pytest.raises(RefusedError, match=r"f\.yaml: line 3: .*'a' stands twice, in lines 1 and 3"):
        yaml_text.load("a: 1\nb: 2\na: 3\n", "f.yaml")


@pytest.mark.parametrize("text", ["a: [1, 2", "a: !!int x", "? [a]\n: 1", "\x00", "a: b: c", "- &a [*a]"])
def test_what_is_no_plain_yaml_is_one_sentence(text: str) -> None:
    with pytest.raises(RefusedError, match=r"f\.yaml: "):
        yaml_text.load(text, "f.yaml")


def test_windows_line_ends_and_a_byte_order_mark_are_accepted() -> None:
    assert list(yaml_text.load_all("\ufeffa: 1\r\n---\r\nb: 2\r\n".encode(), "f")) == [{"a": 1}, {"b": 2}]


def test_the_order_of_keys_does_not_show_and_nothing_is_folded_or_anchored() -> None:
    shared = ["x " * 200]
    assert yaml_text.dump({"b": shared, "a": shared}) == f"a:\n- '{shared[0]}'\nb:\n- '{shared[0]}'\n"


def test_aliases_that_multiply_are_refused() -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12))
    with pytest.raises(RefusedError, match="its aliases multiply"):
        yaml_text.load(f"l0: &l0 [x]\n{levels}\n", "f.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100000,
        "[" * 100000 + "]" * 100000,
        "{a: " * 100000,
        "- " * 100000,
        "? " * 100000,
        "- &a [*a]",
        "l0: &l0 [x]\n" + "\n".join(f"l{n}: &l{n} [*l{n - 1}]" for n in range(1, 4000)),
        "a: &a {x: &b {y: 1}}\n" + "\n".join(f"b{n}: {{<<: [{', '.join(['*a'] * 5000)}]}}" for n in range(50)),
    ],
)
def test_what_would_take_all_memory_or_the_stack_is_refused_at_once(text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(NotYamlError, match=r"f\.yaml: line \d+: not valid YAML: "):
            yaml_text.load(text, "f.yaml")
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_a_key_overrides_the_merge_before_it_and_may_not_stand_before_the_merge_that_has_it() -> None:
    assert yaml_text.load("a: &a {x: 1, z: 2}\nb: {<<: [*a, {x: 5}], z: 3}\n", "f")["b"] == {"x": 1, "z": 3}
    with pytest.raises(NotYamlError, match=r"line 3: .*key 'b\.x' of line 2 comes again with the merge"):
        yaml_text.load("a: &a {x: 1}\nb: {x: 2,\n  <<: *a}\n", "f")


def test_ordinary_anchors_and_merges_work() -> None:
    assert yaml_text.load("a: &a {x: 1}\nb: {<<: *a, z: 2}\nc: *a\n", "f") == {
        "a": {"x": 1},
        "b": {"x": 1, "z": 2},
        "c": {"x": 1},
    }
