"""What differs between two snapshots: one entry a distinct change, however many objects have it."""

from dataclasses import dataclass, field
from enum import StrEnum

from kueuelift.difference import Edit

_NAMES = 10
"""Objects named per change where there may be a hundred thousand."""

_VARIETIES = 5
"""Changes of the same fields that differ in their values only; what comes after these is counted in one more."""

_SHAPES = 200
"""Sets of fields that change together, per kind."""


class How(StrEnum):
    """What became of an object."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    RECREATED = "re-created"
    """Deleted and made again, the same as it was."""


@dataclass(kw_only=True, slots=True)
class Change:
    """One change, made alike to some objects."""

    how: How
    what: str
    """The kind, or the part of the snapshot."""
    edits: tuple[Edit, ...] = ()
    """What changed; none where the object was added or removed, or the values differ from object to object."""
    fields: tuple[str, ...] = ()
    """Where the values differ from object to object: which fields have other ones; `[]` stands for any item."""
    notes: tuple[str, ...] = ()
    """What is told of them in a sentence each."""
    count: int = 0
    objects: list[str] = field(default_factory=list)
    """Their names: of Workloads and other objects that are made by the thousand, the first ones."""


class Changes:
    """Collects them, in the order of the sections."""

    def __init__(self) -> None:
        self._found: dict[str, dict[tuple[How, tuple[str, ...]], dict[str, Change]]] = {}

    def add(
        self,
        how: How,
        what: str,
        name: str,
        edits: tuple[Edit, ...] = (),
        notes: tuple[str, ...] = (),
        *,
        many: bool = False,
    ) -> None:
        """Count one object; `many`: of a kind of which there are too many to be told one by one."""
        shapes = self._found.setdefault(what, {})
        fields = tuple(dict.fromkeys(edit.general for edit in edits))
        if many and (how, fields) not in shapes and len(shapes) >= _SHAPES:
            fields = ("(further fields)",)
        varieties = shapes.setdefault((how, fields), {})
        variety = "\n".join(map(str, (*notes, *edits)))
        change = varieties.get(variety)
        if change is None and many and len(varieties) >= _VARIETIES:
            variety, edits, notes = "(further values)", (), ()
            change = varieties.get(variety)
        if change is None:
            change = Change(how=how, what=what, edits=edits, fields=() if edits else fields, notes=notes)
            varieties[variety] = change
        change.count += 1
        if not many or len(change.objects) < _NAMES:
            change.objects.append(name)

    def all(self) -> list[Change]:
        """By section; what changed, was added, was removed, was made again, each by the name of the first object."""
        order = list(How)
        return [
            change
            for shapes in self._found.values()
            for change in sorted(
                (change for varieties in shapes.values() for change in varieties.values()),
                key=lambda change: (order.index(change.how), change.objects),
            )
        ]
