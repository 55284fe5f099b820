"""Two looks at one object: what differs by meaning, and a count of what was left out of the comparison."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from kueuelift.difference import Edit, edits
from kueuelift.errors import printable
from kueuelift.kinds import Kind, version_of
from kueuelift.meaning import meaning
from kueuelift.model import KubernetesObject
from kueuelift.structural import default, schema_of_field, schema_of_items
from kueuelift.structural_steps import Schema
from kueuelift.volatile import FROM_A_CLUSTER, split
from kueuelift_snapshot.kind_schemas import KindSchemas

RECREATED = "re-created"
"""Told of an object that was deleted and made again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """What differs between two looks at one object."""

    edits: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()
    """What is told in a sentence: where fields are too many, or the object is another one."""

    def __bool__(self) -> bool:
        """Whether anything does."""
        return bool(self.edits or self.notes)


@dataclass(kw_only=True, slots=True)
class ObjectComparison:
    """Compares objects one after the other, and counts."""

    schemas: KindSchemas
    with_tokens: bool
    """Whether both sides were hidden with the same key."""
    show_volatile: bool = False
    status: bool = True
    """Whether status is compared; of a CRD, its stored versions are in any case."""
    one_cluster: bool = False
    """Whether both sides are of one cluster: another uid is another object then."""
    manifests: tuple[bool, bool] = (False, False)
    """Which of the sides was made from files."""
    hidden: Counter[str] = field(default_factory=Counter)
    """By volatile field: in how many objects it differs."""
    tokens: int = 0
    """Hidden values that could not be compared."""
    versions: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    """By kind: versions in which the two sides have objects, where these are not the same."""
    left_out: dict[str, set[str]] = field(default_factory=dict)
    """By kind: fields that the two versions do not have alike."""

    def edits(self, before: KubernetesObject, after: KubernetesObject, kind: Kind | None = None) -> tuple[Edit, ...]:
        """Every field that differs; `kind` where it is one of Kueue's."""
        if before == after:
            return ()
        before, after = self._without_volatile(before, after)
        if before == after:
            return ()
        if kind is None:
            return self._compared(*_differing(before, after), None)
        old, new = (version_of(str(obj.get("apiVersion"))) or "" for obj in (before, after))
        schemas = self.schemas.of(kind, old, new)
        if old != new:
            return self._across(before, after, kind, (old, new), schemas)
        left, right = _differing(before, after)
        one, other = schemas
        left, right = default(left, one) if one else left, default(right, other) if other else right
        return self._compared(left, right, other or one)

    def recreated(self, before: KubernetesObject, after: KubernetesObject) -> str:
        """`re-created: uid A -> B` where an object was deleted and made again in one cluster; else empty."""
        if self.show_volatile or not self.one_cluster:
            return ""
        old, new = (_uid(obj) for obj in (before, after))
        return f"{RECREATED}: uid {old} -> {new}" if old and new and old != new else ""

    def forms(self, before: Any, after: Any) -> tuple[Edit, ...]:
        """Every field that differs between two forms (see kueuelift.meaning); uncompared tokens are counted."""
        told = edits(before, after, with_tokens=self.with_tokens)
        if not self.with_tokens:
            paths = {edit.path for edit in told}
            self.tokens += sum(edit.path not in paths for edit in edits(before, after, with_tokens=True))
        return tuple(told)

    def _compared(self, before: KubernetesObject, after: KubernetesObject, shape: Schema | None) -> tuple[Edit, ...]:
        return self.forms(meaning(before, shape), meaning(after, shape))

    def _without_volatile(
        self, before: KubernetesObject, after: KubernetesObject
    ) -> tuple[KubernetesObject, KubernetesObject]:
        if not self.status:
            before, after = self._without_status(before, after)
        if not self.show_volatile:
            (before, ours), (after, theirs) = split(before), split(after)
            self.hidden.update(path for path in {**ours, **theirs} if ours.get(path) != theirs.get(path))
        if self.manifests[0]:
            after = self._as_manifest(after, before)
        if self.manifests[1]:
            before = self._as_manifest(before, after)
        return before, after

    def _without_status(
        self, before: KubernetesObject, after: KubernetesObject
    ) -> tuple[KubernetesObject, KubernetesObject]:
        ours, theirs = _stored_versions(before), _stored_versions(after)
        if _rest(before.get("status"), ours) != _rest(after.get("status"), theirs):
            self.hidden["status"] += 1
        left, right = (
            {key: value for key, value in obj.items() if key != "status"} | ({"status": kept} if kept else {})
            for obj, kept in ((before, ours), (after, theirs))
        )
        return left, right

    def _as_manifest(self, obj: KubernetesObject, manifest: KubernetesObject) -> KubernetesObject:
        """A cluster's object without what only clusters add, where the manifest has nothing there."""
        for known in FROM_A_CLUSTER:
            holder, _, name = known.path.rpartition(".")
            inside, written = (obj[holder], manifest.get(holder)) if holder else (obj, manifest)
            if inside.get(name) and not (isinstance(written, dict) and written.get(name)):
                self.hidden[known.path] += 1
                rest = {key: value for key, value in inside.items() if key != name}
                obj = {**obj, holder: rest} if holder else rest
        return obj

    def _across(
        self,
        before: KubernetesObject,
        after: KubernetesObject,
        kind: Kind,
        versions: tuple[str, str],
        schemas: tuple[Schema | None, Schema | None],
    ) -> tuple[Edit, ...]:
        """Two versions of one object, by the metadata and the fields that both versions have alike."""
        self.versions.setdefault(kind.name, set()).add(versions)
        left_out = self.left_out.setdefault(kind.name, set())
        old, new = schemas
        if old is None or new is None:
            left_out |= {key for key in (*before, *after) if key not in {"apiVersion", "kind", "metadata"}}
            return self._compared({"metadata": before["metadata"]}, {"metadata": after["metadata"]}, None)
        ours, theirs = default(before, old), default(after, new)
        left, right = (
            {"metadata": obj["metadata"]} | _common(_content(obj), one, other, "", left_out)
            for obj, one, other in ((ours, old, new), (theirs, new, old))
        )
        return self._compared(left, right, new)


