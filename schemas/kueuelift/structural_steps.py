"""Compiles a structural schema into one step a node: an object is pruned, rid of nulls and filled in one walk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

Schema = Mapping[str, Any]
Step = Callable[[Any], Any]
"""Gives the new value for a value, as a copy."""

META_FIELDS = frozenset({"apiVersion", "kind", "metadata"})
"""What every object has, and an embedded one as well, whatever its schema knows."""
_SCALARS = frozenset({str, int, float, bool})


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """What is to be done, in the server's order: unknown fields go, then stray nulls, then defaults come."""

    prune: bool = False
    nulls: bool = False
    defaults: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Field:
    step: Step
    null: Callable[[], Any] | None
    """Makes what stands for a null; None: the field goes."""
    default: Callable[[], Any] | None
    """Makes the value of an absent field; None: it stays absent."""


def compile_step(schema: Schema | None, work: Work, *, is_open: bool = False) -> Step:  # noqa: C901 - one case a kind of node
    """Compile a schema and all below it; a missing schema knows no field. `is_open`: unknown fields stay."""
    is_open = is_open or not work.prune
    if schema is None:
        return copied if is_open else _emptied
    is_open = is_open or bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    fields = _fields(schema, work)
    beside = _beside(schema, work, is_open=is_open)
    missing = [(name, field.default) for name, field in fields.items() if field.default is not None]
    items = schema.get("items")
    # A list that preserves what it does not know hands that on to its items.
    item = compile_step(items, work, is_open=is_open)
    null_item = _null(items, replace(work, nulls=False)) or _nothing

    def on_object(value: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, below in value.items():
            field = fields.get(key, beside)
            if field is None:
                continue
            if below.__class__ in _SCALARS:
                made[key] = below
            elif below is not None:
                made[key] = field.step(below)
            elif field.null is not None:
                made[key] = field.null()
        for name, default in missing:
            if name not in value:
                made[name] = default()
        return made

    def step(value: Any) -> Any:
        if isinstance(value, dict):
            return on_object(value)
        if isinstance(value, list):
            return [null_item() if one is None else item(one) for one in value]
        return value

    return step


def copied(value: Any) -> Any:
    """Copy lists and objects, all the way down."""
    if isinstance(value, dict):
        return {key: below if below.__class__ in _SCALARS else copied(below) for key, below in value.items()}
    if isinstance(value, list):
        return [copied(below) for below in value]
    return value


def _emptied(value: Any) -> Any:
    """Prune by a schema that knows nothing."""
    if isinstance(value, dict):
        return {}
    return [_emptied(below) for below in value] if isinstance(value, list) else value


def _fields(schema: Schema, work: Work) -> dict[str, _Field]:
    kept = META_FIELDS if schema.get("x-kubernetes-embedded-resource") else frozenset()
    unpruned = replace(work, prune=False)
    fields = {
        name: _field(below, unpruned if name in kept else work) for name, below in schema.get("properties", {}).items()
    }
    beside = schema.get("additionalProperties")
    for name in kept - fields.keys():
        fields[name] = replace(_field(beside if isinstance(beside, Mapping) else None, unpruned), default=None)
    return fields


def _beside(schema: Schema, work: Work, *, is_open: bool) -> _Field | None:
    """What becomes of fields that are no properties; None: they go."""
    additional = schema.get("additionalProperties")
    if additional is not None:
        return _field(additional if isinstance(additional, Mapping) else None, work)
    return _Field(step=copied, null=_nothing, default=None) if is_open else None


def _field(schema: Schema | None, work: Work) -> _Field:
    default = _default(schema) if work.defaults else None
    return _Field(step=compile_step(schema, work), null=_null(schema, work), default=default)


def _null(schema: Schema | None, work: Work) -> Callable[[], Any] | None:
    if schema is None or schema.get("nullable", False):
        return _nothing
    if schema.get("default") is None:
        return None if work.nulls else _nothing
    return _default(schema) if work.defaults else _nothing


def _default(schema: Schema | None) -> Callable[[], Any] | None:
    """Make the default of a field, with the defaults inside it."""
    wanted = schema.get("default") if schema is not None else None
    if wanted is None:
        return None
    filled = compile_step(schema, Work(defaults=True))(wanted)
    return (lambda: filled) if filled.__class__ in _SCALARS else (lambda: copied(filled))


def _nothing() -> None:
    return None
