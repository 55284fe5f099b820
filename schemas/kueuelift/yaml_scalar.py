"""What a scalar of YAML means to Kubernetes: the rules of go.yaml.in/yaml v2 below sigs.k8s.io/yaml, to the letter.

Kubernetes knows JSON only: a whole number written as a float is an integer, dates are text, and what JSON has no word
for (`.inf`, nothing as a key) is refused. Numbers beyond 64 bits become the nearest double, as there.
"""

import binascii
import math
import re
import struct
from decimal import Decimal
from typing import Any

TAG = "tag:yaml.org,2002:"
STR, INT, FLOAT, BOOL, NULL, BINARY, MERGE = (
    TAG + name for name in ("str", "int", "float", "bool", "null", "binary", "merge")
)
_TIMESTAMP = TAG + "timestamp"

_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_FRACTION = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)?"
)
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
"""Minutes and seconds, a number to readers of YAML 1.1."""
_LONGEST_INTEGER = 20
"""Characters of the longest integer of 64 bits."""
_MOST = 1e21
"""Go writes whole numbers below it without an exponent."""


class MisfitError(ValueError):
    """A scalar that is not what its tag says, or that JSON has no word for."""


def value_of(text: str, tag: str, *, plain: bool) -> Any:
    """The JSON value of a scalar: `tag` in its long form or empty, `plain` where it is not quoted; MisfitError."""
    found = _typed(text, tag, plain=plain)
    return number(found) if isinstance(found, float) else found


def key_of(text: str, tag: str, *, plain: bool) -> str:
    """The JSON key that a scalar becomes; MisfitError where there is none."""
    found = _typed(text, tag, plain=plain)
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, float):
        return _short(found)
    if found is None or (isinstance(found, int) and found >= 1 << 63):
        raise MisfitError(f"{text or 'nothing'!r} as a key, where a text is wanted")
    return str(found)


def number(found: float) -> int | float:
    """A double as Go has it in JSON: a whole one of 64 bits is an integer; MisfitError for what is no number."""
    if not math.isfinite(found):
        raise MisfitError(f"{found}, which is no number that JSON has")
    digits = whole_digits(found)
    return int(digits) if digits and _fits(int(digits)) else found


def integer(text: str) -> int | float:
    """An integer of JSON; beyond 64 bits the nearest double, as in Kubernetes; MisfitError where there is none."""
    found = int(text) if len(text) <= _LONGEST_INTEGER else None
    return found if found is not None and _fits(found) else number(float(text))


def whole_digits(found: float) -> str:
    """A whole double below 1e21 without an exponent: its shortest digits, then zeros; empty for others."""
    return str(int(Decimal(repr(found)))) if float(found).is_integer() and abs(found) < _MOST else ""


def _fits(found: int) -> bool:
    return -(1 << 63) <= found < 1 << 64


def tag_of(text: str) -> str:
    """The tag that a plain scalar has to a reader: STR only where every reader takes it for text."""
    found = _by_form(text)
    if not isinstance(found, str):
        return {bool: BOOL, int: INT, float: FLOAT, type(None): NULL}[type(found)]
    return _TIMESTAMP if text in {"=", "<<"} or _DATE.fullmatch(text) or _BASE_60.fullmatch(text) else STR


def _typed(text: str, tag: str, *, plain: bool) -> Any:
    if tag == BINARY:
        return _unpacked(text)
    if tag == STR or (not tag and not plain) or tag not in {"", INT, FLOAT, BOOL, NULL, _TIMESTAMP}:
        return text
    found = _by_form(text)
    if not tag:
        return found
    if tag == FLOAT and type(found) is int and found < 1 << 63:
        return float(found)
    wanted: dict[str, type] = {INT: int, FLOAT: float, BOOL: bool, NULL: type(None)}
    if (tag == _TIMESTAMP and _DATE.fullmatch(text)) or type(found) is wanted.get(tag):
        return found
    raise MisfitError(f"{text[:40]!r}, where its tag !!{tag.removeprefix(TAG)} wants something else")


def _by_form(text: str) -> Any:
    """What an untagged plain scalar is: None, bool, int, float or text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _double(text.replace("_", ""), text) if _FRACTION.fullmatch(text) else text
    if text[0] not in "+-0123456789":
        return text
    bare = text.replace("_", "")
    if _INTEGER.fullmatch(bare):
        found = _integer(bare)
        if found is not None:
            return found
    return _double(bare, text) if _DECIMAL.fullmatch(bare) else text


def _integer(bare: str) -> int | None:
    """An integer in any base that fits 64 bits, with a sign or without; None where it does not fit."""
    digits = bare.lstrip("+-").lower()
    if len(digits) > 66:
        return None
    base = {"0x": 16, "0b": 2, "0o": 8}.get(digits[:2]) or (8 if digits[0] == "0" else 10)
    size = int(digits, base)
    if bare[0] == "-":
        return -size if size <= 1 << 63 else None
    return size if size < 1 << (63 if bare[0] == "+" else 64) else None


def _double(bare: str, text: str) -> float | str:
    """The nearest double; the text where there is none."""
    found = float(bare)
    return found if math.isfinite(found) else text


def _unpacked(text: str) -> str:
    try:
        return binascii.a2b_base64(text.replace("\n", "").replace("\r", ""), strict_mode=True).decode()
    except ValueError:
        raise MisfitError("a !!binary that is not base64 of a text, which is all that JSON has") from None


def _short(found: float) -> str:
    """A float as a key: Go's shortest form of the nearest single, with an exponent below 1e-4 and from 1e6 on."""
    if math.isnan(found):
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", found))[0]
    except OverflowError:
        single = math.copysign(math.inf, found)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    shortest = next(
        form
        for form in (f"{single:.{digits}e}" for digits in range(9))
        if struct.unpack("f", struct.pack("f", float(form)))[0] == single
    )
    mantissa, _, exponent = shortest.partition("e")
    if -4 <= int(exponent) < 6:
        places = max(0, len(mantissa.lstrip("-").replace(".", "")) - 1 - int(exponent))
        return f"{float(shortest):.{places}f}"
    return f"{mantissa}e{exponent}"
