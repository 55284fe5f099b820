"""The server's rules once more, one plain walk a rule: slow, and easy to hold against its source.

The rules are those of k8s.io/apiextensions-apiserver at 1.35 (packages `schema/pruning` and `schema/defaulting`).
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from kueuelift.model import KubernetesObject

Schema = Mapping[str, Any]

_META_FIELDS = frozenset({"apiVersion", "kind", "metadata"})


def coerce(obj: KubernetesObject, schema: Schema) -> KubernetesObject:
    """Do all three in the server's order, which gives the object as it is validated and stored."""
    own: KubernetesObject = deepcopy(obj)
    _prune(own, _as_root(schema), "", [])
    _drop_nulls(own, schema)
    _default(own, schema)
    return own


def prune(obj: KubernetesObject, schema: Schema) -> KubernetesObject:
    """Drop the fields that the schema does not know; `apiVersion`, `kind` and `metadata` stay as they are."""
    own: KubernetesObject = deepcopy(obj)
    _prune(own, _as_root(schema), "", [])
    return own


def pruned_paths(obj: KubernetesObject, schema: Schema) -> list[str]:
    """List, sorted, the paths that `prune` drops: the topmost field only, such as `spec.podSets[0].colour`."""
    dropped: list[str] = []
    _prune(deepcopy(obj), _as_root(schema), "", dropped)
    return sorted(dropped)


def drop_nulls(obj: KubernetesObject, schema: Schema) -> KubernetesObject:
    """Drop the nulls of known fields that are neither nullable nor have a default; nulls in lists stay."""
    own: KubernetesObject = deepcopy(obj)
    _drop_nulls(own, schema)
    return own


def default(obj: KubernetesObject, schema: Schema) -> KubernetesObject:
    """Fill in the defaults of fields that are absent, or null without being nullable, inside objects that exist."""
    own: KubernetesObject = deepcopy(obj)
    _default(own, schema)
    return own


def _as_root(schema: Schema) -> Schema:
    return {**schema, "x-kubernetes-embedded-resource": True}


def _prune(value: Any, schema: Schema | None, path: str, dropped: list[str]) -> None:
    if isinstance(value, dict):
        _prune_object(value, schema, path, dropped)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _prune(item, _item_schema_to_prune(schema), f"{path}[{index}]", dropped)


def _prune_object(value: dict[str, Any], schema: Schema | None, path: str, dropped: list[str]) -> None:
    kept = _META_FIELDS if schema is not None and schema.get("x-kubernetes-embedded-resource") else frozenset()
    open_here = schema is not None and _preserves(schema)
    for key in list(value):
        if key in kept:
            continue
        below = f"{path}.{key}" if path else key
        known, field_schema = schema_of_field(schema, key)
        if known:
            _prune(value[key], field_schema, below, dropped)
        elif not open_here:
            dropped.append(below)
            del value[key]


def _drop_nulls(value: Any, schema: Schema | None) -> None:
    if isinstance(value, dict):
        for key in list(value):
            field_schema = schema_of_field(schema, key)[1]
            if _stray_null(value[key], field_schema) and (field_schema or {}).get("default") is None:
                del value[key]
            else:
                _drop_nulls(value[key], field_schema)
    elif isinstance(value, list):
        for item in value:
            _drop_nulls(item, schema_of_items(schema))


def _default(value: Any, schema: Schema | None) -> None:
    if schema is None:
        return
    if isinstance(value, dict):
        for key, field_schema in schema.get("properties", {}).items():
            wanted = field_schema.get("default")
            if wanted is not None and (key not in value or _stray_null(value[key], field_schema)):
                value[key] = deepcopy(wanted)
        for key in value:
            known_property = key in schema.get("properties", {})
            field_schema = schema_of_field(schema, key)[1]
            if not known_property and _stray_null(value[key], field_schema):
                value[key] = deepcopy((field_schema or {}).get("default"))
            _default(value[key], field_schema)
    elif isinstance(value, list):
        items = schema_of_items(schema)
        for index, item in enumerate(value):
            if _stray_null(item, items):
                value[index] = deepcopy((items or {}).get("default"))
            _default(value[index], items)


def schema_of_field(schema: Schema | None, key: str) -> tuple[bool, Schema | None]:
    """Say whether the schema knows the field, and by which schema: `additionalProperties: true` has none for it."""
    if schema is None:
        return False, None
    properties = schema.get("properties", {})
    if key in properties:
        return True, properties[key]
    additional = schema.get("additionalProperties")
    return additional is not None, additional if isinstance(additional, Mapping) else None


def schema_of_items(schema: Schema | None) -> Schema | None:
    """Give the schema of a list's items; None where it has none."""
    return schema.get("items") if schema is not None else None


def _item_schema_to_prune(schema: Schema | None) -> Schema | None:
    items = schema_of_items(schema)
    if schema is None or not _preserves(schema):
        return items
    # A list that preserves what it does not know hands that on to its items.
    return {**(items or {}), "x-kubernetes-preserve-unknown-fields": True}


def _preserves(schema: Schema) -> bool:
    return bool(schema.get("x-kubernetes-preserve-unknown-fields"))


def _stray_null(value: Any, schema: Schema | None) -> bool:
    return value is None and schema is not None and not schema.get("nullable", False)
