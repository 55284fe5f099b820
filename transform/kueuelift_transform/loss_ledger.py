"""Where each field of an object went: the ledger of losses.json, one entry for all objects that fare alike.

What does not come back when an object is converted back, `stored_form.losses` proves; what is carried over to another
place, reworded or filled in, `carried` tells, so that nothing changes unseen.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from kueuelift.kinds import TARGET_VERSION, version_of
from kueuelift.model import Change, Fate, KubernetesObject, Loss, LossEntry, ObjectRef
from kueuelift_transform.conversion import Conversion, Renamed, conversion_for, field_at

_EMPTY: tuple[Any, ...] = (None, "", 0, [], {})
_Key = tuple[str, str, Change, str, bytes, str, bool]


def carried(obj: KubernetesObject, stored: KubernetesObject) -> Iterator[Loss]:
    """Tell of each field that the stored form has elsewhere, in another word, or in addition; lists count once.

    Metadata is left out: its fields are the same in all versions.
    """
    kind, version = str(obj["kind"]), version_of(str(obj["apiVersion"]))
    conversion = conversion_for(kind, version) if version and version != TARGET_VERSION else None
    ref = ObjectRef.of(obj)
    if conversion:
        yield from _rehomed(ref, obj, stored, conversion)
        yield from _reworded(ref, obj, stored, conversion)
    homes = [renamed.new for renamed in conversion.renamed] if conversion else []
    for path, value in dict(_added(obj, stored, "", top=True)).items():
        if not any(path.startswith(home) or home.startswith(path) for home in homes):
            yield _loss(
                ref, path, Change.DEFAULTED, "the object does not say it, and the target's CRD fills it in", value=value
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class SummedLoss(Fate):
    """What becomes of one field, over all objects and values: a line of the report."""

    count: int
    """Fields of objects that fare so."""

    def to_dict(self) -> dict[str, Any]:
        """The line as report.json has it."""
        return {**self.fields(), "count": self.count}


def summed_losses(entries: Iterable[LossEntry]) -> list[SummedLoss]:
    """One line a distinct loss, what loses its meaning first, then by kind and field."""
    counts: Counter[tuple[bool, str, str, Change, str, str]] = Counter()
    for one in entries:
        field = in_any_item(one.path)
        counts[one.meaning_kept, one.kind, field, one.change, one.to, one.reason] += len(one.objects)
    return [
        SummedLoss(kind=kind, path=path, change=change, to=to, reason=reason, meaning_kept=kept, count=count)
        for (kept, kind, path, change, to, reason), count in sorted(counts.items())
    ]


def in_any_item(path: str) -> str:
    """A field path without the places in lists, which differ from object to object: `spec.podSets[].name`."""
    return re.sub(r"\[\d+\]", "[]", path)


class LossLedger:
    """Collects losses; grows with what is lost and by a name an object, not with what is written in the objects."""

    def __init__(self) -> None:
        self._objects: dict[_Key, list[str]] = {}

    def add(self, losses: Iterable[Loss]) -> None:
        """Count the losses of an object."""
        for loss in losses:
            value = orjson.dumps(loss.value, option=orjson.OPT_SORT_KEYS)
            key = (loss.kind, loss.path, loss.change, loss.to, value, loss.reason, loss.meaning_kept)
            name = f"{loss.namespace}/{loss.name}" if loss.namespace else loss.name
            self._objects.setdefault(key, []).append(name)

    def entries(self) -> list[LossEntry]:
        """Every entry: what loses its meaning first, then by kind and path."""
        entries = [
            LossEntry(
                kind=kind,
                path=path,
                change=change,
                to=to,
                value=orjson.loads(value),
                reason=reason,
                meaning_kept=kept,
                objects=tuple(sorted(names)),
            )
            for (kind, path, change, to, value, reason, kept), names in self._objects.items()
        ]
        return sorted(entries, key=lambda one: (one.meaning_kept, one.kind, one.path, one.reason, one.objects))

    @property
    def lost(self) -> int:
        """How many fields of objects lose what they meant."""
        return sum(len(names) for key, names in self._objects.items() if not key[-1])


def _rehomed(ref: ObjectRef, obj: KubernetesObject, stored: KubernetesObject, conversion: Conversion) -> Iterator[Loss]:
    for renamed, change, reason in _homes(conversion.kind, conversion.source):
        if _filled(obj, renamed.old) and _filled(stored, renamed.new):
            yield _loss(ref, renamed.old, change, reason, to=renamed.new)


@cache
def _homes(kind: str, version: str) -> tuple[tuple[Renamed, Change, str], ...]:
    """Each field of a version that has another place in the target version, with what that makes of it and why."""
    conversion = conversion_for(kind, version)
    return tuple((one, *_change(one, conversion)) for one in conversion.renamed) if conversion else ()


def _change(renamed: Renamed, conversion: Conversion) -> tuple[Change, str]:
    if sum(other.new == renamed.new for other in conversion.renamed) > 1:
        return Change.MERGED, f"{conversion.target} has one field for these"
    if renamed.reshaped:
        return Change.MOVED, renamed.reshaped
    if renamed.is_moved:
        return Change.MOVED, f"{conversion.target} has it in another place"
    return Change.RENAMED, f"{conversion.target} has another name for it"


def _reworded(
    ref: ObjectRef, obj: KubernetesObject, stored: KubernetesObject, conversion: Conversion
) -> Iterator[Loss]:
    for word in conversion.reworded:
        if field_at(obj, word.path) == word.old and field_at(stored, word.path) == word.new:
            yield _loss(ref, word.path, Change.NOT_INVERTIBLE, word.reason, value=word.old)


def _added(before: Any, after: Any, path: str, *, top: bool = False) -> Iterator[tuple[str, Any]]:
    """The topmost parts that only `after` has; Go's encoder adds empty ones, which say nothing."""
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in after.items():
            if top and key in {"apiVersion", "kind", "metadata"}:
                continue
            below = f"{path}.{key}" if path else key
            given = before.get(key)
            if given is not None:
                if given != value:
                    yield from _added(given, value, below)
            elif value not in _EMPTY:
                yield below, value
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for old, new in zip(before, after, strict=True):
            yield from _added(old, new, f"{path}[]")


def _filled(obj: Any, path: str) -> bool:
    """Whether something stands at a path, in any item of its lists."""
    first, _, rest = path.partition(".")
    found = obj.get(first.removesuffix("[]")) if isinstance(obj, dict) else None
    if first.endswith("[]"):
        return isinstance(found, list) and any(_filled(item, rest) for item in found)
    return _filled(found, rest) if rest else found not in (None, "", [], {})


def _loss(ref: ObjectRef, path: str, change: Change, reason: str, *, to: str = "", value: Any = None) -> Loss:
    return Loss(
        kind=ref.kind,
        namespace=ref.namespace,
        name=ref.name,
        path=path,
        change=change,
        to=to,
        value=value,
        reason=reason,
        meaning_kept=True,
    )
