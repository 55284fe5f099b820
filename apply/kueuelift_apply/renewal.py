"""One object, made ready to be written at the new version: values, ownership records and owner references.

`moves` is the plan's: by old version, pairs of field paths [from, to]; `to` is None where a field has no home.
Renaming only an entry's apiVersion would make a later server-side apply keep removed fields silently (1.35),
so the paths inside managedFields are moved too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from kueuelift.kinds import api_version, version_of
from kueuelift.model import KubernetesObject

Moves = Mapping[str, Sequence[Sequence[str | None]]]
"""Old version -> [[from, to], …]."""
FieldSet = dict[str, Any]
"""A node of `fieldsV1`: `f:name`, `k:{…}`, `v:…` or `.` -> the node below."""


def has_old_records(obj: KubernetesObject, version: str) -> bool:
    """Whether an ownership record or an owner reference still speaks of another version of the group."""
    metadata = obj["metadata"]
    records = [*(metadata.get("managedFields") or []), *(metadata.get("ownerReferences") or [])]
    return any(version_of(record.get("apiVersion", "")) not in {None, version} for record in records)


def renewed(obj: KubernetesObject, version: str, moves: Moves, *, bridged: bool) -> KubernetesObject:
    """The object as it is to be written; values are moved only under a bridge, where nobody else converts them."""
    new = deepcopy(obj)
    new["apiVersion"] = api_version(version)
    metadata = new["metadata"]
    if bridged:
        for old_version in moves:
            for source, target in moves[old_version]:
                _move_value(new, str(source), target)
    for reference in metadata.get("ownerReferences") or []:
        if version_of(reference["apiVersion"]):
            reference["apiVersion"] = api_version(version)
    if metadata.get("managedFields"):
        metadata["managedFields"] = _merged([_translated(entry, version, moves) for entry in metadata["managedFields"]])
    return new


def _move_value(obj: KubernetesObject, source: str, target: str | None) -> None:
    *parents, leaf = source.split(".")
    node: Any = obj
    for key in parents:
        node = node.get(key) if isinstance(node, dict) else None
    if not isinstance(node, dict) or leaf not in node:
        return
    value = node.pop(leaf)
    if target is None:
        return
    *parents, leaf = target.split(".")
    home: dict[str, Any] = obj
    for key in parents:
        home = home.setdefault(key, {})
    home.setdefault(leaf, value)


def _translated(entry: dict[str, Any], version: str, moves: Moves) -> dict[str, Any]:
    old_version = version_of(entry.get("apiVersion", ""))
    if old_version in {None, version}:
        return entry
    fields = deepcopy(entry.get("fieldsV1") or {})
    for source, target in moves.get(str(old_version), ()):
        for holder, rest in list(_holders(fields, str(source))):
            moved = holder.pop(f"f:{rest}")
            if target is not None:
                _adopt(fields, holder, str(source), target, moved)
    return {**entry, "apiVersion": api_version(version), "fieldsV1": _without_empty(fields)}


def _holders(fields: FieldSet, path: str) -> Iterator[tuple[FieldSet, str]]:
    """Every node that holds the path's last field; `[]` in a path stands for each item of a list."""
    *parents, leaf = path.split(".")
    nodes = [fields]
    for step in parents:
        name, is_list = step.removesuffix("[]"), step.endswith("[]")
        nodes = [node[f"f:{name}"] for node in nodes if f"f:{name}" in node]
        if is_list:
            nodes = [below for node in nodes for key, below in node.items() if re.match(r"[kvi]:", key)]
    for node in nodes:
        if f"f:{leaf}" in node:
            yield node, leaf


def _adopt(fields: FieldSet, holder: FieldSet, source: str, target: str, moved: FieldSet) -> None:
    """Hang the moved node under its new name, beside the old place where both paths share a list."""
    shared = _shared_list(source, target)
    node = holder if shared else fields
    *parents, leaf = (target[len(shared) :] if shared else target).split(".")
    for name in parents:
        node = node.setdefault(f"f:{name}", {})
    items_of_a_set = any(key.startswith("v:") for key in moved)
    _union(node.setdefault(f"f:{leaf}", {}), {} if items_of_a_set else moved)


def _shared_list(source: str, target: str) -> str:
    """The common beginning of two paths up to and with the last `[]` and the parents of the old leaf."""
    if "[]" not in source:
        return ""
    beginning = source.rpartition(".")[0] + "."
    return beginning if target.startswith(beginning) else ""


def _union(into: FieldSet, other: FieldSet) -> None:
    for key, below in other.items():
        _union(into.setdefault(key, {}), below)


def _without_empty(fields: FieldSet) -> FieldSet:
    """Drop parents that lost their last child; leaves stay."""
    kept: FieldSet = {}
    for key, below in fields.items():
        rest = _without_empty(below) if below else below
        if rest or not below:
            kept[key] = rest
    return kept


def _merged(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry per manager, operation, version and subresource: the server keeps no two."""
    merged: dict[tuple[Any, ...], dict[str, Any]] = {}
    for entry in entries:
        key = tuple(entry.get(part) for part in ("manager", "operation", "apiVersion", "subresource"))
        if key in merged:
            _union(merged[key].setdefault("fieldsV1", {}), entry.get("fieldsV1") or {})
            times = [record["time"] for record in (merged[key], entry) if record.get("time")]
            merged[key] |= {"time": max(times)} if times else {}
        else:
            merged[key] = entry
    return list(merged.values())
