"""Values of a YAML text are changed and the rest of it stays: single cases, each of which was wrong once or matters."""

from collections.abc import Callable
from typing import Any

import pytest

from kueuelift import yaml_comments, yaml_text

Wanted = Callable[[str], dict[str, Any]]


@pytest.mark.parametrize("word", ["?0", "? x", ":x", ":", "a?b", "a:b", "-0"])
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: [x, z]  # kept\n", lambda word: {"a": ["x", word]}),
        ("a: {k: x}  # kept\n", lambda word: {"a": {"k": word}}),
        ("a: {k: x}  # kept\n", lambda word: {"a": {"k": "x", word: "y"}}),
    ],
)
def test_a_text_that_brackets_would_read_otherwise_is_quoted(text: str, wanted: Wanted, word: str) -> None:
    written = yaml_comments.rewrite(text, wanted(word), "odd").text
    assert yaml_text.load(written, "odd") == wanted(word)
    assert written.endswith("# kept\n")


def test_a_renamed_key_keeps_its_place_and_its_comments() -> None:
    text = "spec:\n  # the department\n  cohort: science  # shared\n  stopPolicy: None\n"
    rewritten = yaml_comments.rewrite(text, {"spec": {"cohortName": "science", "stopPolicy": "None"}}, "queue")
    assert rewritten.text == text.replace("cohort:", "cohortName:")
    assert rewritten.lost_comments == ()
