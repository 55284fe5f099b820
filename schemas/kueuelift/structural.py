"""What an API server does to a custom object before it validates and stores it: prunes, drops nulls, fills in defaults.

The rules are those of k8s.io/apiextensions-apiserver at 1.35 (packages `schema/pruning` and `schema/defaulting`). A
schema is compiled when it is first seen and must not be changed after that. What is given is never changed, but
returned itself where nothing is to be done.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from kueuelift.model import KubernetesObject
from kueuelift.structural_settled import compile_settled
from kueuelift.structural_steps import Schema, Step, Work, compile_step

_AT_MOST = 64
"""Schemas that are kept compiled."""


def coerce(obj: KubernetesObject, schema: Schema) -> KubernetesObject:
    """Do all three in the server's order, which gives the object as it is validated and stored."""
    own: KubernetesObject = _structure(schema).coerce(obj)
    return own


def prune(obj: KubernetesObject, schema: Schema) -> KubernetesObject:
    """Drop the fields that the schema does not know; `apiVersion`, `kind` and `metadata` stay as they are."""
    own: KubernetesObject = _structure(schema).prune(obj)
    return own


def pruned_paths(obj: KubernetesObject, schema: Schema) -> list[str]:
    """List, sorted, the paths that `prune` drops: the topmost field only, such as `spec.podSets[0].colour`."""
    left = _structure(schema).prune(obj)
    return [] if left is obj else sorted(_gone(obj, left, ""))


def drop_nulls(obj: KubernetesObject, schema: Schema) -> KubernetesObject:
    """Drop the nulls of known fields that are neither nullable nor have a default; nulls in lists stay."""
    own: KubernetesObject = _structure(schema).drop_nulls(obj)
    return own


def default(obj: KubernetesObject, schema: Schema) -> KubernetesObject:
    """Fill in the defaults of fields that are absent, or null without being nullable, inside objects that exist."""
    own: KubernetesObject = _structure(schema).default(obj)
    return own


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


class _Structure:
    """A schema of whole objects, compiled for each piece of work when it is first asked for."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        """Kept alive, so that no other schema comes to have its identity."""

    @cached_property
    def coerce(self) -> Step:
        return self._compiled(Work(prune=True, nulls=True, defaults=True))

    @cached_property
    def prune(self) -> Step:
        return self._compiled(Work(prune=True))

    @cached_property
    def drop_nulls(self) -> Step:
        return self._compiled(Work(nulls=True))

    @cached_property
    def default(self) -> Step:
        return self._compiled(Work(defaults=True))

    def _compiled(self, work: Work) -> Step:
        root = {**self.schema, "x-kubernetes-embedded-resource": True}
        settled, step = compile_settled(root, work), compile_step(root, work)
        return lambda obj: obj if settled(obj) else step(obj)


_known: dict[int, _Structure] = {}
"""By the identity of the schema."""


def _structure(schema: Schema) -> _Structure:
    known = _known.get(id(schema))
    if known is None:
        if len(_known) >= _AT_MOST:
            _known.clear()
        known = _known[id(schema)] = _Structure(schema)
    return known


def _gone(before: Any, after: Any, path: str) -> Iterator[str]:
    """The topmost fields that are no longer there; lists keep their items."""
    if isinstance(before, dict):
        for key, value in before.items():
            below = f"{path}.{key}" if path else key
            if key in after:
                yield from _gone(value, after[key], below)
            else:
                yield below
    elif isinstance(before, list):
        for index, (value, left) in enumerate(zip(before, after, strict=True)):
            yield from _gone(value, left, f"{path}[{index}]")
