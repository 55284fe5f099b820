"""Any document, however it is written, takes any new value, and keeps what is not touched to the byte."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kueue_objects import STRATEGIES
from kueuelift import yaml_comments, yaml_scalar, yaml_text
from kueuelift.release_profile import Release
from kueuelift.yaml_layout import same
from kueuelift_transform.conversion import conversion_for
from odd_yaml import OddYaml

RELEASE = Release.parse("0.17.0")
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(yaml_scalar.number),
    st.sampled_from(
        ["", "a", "on", "1e3", "x: y", "a, b", "# no", "- dash", "two\nlines", "end\n", " lead\nx", "é✅", "'"]
    ),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=6),
)
keys = st.sampled_from(["name", "a", "b", "cohort", "key with blank", "0", "on", "x.y/z"])
values = st.recursive(scalars, lambda s: st.lists(s, max_size=4) | st.dictionaries(keys, s, max_size=4), max_leaves=14)
documents = st.dictionaries(keys, values, min_size=1, max_size=5)


def written(value: Any, random: Random) -> tuple[str, list[str]]:
    odd = OddYaml(random)
    text = odd.text(value)
    assert same(yaml_text.load(text, "odd"), value), text
    return text, [comment for comment in odd.comments if comment in text]


@pytest.mark.parametrize("kind", sorted(STRATEGIES))
@given(data=st.data(), seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_a_converted_object_keeps_its_comments_and_its_other_lines(kind: str, data: st.DataObject, seed: int) -> None:
    value = data.draw(STRATEGIES[kind])
    text, comments = written(value, Random(seed))
    conversion = conversion_for(kind, "v1beta1")
    assert conversion
    wanted = conversion.move(value, RELEASE)
    result = yaml_comments.rewrite(text, wanted, "odd")
    assert same(yaml_text.load(result.text, "odd"), wanted)
    lost = {comment.text for comment in result.lost_comments}
    assert all((comment in result.text) != (comment in lost) for comment in comments)
    if {**wanted, "apiVersion": value["apiVersion"]} == value:
        assert result.text == text.replace("kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2")


@given(value=documents, wanted=documents, seed=st.integers(0, 10**6))
@settings(max_examples=1500, deadline=None)
def test_any_document_takes_any_value(value: Any, wanted: Any, seed: int) -> None:
    text, comments = written(value, Random(seed))
    result = yaml_comments.rewrite(text, wanted, "odd")
    assert same(yaml_text.load(result.text, "odd"), wanted)
    assert comments[0] in result.text
    assert comments[-1] in result.text


@given(value=documents, seed=st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_the_same_value_leaves_the_text_alone(value: Any, seed: int) -> None:
    text, _ = written(value, Random(seed))
    assert yaml_comments.rewrite(text, value, "odd").text == text


@given(value=documents, key=st.sampled_from(["zz", "aa"]), added=values, seed=st.integers(0, 10**6))
@settings(max_examples=200, deadline=None)
def test_a_new_field_changes_no_line_that_was_there(value: Any, key: str, added: Any, seed: int) -> None:
    text, _ = written(value, Random(seed))
    result = yaml_comments.rewrite(text, {**value, key: added}, "odd")
    left = iter(result.text.splitlines())
    assert all(line in left for line in text.splitlines())


@given(value=documents, data=st.data(), seed=st.integers(0, 10**6))
@settings(max_examples=200, deadline=None)
def test_there_and_back_is_possible(value: Any, data: st.DataObject, seed: int) -> None:
    text, _ = written(value, Random(seed))
    key = data.draw(st.sampled_from(sorted(value)))
    wanted = {("new-name" if name == key else name): below for name, below in value.items()}
    there = yaml_comments.rewrite(text, wanted, "odd")
    assert not there.lost_comments
    back = yaml_comments.rewrite(there.text, value, "odd")
    assert len(back.text.splitlines()) == len(text.splitlines())


@given(value=st.dictionaries(keys, values, max_size=5))
@settings(max_examples=300, deadline=None)
def test_what_is_written_plainly_reads_back(value: dict[str, Any]) -> None:
    assert same(yaml_text.load(yaml_comments.plain(value), "plain"), value)
