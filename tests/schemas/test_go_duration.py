"""Durations as Go has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift.go_duration import nanoseconds, printed


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0", 0),
        ("-0", 0),
        ("0s", 0),
        ("5m", 300_000_000_000),
        ("1h30m", 5_400_000_000_000),
        (".5s", 500_000_000),
        ("1.s", 1_000_000_000),
        ("-1.5h", -5_400_000_000_000),
        ("+2ms", 2_000_000),
        ("3us", 3_000),
        ("3µs", 3_000),
        ("1s1h", 3_601_000_000_000),
        ("0.3333333333333333333h", 1_200_000_000_000),
        ("9223372036854775807ns", (1 << 63) - 1),
        ("-9223372036854775808ns", -(1 << 63)),
    ],
)
def test_what_go_takes(text: str, meant: int) -> None:
    assert nanoseconds(text) == meant


@pytest.mark.parametrize(
    "text", ["", "+", "5", "1d", ".s", "s", "1h-1m", "1 s", "1hs", "9223372036854775808ns", "1e3s", "2562048h", "٣s"]
)
def test_what_go_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="duration"):
        nanoseconds(text)


@pytest.mark.parametrize(
    ("meant", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1_100, "1.1µs"),
        (2_200_000, "2.2ms"),
        (3_300_000_000, "3.3s"),
        (300_000_000_000, "5m0s"),
        (3_600_000_000_000, "1h0m0s"),
        (-5_400_000_000_000, "-1h30m0s"),
        (245_001_000_000, "4m5.001s"),
    ],
)
def test_how_go_prints(meant: int, text: str) -> None:
    assert printed(meant) == text


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_what_is_printed_reads_back(duration: int) -> None:
    assert nanoseconds(printed(duration)) == duration
