"""What changes over all objects, one entry a distinct edit: a reviewer reads a page, however many objects there are."""

import functools
import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from kueuelift.difference import MISSING, Edit, edits
from kueuelift.kinds import version_of
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift.quantity import same
from kueuelift_transform.conversion import conversion_for

_NAMES = 3
"""Objects named per entry."""
_VALUES = 5
"""Entries per field that differ in their values only; what comes after these is counted in one more."""
_LONGEST = 120
_OTHERS = "(further values)"


@dataclass(kw_only=True, slots=True)
class Entry:
    """One distinct edit and how often it is made."""

    kind: str
    edit: str
    count: int = 0
    objects: list[str] = field(default_factory=list)
    """The first of them."""

    def __str__(self) -> str:
        """`ClusterQueue: spec.cohort -> spec.cohortName, 3 objects: a, b, c`."""
        more = ", …" if self.count > len(self.objects) else ""
        noun = "object" if self.count == 1 else "objects"
        return f"{self.kind}: {self.edit}, {self.count} {noun}: {', '.join(self.objects)}{more}"

    def to_dict(self) -> dict[str, Any]:
        """The entry as report.json has it."""
        return {"kind": self.kind, "edit": self.edit, "count": self.count, "objects": list(self.objects)}


class DifferenceSummary:
    """Collects edits; its size depends on how many distinct ones there are, not on the objects."""

    def __init__(self) -> None:
        self._fields: dict[tuple[str, str], dict[str, Entry]] = {}

    def add(self, ref: ObjectRef, before: KubernetesObject, after: KubernetesObject) -> None:
        """Count what differs between one object before and after."""
        name = str(ref).removeprefix(f"{ref.kind} ")
        version = version_of(before.get("apiVersion", "")) or ""
        pair = orjson.dumps(_differing(before, after), option=orjson.OPT_SORT_KEYS)
        for path, values in _described_once(ref.kind, version, pair):
            entries = self._fields.setdefault((ref.kind, path), {})
            shown = values if values in entries or len(entries) < _VALUES else _OTHERS
            entry = entries.setdefault(shown, Entry(kind=ref.kind, edit=f"{path} {shown}".rstrip()))
            entry.count += 1
            if len(entry.objects) < _NAMES:
                entry.objects.append(name)

    def entries(self) -> list[Entry]:
        """All entries, by kind and field."""
        ordered = [self._fields[key] for key in sorted(self._fields)]
        return [entries[shown] for entries in ordered for shown in sorted(entries)]


def _described(kind: str, version: str, found: tuple[Edit, ...]) -> list[tuple[str, str]]:
    """Each edit as a field and its values; removals and the addition that belong together become one move."""
    removed = {edit.path: edit.before for edit in found if edit.after is MISSING}
    added = {edit.path: edit.after for edit in found if edit.before is MISSING}
    described: list[tuple[str, str]] = []
    told: set[str] = set()
    for new, olds in _moves(kind, version):
        gone = [old for old in olds if old in removed]
        place = next((path for path in added if path == new or new.startswith(f"{path}.")), None)
        if gone and place:
            before, after = [removed[old] for old in gone], _inside(added[place], new.removeprefix(place))
            values = "" if before == [after] else f"{', '.join(map(_text, before))} -> {_text(after)}"
            described.append((f"{', '.join(gone)} -> {new}", values))
            told |= {*gone, place}
    for edit in found:
        if edit.path not in told:
            path = re.sub(r"\[\d+\]", "[]", edit.path)
            described.append((path, _values(edit)))
    return described


def _values(edit: Edit) -> str:
    if {type(edit.before), type(edit.after)} <= {str, int, float} and _same_quantity(edit.before, edit.after):
        return "(the same quantity, written as Kueue writes it)"
    return f"{_text(edit.before)} -> {_text(edit.after)}"


def _same_quantity(before: Any, after: Any) -> bool:
    try:
        return same(before, after)
    except ValueError:
        return False


def _inside(value: Any, path: str) -> Any:
    for key in path.split(".")[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value


@functools.cache
def _moves(kind: str, version: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """By new path, the old ones that it takes the place of."""
    conversion = conversion_for(kind, version) if version else None
    moves: dict[str, tuple[str, ...]] = {}
    for renamed in conversion.renamed if conversion else ():
        moves[renamed.new] = (*moves.get(renamed.new, ()), renamed.old)
    return tuple(moves.items())


@functools.lru_cache(maxsize=1024)
def _described_once(kind: str, version: str, pair: bytes) -> tuple[tuple[str, str], ...]:
    """The edits of one object; objects that change alike, as most Workloads do, are compared once."""
    before, after = orjson.loads(pair)
    return tuple(dict.fromkeys(_described(kind, version, tuple(edits(before, after)))))


def _differing(before: Any, after: Any) -> tuple[Any, Any]:
    """Both sides without the fields that are equal, so that little is left to compare; list items keep their places."""
    if isinstance(before, dict) and isinstance(after, dict):
        left: dict[str, Any] = {key: value for key, value in before.items() if key not in after}
        right: dict[str, Any] = {key: value for key, value in after.items() if key not in before}
        for key in before.keys() & after.keys():
            if before[key] != after[key]:
                left[key], right[key] = _differing(before[key], after[key])
        return left, right
    if _are_alike(before, after):
        pairs = [({}, {}) if one == other else _differing(one, other) for one, other in zip(before, after, strict=True)]
        return [one for one, _ in pairs], [other for _, other in pairs]
    return before, after


def _are_alike(before: Any, after: Any) -> bool:
    """Whether these are lists of objects, which are compared by position, and as long as each other."""
    if not (isinstance(before, list) and isinstance(after, list) and len(before) == len(after)):
        return False
    return all(isinstance(item, dict) for item in before) and all(isinstance(item, dict) for item in after)


def _text(value: Any) -> str:
    if value is MISSING:
        return "(none)"
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
