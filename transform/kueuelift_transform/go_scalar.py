"""The values in Kueue's Go structs that are more or less than their JSON: what is taken, and how it is written back."""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Self

from kueuelift.quantity import canonical

_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_ZERO_TIME = "0001-01-01T00:00:00Z"
_TIME_WANTED = "a time such as 2026-01-31T12:00:00Z"


class MismatchError(Exception):
    """A JSON value is of another type than the struct's field, which makes the webhook fail."""

    def __init__(self, found: Any, wanted: str, path: str = "") -> None:
        super().__init__(f"{path}: found {found!r:.80}, wanted {wanted}")
        self.found = found
        self.wanted = wanted
        self.path = path

    def under(self, key: str) -> Self:
        """Name the field that the value stands in: called once a level on the way out."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return type(self)(self.found, self.wanted, f"{key}{joint}{self.path}")


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise MismatchError(value, "a text")
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise MismatchError(value, "true or false")
    return value


def _int(bits: int) -> Callable[[Any], int]:
    limit: int = 1 << (bits - 1)

    def decode(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not -limit <= value < limit:
            raise MismatchError(value, f"a whole number of {bits} bits")
        return value

    return decode


def _int_or_string(value: Any) -> int | str:
    return value if isinstance(value, str) else _int(32)(value)


def _quantity(value: Any) -> str:
    try:
        return canonical(value)
    except ValueError as wrong:
        raise MismatchError(value, f"a quantity ({wrong})") from None


def utc(value: Any) -> str | None:
    """Write a time in UTC, to the second; the zero time is None. MismatchError where it is no RFC 3339 time."""
    if not isinstance(value, str):
        raise MismatchError(value, _TIME_WANTED)
    return _utc(value)


@lru_cache(maxsize=4096)
def _utc(value: str) -> str | None:
    if value == _ZERO_TIME:
        return None
    found = _TIME.fullmatch(value)
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6]) if found else [0] * 6
    if found is None or not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        raise MismatchError(value, _TIME_WANTED)
    if hour > 23 or minute > 59 or second > 59:
        raise MismatchError(value, _TIME_WANTED)
    offset = int(f"{found[7]}1") * (int(found[8]) * 60 + int(found[9])) if found[7] else 0
    minutes = hour * 60 + minute - offset
    year, month, day = _day_shifted(year, month, day, minutes // 1440)
    return f"{year:04}-{month:02}-{day:02}T{minutes % 1440 // 60:02}:{minutes % 60:02}:{second:02}Z"


def _day_shifted(year: int, month: int, day: int, by: int) -> tuple[int, int, int]:
    """Move a date by -1, 0 or 1 days: all that an offset from UTC can ask for."""
    day += by
    if day < 1:
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)
        day = monthrange(year, month)[1]
    elif day > monthrange(year, month)[1]:
        year, month, day = (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)
    return year, month, day


def _any(value: Any) -> Any:
    return value


DECODE: Mapping[str, Callable[[Any], Any]] = {
    "string": _string,
    "bool": _bool,
    "int32": _int(32),
    "int64": _int(64),
    "quantity": _quantity,
    "time": utc,
    "int-or-string": _int_or_string,
    "any": _any,
}
"""By type: JSON to value, MismatchError where Go refuses."""

ZERO: Mapping[str, Any] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "quantity": "0",
    "time": None,
    "int-or-string": 0,
    "any": None,
}
"""By type: what is written for a value that was never given."""
