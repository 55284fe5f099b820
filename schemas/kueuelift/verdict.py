"""A quick yes for objects that keep their schema: the dialect of `kueuelift.dialect`, compiled by jsonschema-rs.

It walks Python objects as they are, some two hundred times faster than jsonschema does. What it cannot say with
certainty it denies, so that a yes is one and a no only means that jsonschema has to be asked, which knows the words.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from kueuelift.go_regexp import compile_go
from kueuelift.quick_yes import DAY, compile_quick

_INT64 = 1 << 63

_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?"
_DATE_TIME = rf"^[1-9][0-9]{{3}}-({DAY})T{_TIME}(Z|[+-][0-9]{{2}}:[0-9]{{2}})$"

_DIFFERING = re.compile(r"\(\?|\\[bBdDsSwWpP]|\[\[:")
"""What Rust's regular expressions may read otherwise than Go's; such a pattern is run by Python."""

_UNSURE = frozenset({"multipleOf", "not", "oneOf"})
"""Division of fractions is done otherwise in Rust; below the other two a wrong no would become a wrong yes."""

_Sentence = Mapping[str, Any]


def compile_verdict(dialect: _Sentence) -> Callable[[Any], bool]:
    """Compile a schema as `Dialect.written` gives it; the answer is True only for objects without any error."""
    if _unsure(dialect):
        return lambda _value: False
    return compile_quick(
        _translated(dialect), keywords={"kueuelift-pattern": _Pattern, "kueuelift-unique-by": _UniqueBy}
    )


def _unsure(own: _Sentence) -> bool:
    """Whether a schema says something that cannot be said with certainty."""
    below = [*own.get("properties", {}).values(), *own.get("allOf", ()), *own.get("anyOf", ())]
    below += [own[key] for key in ("items", "additionalProperties") if key in own]
    return not _UNSURE.isdisjoint(own) or any(map(_unsure, below))


def _translated(own: _Sentence) -> dict[str, Any]:
    """Put one schema and all below it into keywords of JSON Schema, where there are any."""
    said = {key: value for key, value in own.items() if not key.startswith("kueuelift-")}
    if "properties" in own:
        said["properties"] = {name: _translated(below) for name, below in own["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in own:
            said[key] = _translated(own[key])
    for key in ("allOf", "anyOf"):
        if key in own:
            said[key] = [_translated(below) for below in own[key]]
    if "kueuelift-closed" in own:
        said["properties"] = {name: {} for name in own["kueuelift-closed"]} | said.get("properties", {})
        said["additionalProperties"] = False
    if "kueuelift-int64" in own:
        said["minimum"] = max(said.get("minimum", -_INT64), -_INT64)
        said["maximum"] = min(said.get("maximum", _INT64 - 1), _INT64 - 1)
    if "kueuelift-date-time" in own:
        said["allOf"] = [*said.get("allOf", ()), {"pattern": _DATE_TIME}]
    if "kueuelift-pattern" in own:
        pattern = own["kueuelift-pattern"][0]
        said["kueuelift-pattern" if _DIFFERING.search(pattern) else "pattern"] = pattern
    if "kueuelift-unique-by" in own:
        said["kueuelift-unique-by"] = own["kueuelift-unique-by"]
    return said


class _Pattern:
    """A Go pattern that only `compile_go` reads rightly."""

    def __init__(self, _schema: Any, pattern: str, _path: Any) -> None:
        self._search = compile_go(pattern).search

    def validate(self, value: Any) -> None:
        if isinstance(value, str) and not self._search(value):
            raise ValueError


class _UniqueBy:
    """The keys of a list map."""

    def __init__(self, _schema: Any, keys: list[str], _path: Any) -> None:
        self._keys = keys

    def validate(self, value: Any) -> None:
        if not isinstance(value, list) or len(value) < 2:
            return
        seen = [tuple(item.get(key) for key in self._keys) for item in value if isinstance(item, dict)]
        try:
            if len(set(seen)) != len(seen):
                raise ValueError
        except TypeError:
            # A key that is itself an object or a list.
            raise ValueError from None
