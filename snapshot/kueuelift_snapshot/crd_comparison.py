"""Two CustomResourceDefinitions, summed up: their schemas differ in hundreds of fields between two releases."""

from collections.abc import Iterator, Mapping
from typing import Any

from kueuelift.model import KubernetesObject
from kueuelift_snapshot.object_comparison import Difference, ObjectComparison

DESCRIPTIONS = "spec.versions[].schema..description"
"""How the texts that a schema has for people are counted."""

_BELOW = ("properties", "items", "additionalProperties")


def compared(
    before: KubernetesObject, after: KubernetesObject, objects: ObjectComparison, names: tuple[str, str]
) -> Difference:
    """All but the schemas field by field; of each schema, how many fields differ. `names` are those of the sides."""
    edits = objects.edits(_bare(before), _bare(after))
    ours, theirs = _schemas(before), _schemas(after)
    both = [version for version in ours if version in theirs]
    if any(_described(ours[version]) != _described(theirs[version]) for version in both):
        objects.hidden[DESCRIPTIONS] += 1
    notes = (schema_note(version, ours[version], theirs[version], names) for version in both)
    return Difference(edits=edits, notes=tuple(filter(None, notes)))


def schema_note(version: str, before: Any, after: Any, names: tuple[str, str]) -> str:
    """How many fields of a version's schema differ, descriptions left aside; empty where none does."""
    ours, theirs = _fields(before), _fields(after)
    differing = sum(ours[path] != theirs[path] for path in ours.keys() & theirs.keys())
    counts = [
        f"{differing} field{' differs' if differing == 1 else 's differ'}" if differing else "",
        *(
            f"{len(only)} only in {name}" if only else ""
            for only, name in zip((ours.keys() - theirs.keys(), theirs.keys() - ours.keys()), names, strict=True)
        ),
    ]
    told = ", ".join(filter(None, counts))
    return f"spec.versions[name={version}].schema: {told}" if told else ""


def _bare(crd: KubernetesObject) -> KubernetesObject:
    """A CRD without the schemas of its versions."""
    spec = crd.get("spec")
    if not isinstance(spec, dict) or not isinstance(spec.get("versions"), list):
        return crd
    versions = [
        {key: value for key, value in version.items() if key != "schema"} if isinstance(version, dict) else version
        for version in spec["versions"]
    ]
    return {**crd, "spec": {**spec, "versions": versions}}


def _schemas(crd: KubernetesObject) -> dict[str, Any]:
    """By version."""
    spec = crd.get("spec")
    versions = spec.get("versions") if isinstance(spec, dict) else None
    return {
        str(version.get("name")): (version.get("schema") or {}).get("openAPIV3Schema")
        for version in (versions if isinstance(versions, list) else ())
        if isinstance(version, dict) and isinstance(version.get("schema") or {}, dict)
    }


def _fields(schema: Any) -> dict[str, Any]:
    """By path: what a schema says of each field, without what it says of those below and to people."""
    return {
        path: {key: value for key, value in it.items() if key not in {*_BELOW, "description"}}
        if isinstance(it, Mapping)
        else it
        for path, it in _walk(schema, "")
    }


def _described(schema: Any) -> dict[str, Any]:
    return {
        path: it["description"] for path, it in _walk(schema, "") if isinstance(it, Mapping) and "description" in it
    }


def _walk(schema: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every schema in a schema, itself included; what is none, as it is."""
    yield path, schema
    if not isinstance(schema, Mapping):
        return
    properties = schema.get("properties", {})
    if isinstance(properties, Mapping):
        for name, below in properties.items():
            yield from _walk(below, f"{path}.{name}")
    else:
        yield f"{path}.properties", properties
    for word in _BELOW[1:]:
        if word in schema:
            yield from _walk(schema[word], f"{path}[{word}]")
