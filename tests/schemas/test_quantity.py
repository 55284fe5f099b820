"""Quantities, against what the API machinery prints (seen at k8s.io/apimachinery 0.35.3)."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift.quantity import canonical, exact_value, same

PRINTED: list[tuple[str | float, str]] = [
    ("0", "0"),
    ("-0", "0"),
    (0, "0"),
    (0.0, "0"),
    ("0m", "0"),
    ("00", "0"),
    (36, "36"),
    ("1000m", "1"),
    ("1500m", "1500m"),
    ("0.5", "500m"),
    (0.5, "500m"),
    (1.5, "1500m"),
    (".5", "500m"),
    ("5.", "5."),
    ("+5", "+5"),
    ("1.500", "1.500"),
    ("01", "01"),
    ("1000", "1k"),
    (100000, "100k"),
    ("1024Mi", "1Gi"),
    ("0.5Gi", "512Mi"),
    ("0.5Ki", "512"),
    ("0.1Gi", "107374182400m"),
    ("9.85Ti", "10830189533593600m"),
    ("+9Gi", "+9Gi"),
    ("+8Gi", "8Gi"),
    ("1e3", "1e3"),
    ("1E3", "1E3"),
    ("12e+3", "12e+3"),
    ("1e4", "10e3"),
    ("1000e3", "1e6"),
    ("1E", "1E"),
    ("1e-3", "1e-3"),
    ("0.0000000001", "1n"),
    ("-0.0000000001", "-1n"),
    ("1.5n", "2n"),
    ("1e-20", "1e-9"),
    (1e-7, "100e-9"),
    (1e21, "1e+21"),
    (100000000000000000000, "100E"),
    ("123456789012345678901.", "123456789012345678901"),
    ("1000000000Ti", "9223372036854775807"),
    ("-1000000000Ti", "-9223372036854775807"),
    ("1e5000", "100e4998"),
]


@pytest.mark.parametrize(("value", "printed"), PRINTED, ids=repr)
def test_prints_as_the_api_machinery_does(value: str | float, printed: str) -> None:
    assert canonical(value) == printed


@pytest.mark.parametrize(
    "value", ["", "-", ".", "Gi", "1_000", "1 Gi", " 5", "1e3.5", "1Ei3", "0x1", "٣", "1e99999999999"]
)
def test_refuses_what_is_no_quantity(value: str) -> None:
    with pytest.raises(ValueError, match=r"quantity|exponent"):
        canonical(value)


@pytest.mark.parametrize("value", [True, None, [], float("nan"), float("inf")], ids=repr)
def test_refuses_json_of_another_type(value: float) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        canonical(value)


def test_refuses_a_value_that_would_print_as_another() -> None:
    # Kubernetes itself prints "1" here.
    with pytest.raises(ValueError, match="lose the rest"):
        canonical("1000E")


digits = st.text("0123456789", max_size=22)
numbers = st.builds(
    "{}{}{}".format, st.sampled_from(["", "+", "-"]), digits, st.one_of(st.just(""), digits.map(".{}".format))
)
suffixes = st.sampled_from(
    [*"numkMGTPE", "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", "e-6", "e1", "E+2", "e-12"]
)
texts = st.builds("{}{}".format, numbers.filter(lambda number: any(map(str.isdigit, number))), suffixes)


def _printed(text: str) -> str | None:
    try:
        return canonical(text)
    except ValueError:
        return None


@given(texts)
def test_printing_twice_changes_nothing_more(text: str) -> None:
    once = _printed(text)
    assert once is None or canonical(once) == once


@given(texts)
def test_value_is_kept_but_for_billionths_and_the_largest(text: str) -> None:
    once = _printed(text)
    if once is None:
        assert abs(exact_value(text)) >= 10**21
        return
    wanted = exact_value(text)
    if text.endswith("i") and abs(wanted) > 2**63 - 1:
        wanted = Fraction(2**63 - 1 if wanted > 0 else 1 - 2**63)
    assert 0 <= abs(exact_value(once)) - abs(wanted) < Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("left", "right"),
    [("12000m", 12), ("1000", "1k"), ("0.5Gi", "512Mi"), ("1e3", "1k"), ("1024Mi", "1Gi"), (1.5, "1500m")],
)
def test_same_by_value(left: str | float, right: str | float) -> None:
    assert same(left, right)


def test_not_the_same_by_value() -> None:
    assert not same("1000000000Ti", canonical("1000000000Ti"))
    assert not same("1k", "1Ki")
