"""Writes as JSON Schema when JSON is already as a Go struct of Kubernetes would write it: most of a Workload is.

What passes needs not be read and written again. The shapes are those of `go_struct`; what cannot be said with
certainty does not pass, so that a yes is one and a no says nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any

from kueuelift.quick_yes import DAY, compile_quick

_INT32, _INT64 = 1 << 31, 1 << 63

_TIME = rf"^[1-9][0-9]{{3}}-({DAY})T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$"
_QUANTITY = r"^(0|[1-9][0-9]{0,2}([numkMGT]|[KMGT]i)?|[1-9][0-9]{0,13}([1-9]|[1-9]0|[1-9]00))$"
"""Numbers of up to three digits, and others without a suffix that do not end in three zeros, are always kept."""

_SCALARS: Mapping[str, Mapping[str, Any]] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "minimum": -_INT32, "maximum": _INT32 - 1, "whole": True},
    "int64": {"type": "integer", "minimum": -_INT64, "maximum": _INT64 - 1, "whole": True},
    "quantity": {"type": "string", "pattern": _QUANTITY},
    "time": {"type": "string", "pattern": _TIME},
    "int-or-string": {"type": ["integer", "string"], "minimum": -_INT32, "maximum": _INT32 - 1, "whole": True},
    "any": {"type": ["array", "boolean", "number", "object", "string"]},
}
_FILLED: Mapping[str, Any] = {
    "minLength": 1, "minItems": 1, "minProperties": 1, "not": {"enum": [False, 0]},
}  # fmt: skip
"""What is no zero value, and hence not left out."""

Shapes = Mapping[str, Mapping[str, str]]


def compile_settled(struct: str, shapes: Shapes) -> Callable[[Any], bool]:
    """Compile the question for a struct; True only for values that decoding gives back as they are."""
    definitions: dict[str, Any] = {}
    _define(struct, shapes, definitions)
    return compile_quick({"$defs": definitions, "$ref": f"#/$defs/{struct}"}, keywords={"whole": _Whole})


def _define(struct: str, shapes: Shapes, definitions: dict[str, Any]) -> None:
    if struct in definitions:
        return
    definitions[struct] = {}
    fields = shapes[struct]
    definitions[struct] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: _field(text, shapes, definitions) for name, text in fields.items()},
        "required": [name for name, text in fields.items() if _always_written(text, shapes)],
    }


def _field(text: str, shapes: Shapes, definitions: dict[str, Any]) -> dict[str, Any]:
    kind = text.rstrip("!?")
    written = _value(kind, shapes, definitions)
    if text != kind or kind.startswith("*") or _is_struct(kind, shapes):
        return written
    return {"allOf": [written, _FILLED]}


def _value(kind: str, shapes: Shapes, definitions: dict[str, Any]) -> dict[str, Any]:
    if kind.startswith("*"):
        return _value(kind[1:], shapes, definitions)
    if kind.startswith("[]"):
        return {"type": "array", "items": _value(kind[2:], shapes, definitions)}
    if kind.startswith("{}"):
        return {"type": "object", "additionalProperties": _value(kind[2:], shapes, definitions)}
    if kind in _SCALARS:
        return dict(_SCALARS[kind])
    _define(kind, shapes, definitions)
    return {"$ref": f"#/$defs/{kind}"}


def _always_written(text: str, shapes: Shapes) -> bool:
    kind = text.rstrip("!?")
    return text.endswith("!") or (text == kind and _is_struct(kind, shapes))


def _is_struct(kind: str, shapes: Shapes) -> bool:
    return kind in {"quantity", "time"} or kind in shapes


class _Whole:
    """Refuses 1.0, which JSON Schema counts among the integers."""

    def __init__(self, _schema: Any, _wanted: bool, _path: Any) -> None:
        pass

    def validate(self, value: Any) -> None:
        if isinstance(value, float):
            raise ValueError  # noqa: TRY004 - how a keyword says no
