"""The options that several commands share."""

import click
import pytest

from kueuelift.cli_options import Duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("30", 30),
        ("45", 45),
        ("30s", 30),
        ("90s", 90),
        ("60m", 3600),
        ("1m30s", 90),
        ("1h30m", 5400),
        ("2h", 7200),
        ("1.5s", 1.5),
        ("250ms", 0.25),
    ],
)
def test_lengths_of_time_are_kubectls(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "m", "s", "5x", "1d", "-1s", "-5s", "1s2", "5 m", "1h-", "one"])
def test_other_words_are_no_length_of_time(text: str) -> None:
    with pytest.raises(click.BadParameter, match="no length of time"):
        Duration().convert(text, None, None)
