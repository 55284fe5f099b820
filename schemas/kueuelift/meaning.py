"""What an object means, however it is written: a form in which two objects are equal where they mean the same.

A field that is null is absent, a quantity is its value, and a list whose items have keys or are a set has no order,
unless the order is known to count. Which fields are quantities and
which lists have keys is read from the schema; what has none, as pod templates in some CRDs, goes by the names below.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from kueuelift.difference import Keyed, ListKey
from kueuelift.model import KubernetesObject
from kueuelift.quantity import Quantity
from kueuelift.structural import schema_of_field, schema_of_items
from kueuelift.structural_steps import Schema

_QUANTITY_PATTERN = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)"
"""What the pattern of every quantity begins with: a port may be a number or a text too and is none."""

_QUANTITY_MAPS = (("resources", "requests"), ("resources", "limits"), ("spec", "overhead"))
_QUANTITIES = (("emptyDir", "sizeLimit"), ("resourceFieldRef", "divisor"))
"""Of built-in types: where all values are quantities, and single ones; by the last two names of a path."""

_LIST_KEYS: Mapping[str, str] = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "imagePullSecrets": "name",
    "conditions": "type",
    "webhooks": "name",
    "versions": "name",
}
"""Of built-in types: what tells the items of a list apart, as the API server merges them."""

_ORDERED = frozenset(
    {
        "flavors",  # tried in this order
        "initContainers",  # run in this order
        "env",  # a later one may use an earlier one
    }
)
"""Lists whose items have keys and whose order counts nevertheless."""


def meaning(obj: KubernetesObject, schema: Schema | None) -> KubernetesObject:
    """The form of a whole object, or of some of its top-level fields; its defaults must be in it already.

    Two objects are compared by forms of one schema, however different the schemas are that gave their defaults.
    """
    form: KubernetesObject = _form(obj, schema, ())
    return form


def _form(value: Any, schema: Schema | None, names: tuple[str, ...]) -> Any:
    """The form of what lies below these names; the items of a list have the list's."""
    if isinstance(value, dict):
        return {
            key: _form(item, schema_of_field(schema, key)[1], (*names[-2:], key))
            for key, item in value.items()
            if item is not None
        }
    if isinstance(value, list):
        return _list([_form(item, schema_of_items(schema), names) for item in value], schema, names[-1])
    return _quantity(value) if _is_quantity(schema, names) else value


def _list(items: list[Any], schema: Schema | None, name: str) -> Any:
    kind = (schema or {}).get("x-kubernetes-list-type")
    keyed: Keyed | None = None
    if kind == "map":
        keyed = _keyed(items, tuple((schema or {}).get("x-kubernetes-list-map-keys") or ()), name)
    elif kind == "set":
        keyed = Keyed({ListKey(item if isinstance(item, str) else orjson.dumps(item).decode()): item for item in items})
    elif kind is None and name in _LIST_KEYS:
        keyed = _keyed(items, (_LIST_KEYS[name],), name)
    # With two items of one key nobody can say which is which.
    return keyed if keyed is not None and len(keyed) == len(items) else items


def _keyed(items: list[Any], names: tuple[str, ...], name: str) -> Keyed | None:
    if not all(isinstance(item, dict) and all(isinstance(item.get(key), str | int) for key in names) for item in items):
        return None
    keyed = {ListKey(",".join(f"{key}={item[key]}" for key in names)): item for item in items}
    return Keyed(keyed, ordered=name in _ORDERED)


def _is_quantity(schema: Schema | None, names: tuple[str, ...]) -> bool:
    if schema is None:
        return names[:-1][-2:] in _QUANTITY_MAPS or names[-2:] in _QUANTITIES
    return bool(schema.get("x-kubernetes-int-or-string")) and str(schema.get("pattern")).startswith(_QUANTITY_PATTERN)


def _quantity(value: Any) -> Any:
    try:
        return Quantity(value)
    except ValueError:
        return value


def written(value: Any) -> Any:
    """What was written, of any part of a form: lists are lists again and quantities as they stood there."""
    if isinstance(value, Quantity):
        return value.written
    if isinstance(value, Keyed):
        return [written(item) for item in value.values()]
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    if isinstance(value, list):
        return [written(item) for item in value]
    return value
