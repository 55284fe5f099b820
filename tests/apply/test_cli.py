"""The words of the command line."""

import click
import pytest

from kueuelift.cli_options import Duration


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("60m", 3600), ("1h30m", 5400), ("45", 45), ("2h", 7200)])
def test_a_length_of_time(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "m", "-5s", "1d", "5 m", "1h-"])
def test_no_length_of_time(text: str) -> None:
    with pytest.raises(click.BadParameter, match="no length of time"):
        Duration().convert(text, None, None)
