"""Writes as JSON Schema when an object is already as `structural_steps` would leave it, which most objects are."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kueuelift.quick_yes import compile_quick
from kueuelift.structural_steps import META_FIELDS, Schema, Work

_NOTHING = {"additionalProperties": False, "items": {"$ref": "#/$defs/nothing"}}
"""What a schema that knows no field leaves alone."""
_NO_NULL = ["array", "boolean", "number", "object", "string"]


def compile_settled(schema: Schema, work: Work) -> Callable[[Any], bool]:
    """Compile a schema; True only for values on which the work would change nothing. False may be wrong."""
    return compile_quick({"$defs": {"nothing": _NOTHING}, **_settled(schema, work, is_open=False)})


def _settled(schema: Schema | None, work: Work, *, is_open: bool) -> dict[str, Any]:
    is_open = is_open or not work.prune
    if schema is None:
        return {} if is_open else {"$ref": "#/$defs/nothing"}
    is_open = is_open or bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    items = schema.get("items")
    written: dict[str, Any] = {
        "properties": _properties(schema, work),
        "items": _without_null(_settled(items, work, is_open=is_open), items, replace(work, nulls=False)),
    }
    additional = schema.get("additionalProperties")
    if additional is not None:
        written["additionalProperties"] = _field(additional if isinstance(additional, Mapping) else None, work)
    elif not is_open:
        written["additionalProperties"] = False
    if work.defaults:
        written["required"] = [name for name, below in schema.get("properties", {}).items() if _has_default(below)]
    return written


def _properties(schema: Schema, work: Work) -> dict[str, Any]:
    kept = META_FIELDS if schema.get("x-kubernetes-embedded-resource") else frozenset()
    unpruned = replace(work, prune=False)
    own = schema.get("properties", {})
    beside = schema.get("additionalProperties")
    meta = _field(beside if isinstance(beside, Mapping) else None, unpruned)
    return dict.fromkeys(sorted(kept - own.keys()), meta) | {
        name: _field(below, unpruned if name in kept else work) for name, below in own.items()
    }


def _field(schema: Schema | None, work: Work) -> dict[str, Any]:
    return _without_null(_settled(schema, work, is_open=False), schema, work)


def _without_null(written: dict[str, Any], schema: Schema | None, work: Work) -> dict[str, Any]:
    """The same where a null would go, or become a default."""
    if schema is None or schema.get("nullable", False):
        return written
    return {**written, "type": _NO_NULL} if (work.defaults if _has_default(schema) else work.nulls) else written


def _has_default(schema: Schema) -> bool:
    return schema.get("default") is not None
