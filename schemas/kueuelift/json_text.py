"""JSON as Kubernetes tools print it: one value after the other, equal keys an error, numbers as Go has them."""

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

from kueuelift import yaml_scalar
from kueuelift.yaml_tree import MOST_LEVELS

_SPACE = re.compile(r"[ \t\r\n]*")
_HALF_LETTER = re.compile(r"\\u[dD][89abAB]")


class NotJsonError(ValueError):
    """A text that is not JSON from some place on."""

    def __init__(self, problem: str, *, line: int) -> None:
        super().__init__(problem)
        self.line = line
        """Counted from 1."""


def looks_like_json(text: str) -> bool:
    """Whether a text begins as JSON does; YAML may do so too."""
    return text.lstrip()[:1] in {"{", "["}


def load_values(text: str) -> Iterator[tuple[Any, int]]:
    """Yield each value and the line where it begins; NotJsonError where the rest is not JSON."""
    place = _begin(text, 0)
    line, counted = 1, 0
    while place < len(text):
        line, counted = line + text.count("\n", counted, place), place
        try:
            value, end = _DECODER.raw_decode(text, place)
            _check(value, text)
        except json.JSONDecodeError as error:
            raise NotJsonError(error.msg, line=error.lineno) from None
        except RecursionError:
            raise NotJsonError(_TOO_DEEP, line=line) from None
        except ValueError as error:
            raise NotJsonError(str(error), line=line) from None
        yield value, line
        place = _begin(text, end)


_TOO_DEEP = f"nested too deeply, more than {MOST_LEVELS} levels"


def _begin(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _check(value: Any, text: str) -> None:
    """Refuse what nobody after this could write: too many levels, halves of letters."""
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        level = [
            below
            for it in level
            for below in (it.values() if isinstance(it, dict) else it)
            if isinstance(below, dict | list)
        ]
        if not level:
            break
    else:
        raise ValueError(_TOO_DEEP)
    if _HALF_LETTER.search(text):
        try:
            orjson.dumps(value)
        except orjson.JSONEncodeError:
            raise ValueError("half of a letter (a lone surrogate) in a text") from None


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} stands twice in one object")
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name}, which is no number that JSON has")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_mapping,
    parse_int=yaml_scalar.integer,
    parse_float=lambda text: yaml_scalar.number(float(text)),
    parse_constant=_constant,
)
