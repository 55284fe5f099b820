"""Kubernetes quantities: read exactly, printed as the API machinery prints them.

The rules are those of k8s.io/apimachinery `api/resource` at 0.35. What it prints for a text that it has just read is
nearly always one fixed form, but what already looks canonical to it is handed back (`+5`, `5.` and `1.500` stay).
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Self

_SHAPE = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?P<suffix>[KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]+)",
    re.ASCII,
)
_DECIMAL = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_BINARY = {10: "Ki", 20: "Mi", 30: "Gi", 40: "Ti", 50: "Pi", 60: "Ei"}
_POWER_OF_TEN = {suffix: power for power, suffix in _DECIMAL.items()}
_POWER_OF_TWO = {suffix: power for power, suffix in _BINARY.items()}
_LARGEST_INT64 = 2**63 - 1
_LARGEST_POWER = 2**31 - 64
"""The exponent is kept in 32 bits there; beyond them it wraps around to another number."""


def canonical(value: str | float) -> str:
    """Print a quantity as the API machinery does; ValueError where it is none, or would print as another one."""
    return _canonical(_text(value))


def exact_value(value: str | float) -> Fraction:
    """Say what a quantity means as written: not rounded to billionths, not capped. ValueError where it is none."""
    text = _text(value)
    sign, whole, part, suffix = _split(text)
    number = Fraction(sign * int(whole + part), 10 ** len(part))
    if suffix in _POWER_OF_TWO:
        return number * (1 << _POWER_OF_TWO[suffix])
    power = _power_of_ten(text, suffix)
    if abs(power) > 10_000:
        raise ValueError(f"{text!r} is too large or too small to be compared")
    scale = Fraction(10 ** abs(power))
    return number * scale if power >= 0 else number / scale


def same(left: str | float, right: str | float) -> bool:
    """Tell whether two quantities mean the same: `12000m` and 12, `0.5Gi` and `512Mi`."""
    return _same(_text(left), _text(right))


class Quantity(str):
    """A quantity that equals every other of its value, and knows how it was written."""

    written: str | float

    def __new__(cls, written: str | float) -> Self:
        """Of a text or number; ValueError where it is none."""
        own = super().__new__(cls, exact_value(written))
        own.written = written
        return own


@lru_cache(maxsize=4096)
def _same(left: str, right: str) -> bool:
    return exact_value(left) == exact_value(right)


@lru_cache(maxsize=4096)
def _canonical(text: str) -> str:
    sign, whole, part, suffix = _split(text)
    if suffix in _POWER_OF_TWO:
        return _canonical_binary(text, sign, whole, part, _POWER_OF_TWO[suffix])
    scale = _power_of_ten(text, suffix) - len(part)
    if _handed_back(whole, part, scale):
        return text
    return _print_decimal(text, *_rounded(sign * int(whole + part), scale), exponent=suffix not in _POWER_OF_TEN)


def _text(value: str | float) -> str:
    """Give the text that the API server hands to Kueue: a JSON number as Go writes it."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{value!r} is not a quantity")  # noqa: TRY004 - one kind of failure for every wrong value
    if not isinstance(value, float):
        return str(value)
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)).normalize(), "f")
    return re.sub(r"e-0(\d)$", r"e-\1", repr(value))


def _split(text: str) -> tuple[int, str, str, str]:
    found = _SHAPE.fullmatch(text)
    if found is None or not (found["whole"] or found["part"]):
        raise ValueError(f"{text!r} is not a quantity such as 500m, 1.5 or 2Gi")
    # Leading zeros are gone before anything is counted; what is left of "0.5" is a whole part "0".
    return -1 if found["sign"] == "-" else 1, found["whole"].lstrip("0") or "0", found["part"] or "", found["suffix"]


def _power_of_ten(text: str, suffix: str) -> int:
    power = _POWER_OF_TEN[suffix] if suffix in _POWER_OF_TEN else int(suffix[1:])
    if abs(power) > _LARGEST_POWER:
        raise ValueError(f"{text!r} has an exponent that Kubernetes cannot hold")
    return power


def _handed_back(whole: str, part: str, scale: int) -> bool:
    """Tell whether a decimal text is kept: the machinery's fast path for up to 18 digits of billionths or more."""
    digits = whole + part
    return (
        len(digits) <= 18
        and scale >= -9
        and scale % 3 == 0
        and not digits.endswith("000")
        and not digits.startswith("0")
    )


def _rounded(number: int, scale: int) -> tuple[int, int]:
    """Round away from zero to billionths, under the theory that who asks for something shall get something."""
    if scale >= -9:
        return number, scale
    cut = -9 - scale
    if cut > len(str(abs(number))):
        return (number > 0) - (number < 0), -9
    quotient, rest = divmod(abs(number), 10**cut)
    return (quotient + bool(rest)) * (1 if number > 0 else -1), -9


def _print_decimal(text: str, number: int, scale: int, *, exponent: bool) -> str:
    if number == 0:
        return "0"
    while number % 10 == 0:
        number, scale = number // 10, scale + 1
    number, scale = number * 10 ** (scale % 3), scale - scale % 3
    if exponent:
        return f"{number}e{scale}" if scale else str(number)
    if scale not in _DECIMAL:
        raise ValueError(
            f"{text!r} is more than a decimal suffix can say: Kubernetes would print {number} and lose the rest"
        )
    return f"{number}{_DECIMAL[scale]}"


def _canonical_binary(text: str, sign: int, whole: str, part: str, power: int) -> str:
    number = int(whole) << power
    fast = not part and 15 - len(whole) - power * 3 // 10 - 1 >= 0 and number <= _LARGEST_INT64
    if fast and int(whole) % 8:
        return text
    value = Fraction(int(whole + part) << power, 10 ** len(part))
    if not fast:
        value = min(value, Fraction(_LARGEST_INT64))
    if value.denominator != 1 or value < 1024:
        billionths = value * 10**9
        return _print_decimal(text, sign * -(-billionths.numerator // billionths.denominator), -9, exponent=False)
    return _print_binary(value.numerator, "-" if sign < 0 else "")


def _print_binary(number: int, sign: str) -> str:
    power = 0
    while number % 1024 == 0:
        number, power = number // 1024, power + 10
    return f"{sign}{number}{_BINARY.get(power, '')}"