def _uid(obj: KubernetesObject) -> str:
    metadata = obj.get("metadata")
    return printable(str(metadata.get("uid") or "")) if isinstance(metadata, dict) else ""


def _stored_versions(obj: KubernetesObject) -> KubernetesObject:
    """What of a status no option leaves out: which versions of a CRD are stored decides what can be done."""
    status = obj.get("status")
    if obj.get("kind") != "CustomResourceDefinition" or not isinstance(status, dict):
        return {}
    return {key: value for key, value in status.items() if key == "storedVersions"}


def _rest(status: Any, kept: KubernetesObject) -> Any:
    return {key: value for key, value in status.items() if key not in kept} if isinstance(status, dict) else status


def _differing(before: KubernetesObject, after: KubernetesObject) -> tuple[KubernetesObject, KubernetesObject]:
    """Both without the top-level fields that are equal: most often only the status differs."""
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    left, right = ({key: obj[key] for key in keys if key in obj} for obj in (before, after))
    return left, right


def _content(obj: KubernetesObject) -> KubernetesObject:
    return {key: value for key, value in obj.items() if key not in {"apiVersion", "kind", "metadata"}}


def _common(value: Any, one: Schema | None, other: Schema | None, path: str, left_out: set[str]) -> Any:
    """What of a value both schemas know alike; the paths of the rest go to `left_out`."""
    if isinstance(value, list):
        items = schema_of_items(one), schema_of_items(other)
        return [_common(item, *items, f"{path}[]", left_out) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, item in value.items():
        below = f"{path}.{key}" if path else key
        schemas = [_field(schema, key) for schema in (one, other)]
        if all(known for known, _ in schemas) and _alike(schemas[0][1], schemas[1][1]):
            kept[key] = _common(item, schemas[0][1], schemas[1][1], below, left_out)
        else:
            left_out.add(below)
    return kept


def _field(schema: Schema | None, key: str) -> tuple[bool, Schema | None]:
    """As schema_of_field; where nothing is known of what is below, everything may be there."""
    known, found = schema_of_field(schema, key)
    return known or schema is None or bool(schema.get("x-kubernetes-preserve-unknown-fields")), found


def _alike(one: Schema | None, other: Schema | None) -> bool:
    """Whether a value means the same by both: of one type, and of one vocabulary."""
    if one is None or other is None:
        return True
    return all(one.get(word) == other.get(word) for word in ("type", "enum", "format"))
